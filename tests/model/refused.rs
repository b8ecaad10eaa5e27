//! Whatever is off is refused with a reason, without a panic and without much memory.

use gristmill::model_file::{Container, Persist};

use super::forge::{description, forged, forged_tensors, header_of};
use super::{LaterModel, OtherModel, SmallModel, reason, rich, small};

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    for bytes in [small().to_bytes().unwrap(), rich().to_bytes().unwrap()] {
        for length in 0..bytes.len() {
            assert!(Container::from_bytes(&bytes[..length]).is_err(), "cut off at {length}");
        }
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for bytes in [small().to_bytes().unwrap(), rich().to_bytes().unwrap()] {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Container::from_bytes(&flipped).is_err(), "bit {bit}");
        }
    }
}

#[test]
fn an_upper_case_checksum_is_refused() {
    let bytes = small().to_bytes().unwrap();
    let digits = header_of(&bytes).find(r#"checksum\":\""#).unwrap() + 8 + r#"checksum\":\""#.len();
    let letter = (digits..digits + 32).find(|at| bytes[*at].is_ascii_lowercase()).unwrap();
    let mut changed = bytes.clone();
    changed[letter].make_ascii_uppercase();
    assert!(reason(Container::from_bytes(&changed)).contains("checksum"));
}

#[test]
fn appended_bytes_are_refused() {
    for more in [1, 7, 8, 4096] {
        let mut bytes = small().to_bytes().unwrap();
        bytes.resize(bytes.len() + more, 0);
        assert!(reason(Container::from_bytes(&bytes)).contains("follow the last tensor"));
    }
}

#[test]
fn the_forger_of_these_tests_forges_well() {
    let bytes = forged_tensors(
        r#","a":{"dtype":"U32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[1],"data_offsets":[4,5]}"#,
        &[1, 0, 0, 0, 2],
    );
    let mut container = Container::from_bytes(&bytes).unwrap();
    assert_eq!(container.take::<u32>("a", &[1]).unwrap(), [1]);
    assert_eq!(container.to_bytes().map(|_| ()), Ok(()));
}

#[test]
fn a_header_that_claims_too_much_is_refused_before_memory_is_taken() {
    for length in [1u64 << 60, u64::MAX, u64::MAX - 7, 1 << 24, (1 << 24) + 8, 0, 8] {
        let mut bytes = small().to_bytes().unwrap();
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        assert!(Container::from_bytes(&bytes).is_err(), "{length}");
    }
}

#[test]
fn tensors_that_are_not_where_they_belong_are_refused() {
    let max = u64::MAX;
    let huge = 1u64 << 62;
    let cases = [
        (format!(r#""shape":[1],"data_offsets":[0,{max}]"#), "not where"),
        (format!(r#""shape":[1],"data_offsets":[{max},{max}]"#), "not where"),
        (format!(r#""shape":[1],"data_offsets":[{max},3]"#), "not where"),
        (format!(r#""shape":[{huge}],"data_offsets":[0,4]"#), "not where"),
        (format!(r#""shape":[{huge},{huge}],"data_offsets":[0,4]"#), "too large"),
        (format!(r#""shape":[{huge},{huge},0],"data_offsets":[0,0]"#), "too large"),
        (format!(r#""shape":[0,{huge},{huge}],"data_offsets":[0,0]"#), "too large"),
        (format!(r#""shape":[{max}0],"data_offsets":[0,4]"#), "header"),
        (r#""shape":[268435456],"data_offsets":[0,1073741824]"#.to_string(), "cut off"),
        (r#""shape":[-1],"data_offsets":[0,4]"#.to_string(), "header"),
        (r#""shape":[1.0],"data_offsets":[0,4]"#.to_string(), "header"),
        (r#""shape":[1],"data_offsets":[0,4,8]"#.to_string(), "header"),
        (r#""shape":[1],"data_offsets":[0,4],"more":1"#.to_string(), "header"),
        (r#""shape":[1],"shape":[1],"data_offsets":[0,4]"#.to_string(), "header"),
        (r#""shape":[2],"data_offsets":[0,4]"#.to_string(), "not where"),
        (r#""shape":[0],"data_offsets":[0,0]"#.to_string(), "4 bytes follow"),
        (r#""shape":[1]"#.to_string(), "header"),
    ];
    for (rest, expected) in cases {
        let bytes = forged_tensors(&format!(r#","a":{{"dtype":"F32",{rest}}}"#), &[0; 4]);
        let why = reason(Container::from_bytes(&bytes));
        assert!(why.contains(expected), "{rest}: {why}");
    }
}

#[test]
fn gaps_overlaps_duplicates_and_disorder_are_refused() {
    let entry = |name: &str, kind: &str, from: u64, to: u64| {
        let size = if kind == "U8" { 1 } else { 4 };
        let count = (to - from) / size;
        format!(r#","{name}":{{"dtype":"{kind}","shape":[{count}],"data_offsets":[{from},{to}]}}"#)
    };
    let cases = [
        (entry("a", "F32", 0, 4) + &entry("b", "F32", 8, 12), 12, "not where"),
        (entry("a", "F32", 0, 8) + &entry("b", "F32", 4, 8), 8, "not where"),
        (entry("a", "F32", 0, 4) + &entry("a", "F32", 4, 8), 8, "twice"),
        (entry("b", "F32", 0, 4) + &entry("a", "F32", 4, 8), 8, "out of order"),
        (entry("a", "U8", 0, 4) + &entry("b", "F32", 4, 8), 8, "out of order"),
        (entry("a", "F16", 0, 4), 4, "not known"),
        (entry("a", "f32", 0, 4), 4, "not known"),
        (entry("", "F32", 0, 4), 4, "not a name"),
        (entry("a b", "F32", 0, 4), 4, "not a name"),
        (entry("nobody/a", "F32", 0, 4), 4, "not described"),
    ];
    for (tensors, length, expected) in cases {
        let why = reason(Container::from_bytes(&forged_tensors(&tensors, &vec![0; length])));
        assert!(why.contains(expected), "{tensors}: {why}");
    }
}

#[test]
fn a_hostile_name_or_shape_makes_a_short_and_harmless_message() {
    let long = format!("\\u001b[31m{}", "x".repeat(100_000));
    let zeros = vec!["0"; 100_000].join(",");
    for tensors in [
        format!(r#","{long}":{{"dtype":"F32","shape":[1],"data_offsets":[0,0]}}"#),
        format!(r#","a":{{"{long}":1}}"#),
        format!(r#","a":{{"dtype":"F32","shape":[{zeros}],"data_offsets":[0,1]}}"#),
    ] {
        let why = reason(Container::from_bytes(&forged_tensors(&tensors, &[])));
        assert!(why.len() < 2_000 && !why.chars().any(char::is_control), "{why}");
    }
}

#[test]
fn a_foreign_safetensors_file_is_refused_with_a_reason() {
    let tensor = r#""a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#.to_string() + &" ".repeat(64);
    for header in [format!("{{{tensor}}}"), format!(r#"{{"__metadata__":{{"format":"pt"}},{tensor}}}"#)] {
        let why = reason(Container::from_bytes(&forged(&header, &[0; 4])));
        assert!(why.contains("not one that Gristmill wrote"), "{why}");
    }
    let text = "x,y\n".repeat(100);
    assert!(reason(Container::from_bytes(text.as_bytes())).contains("not a model"));
    assert!(reason(Container::from_bytes(&forged(&"\u{feff}[1,2,3]".repeat(20), &[]))).contains("header"));
    let mut bytes = small().to_bytes().unwrap();
    bytes[60] = 0xff;
    assert!(reason(Container::from_bytes(&bytes)).contains("UTF-8"));
}

#[test]
fn more_or_fewer_keys_in_the_metadata_are_refused() {
    let good = description(1, "small", "{}", "1");
    assert!(Container::from_bytes(&forged(&format!("{good}}}"), &[])).is_ok());
    let two = good.replacen(r#""gristmill""#, r#""other":"x","gristmill""#, 1);
    assert!(reason(Container::from_bytes(&forged(&format!("{two}}}"), &[]))).contains("more than the one key"));
    let twice = format!("{good},{}}}", &good[1..]);
    assert!(reason(Container::from_bytes(&forged(&twice, &[]))).contains("twice"));
    let spaced = good.replacen(r#"{"__metadata__""#, r#"{ "__metadata__""#, 1);
    assert!(reason(Container::from_bytes(&forged(&format!("{spaced}}}"), &[]))).contains("laid out"));
    for (from, to) in [
        (r#"\"version\":1"#, r#"\"version\":1,\"date\":2"#),
        (r#",\"version\":1"#, ""),
        (r#"\"version\":1"#, r#"\"version\":-1"#),
        (r#"\"version\":1"#, r#"\"version\":1,\"version\":1"#),
        (r#"\"parameters\":{}"#, r#"\"parameters\":[]"#),
        (r#"\"format\":1"#, r#"\"format\":\"one\""#),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good);
        let why = reason(Container::from_bytes(&forged(&format!("{changed}}}"), &[])));
        assert!(why.contains("metadata"), "{to}: {why}");
    }
    let deep = description(1, "small", &format!(r#"{{"a":{}{}}}"#, "[".repeat(500), "]".repeat(500)), "1");
    assert!(Container::from_bytes(&forged(&format!("{deep}}}"), &[])).is_err());
}

#[test]
fn a_header_that_would_take_a_hundred_times_its_size_in_memory_is_refused() {
    for (part, count) in [(r#"{"":0}"#, 1 << 20), ("0", 1 << 22)] {
        let list = vec![part; count].join(",");
        let header = description(1, "small", &format!(r#"{{"list":[{list}]}}"#), "1") + "}";
        assert!(reason(Container::from_bytes(&forged(&header, &[]))).contains("too many parts"), "{part}");
    }
}

#[test]
fn newer_and_unknown_formats_versions_and_kinds_are_refused() {
    let file = |format, kind, version| forged(&format!("{}}}", description(format, kind, "{}", version)), &[]);
    let why = reason(Container::from_bytes(&file(2, "small", "1")));
    assert!(why.contains("written by a newer Gristmill (format 2); this one reads 1: update"), "{why}");
    assert!(reason(Container::from_bytes(&file(0, "small", "1"))).contains("format 0"));
    assert!(reason(Container::from_bytes(&file(1, "small", "0"))).contains("start at 1"));
    assert!(reason(Container::from_bytes(&file(1, "Small!", "1"))).contains("not the name of a kind"));

    let later = LaterModel(small()).to_bytes().unwrap();
    let why = reason(SmallModel::from_bytes(&later));
    assert!(why.contains("newer Gristmill (small version 2); this one reads up to 1: update"), "{why}");
    assert_eq!(LaterModel::from_bytes(&small().to_bytes().unwrap()).unwrap().0, small());

    let why = reason(OtherModel::from_bytes(&small().to_bytes().unwrap()));
    assert!(why.contains("holds a model of kind small, and one of kind other was asked for"), "{why}");
}
