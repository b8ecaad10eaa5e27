//! How Parquet and Arrow files pack their bytes: Snappy, gzip, LZ4 and Zstandard. What a block unpacks to is known
//! beforehand, and nothing more is made of it.

use std::io::Read;

/// How bytes are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    None,
    Snappy,
    Gzip,
    /// A block without a frame.
    Lz4Raw,
    /// Blocks in a frame.
    Lz4Frame,
    Zstd,
}

/// Bytes that one packed byte can stand for at most, whatever a header promises.
const MOST: usize = 1 << 16;

/// The `size` bytes that were packed.
pub(super) fn unpack(codec: Codec, packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    if size / MOST > packed.len() {
        return Err(format!("{size} bytes are promised of {} packed ones", packed.len()));
    }
    let made = match codec {
        Codec::None => Some(packed.to_vec()),
        Codec::Snappy => snappy(packed, size),
        Codec::Gzip => bounded(flate2::read::MultiGzDecoder::new(packed), size),
        Codec::Lz4Raw => {
            let mut made = Vec::new();
            lz4_block(packed, &mut made, size).then_some(made)
        }
        Codec::Lz4Frame => lz4_frame(packed, size),
        Codec::Zstd => zstd(packed, size)?,
    };
    made.filter(|made| made.len() == size).ok_or_else(|| "the packed bytes are damaged".to_string())
}

fn bounded(reader: impl Read, size: usize) -> Option<Vec<u8>> {
    let mut made = Vec::new();
    reader.take(size as u64 + 1).read_to_end(&mut made).ok()?;
    Some(made)
}

#[cfg(feature = "zstd")]
fn zstd(packed: &[u8], size: usize) -> Result<Option<Vec<u8>>, String> {
    let reader = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|why| why.to_string())?;
    Ok(bounded(reader, size))
}

#[cfg(not(feature = "zstd"))]
fn zstd(_: &[u8], _: usize) -> Result<Option<Vec<u8>>, String> {
    Err("packed by Zstandard, which this build does not read: build it with the feature zstd".to_string())
}

/// Copies `length` bytes from `back` bytes before the end, which may overlap what is being made.
fn repeat(made: &mut Vec<u8>, back: usize, length: usize, size: usize) -> bool {
    if back == 0 || back > made.len() || length > size.saturating_sub(made.len()) {
        return false;
    }
    let start = made.len() - back;
    for at in start..start + length {
        made.push(made[at]);
    }
    true
}

/// Snappy: a length, then literals and copies (google/snappy, format_description.txt).
fn snappy(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let (mut at, mut made) = (0, Vec::new());
    while packed.get(at)? & 0x80 != 0 {
        at += 1;
    }
    at += 1;
    let number = |at: usize, bytes: usize| {
        let found = packed.get(at..at + bytes)?;
        Some(found.iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)))
    };
    while at < packed.len() {
        let tag = usize::from(packed[at]);
        at += 1;
        if tag & 3 == 0 {
            let mut length = tag >> 2;
            if length >= 60 {
                let bytes = length - 59;
                length = number(at, bytes)?;
                at += bytes;
            }
            let own = packed.get(at..at.checked_add(length + 1)?)?;
            if made.len() + own.len() > size {
                return None;
            }
            made.extend_from_slice(own);
            at += own.len();
            continue;
        }
        let (length, back, bytes) = match tag & 3 {
            1 => (4 + (tag >> 2 & 7), (tag >> 5) << 8 | number(at, 1)?, 1),
            2 => (1 + (tag >> 2), number(at, 2)?, 2),
            _ => (1 + (tag >> 2), number(at, 4)?, 4),
        };
        at += bytes;
        if !repeat(&mut made, back, length, size) {
            return None;
        }
    }
    Some(made)
}

/// LZ4's block: sequences of literals and a copy (lz4_Block_format.md). Whether it was sound.
fn lz4_block(packed: &[u8], made: &mut Vec<u8>, size: usize) -> bool {
    let mut at = 0;
    // 15 in the token goes on in further bytes, as long as they are 255.
    let long = |at: &mut usize, mut length: usize| {
        if length == 15 {
            loop {
                let byte = usize::from(*packed.get(*at)?);
                *at += 1;
                length = length.checked_add(byte)?;
                if byte < 255 {
                    break;
                }
            }
        }
        Some(length)
    };
    while at < packed.len() {
        let token = usize::from(packed[at]);
        at += 1;
        let Some(literals) = long(&mut at, token >> 4) else { return false };
        let Some(own) = at.checked_add(literals).and_then(|end| packed.get(at..end)) else { return false };
        if made.len() + own.len() > size {
            return false;
        }
        made.extend_from_slice(own);
        at += literals;
        if at == packed.len() {
            return true;
        }
        let Some([low, high]) = packed.get(at..at + 2) else { return false };
        let back = usize::from(*low) | usize::from(*high) << 8;
        at += 2;
        let Some(length) = long(&mut at, token & 15) else { return false };
        if !repeat(made, back, length + 4, size) {
            return false;
        }
    }
    true
}

/// LZ4's frame: a header, blocks with their sizes, an end mark (lz4_Frame_format.md). Checksums are not looked at.
fn lz4_frame(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let rest = packed.strip_prefix(&[0x04, 0x22, 0x4d, 0x18])?;
    let flags = *rest.first()?;
    let header = 3 + if flags & 8 != 0 { 8 } else { 0 } + if flags & 1 != 0 { 4 } else { 0 };
    let (mut rest, mut made) = (rest.get(header..)?, Vec::new());
    loop {
        let (word, behind) = rest.split_first_chunk::<4>()?;
        let word = u32::from_le_bytes(*word);
        if word == 0 {
            return Some(made);
        }
        let length = (word & 0x7fff_ffff) as usize;
        let (block, behind) = behind.split_at_checked(length)?;
        match word >> 31 {
            1 if made.len() + length <= size => made.extend_from_slice(block),
            1 => return None,
            _ if !lz4_block(block, &mut made, size) => return None,
            _ => {}
        }
        rest = behind.get(if flags & 16 != 0 { 4 } else { 0 }..)?;
    }
}
