//! Files that a forger would make: wrong in one thing, with the checksum right.

/// A file with this header and these tensor bytes, its checksum made right, as a forger would.
pub fn forged(header: &str, data: &[u8]) -> Vec<u8> {
    let mut header = header.to_string();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    if let Some(place) = header.find(r#"checksum\":\""#) {
        let place = 8 + place + r#"checksum\":\""#.len();
        bytes[place..place + 32].fill(b'0');
        let digits = format!("{:032x}", twox_hash::XxHash3_128::oneshot(&bytes));
        bytes[place..place + 32].copy_from_slice(digits.as_bytes());
    }
    bytes
}

/// A forged file whose header has these tensors.
pub fn forged_tensors(tensors: &str, data: &[u8]) -> Vec<u8> {
    forged(&format!("{}{tensors}}}", description(1, "small", "{}", "1")), data)
}

pub fn description(format: u64, kind: &str, parameters: &str, version: &str) -> String {
    let zeros = "0".repeat(32);
    let text = format!(
        r#"{{"checksum":"{zeros}","format":{format},"kind":"{kind}","parameters":{parameters},"version":{version}}}"#
    );
    format!(r#"{{"__metadata__":{{"gristmill":{}}}"#, serde_json::to_string(&text).unwrap())
}

pub fn header_of(bytes: &[u8]) -> &str {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    std::str::from_utf8(&bytes[8..8 + length]).unwrap()
}
