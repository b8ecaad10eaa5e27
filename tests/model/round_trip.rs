//! What goes in comes out, and nothing goes in that would not.

use gristmill::model_file::{Container, Persist};
use serde::{Deserialize, Serialize};

use super::forge::{forged_tensors, header_of};
use super::{OtherModel, SETTINGS, Settings, SmallModel, reason, rich, small};

#[test]
fn a_round_trip_keeps_every_bit() {
    let container = rich();
    let bytes = container.to_bytes().unwrap();
    let mut again = Container::from_bytes(&bytes).unwrap();
    assert_eq!(again, container);
    assert_eq!(again.to_bytes().unwrap(), bytes);
    assert_eq!((again.kind(), again.version()), ("rich", 3));
    assert_eq!(again.parameters::<Settings>().unwrap(), SETTINGS);
    assert_eq!(again.take_strings("classes").unwrap(), ["setosa", "", "Ärger", "a\0b"]);
    assert_eq!(again.take_model::<SmallModel>("inner").unwrap(), small());
    let holes = again.take_with_missing::<f32>("h.holes", &[2]).unwrap();
    assert_eq!(holes[0].to_bits(), f32::NAN.to_bits());
    let weights = SmallModel::from_bytes(&small().to_bytes().unwrap()).unwrap().weights;
    assert!(weights.iter().zip(&small().weights).all(|(left, right)| left.to_bits() == right.to_bits()));
}

#[test]
fn the_metadata_is_one_key_with_five_sorted_keys() {
    let bytes = rich().to_bytes().unwrap();
    let header: serde_json::Value = serde_json::from_str(header_of(&bytes)).unwrap();
    let metadata = header["__metadata__"].as_object().unwrap();
    assert_eq!(metadata.keys().collect::<Vec<_>>(), ["gristmill"]);
    let text = metadata["gristmill"].as_str().unwrap();
    let places: Vec<usize> = ["checksum", "format", "kind", "parameters", "version"]
        .map(|key| text.rfind(&format!("\"{key}\":")).unwrap())
        .to_vec();
    assert!(text.starts_with("{\"checksum\":\"") && places.is_sorted(), "{text}");
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(value.as_object().unwrap().len(), 5);
}

#[test]
fn every_tensor_is_aligned_to_its_elements() {
    let bytes = rich().to_bytes().unwrap();
    let header: serde_json::Value = serde_json::from_str(header_of(&bytes)).unwrap();
    for (name, entry) in header.as_object().unwrap().iter().filter(|(name, _)| *name != "__metadata__") {
        let size = match entry["dtype"].as_str().unwrap() {
            "F64" | "U64" => 8,
            "U8" => 1,
            _ => 4,
        };
        let begin = 8 + header_of(&bytes).len() as u64 + entry["data_offsets"][0].as_u64().unwrap();
        assert_eq!(begin % size, 0, "{name}");
    }
}

#[test]
fn equal_models_are_equal_files_in_whatever_order_they_were_filled() {
    let mut forwards = Container::new("rich", 1).unwrap();
    let mut backwards = Container::new("rich", 1).unwrap();
    let names = ["a", "b", "c", "d"];
    for name in names {
        forwards.insert(name, &[2], vec![1.0f32, 2.0]).unwrap();
        forwards.insert(&format!("{name}.wide"), &[1], vec![1u64]).unwrap();
    }
    forwards.insert_model("x", &small()).unwrap();
    forwards.insert_model("y", &OtherModel).unwrap();
    backwards.insert_model("y", &OtherModel).unwrap();
    backwards.insert_model("x", &small()).unwrap();
    for name in names.iter().rev() {
        backwards.insert(&format!("{name}.wide"), &[1], vec![1u64]).unwrap();
        backwards.insert(name, &[2], vec![1.0f32, 2.0]).unwrap();
    }
    assert_eq!(forwards.to_bytes().unwrap(), backwards.to_bytes().unwrap());
}

#[test]
fn the_bytes_of_a_small_model_stay_what_they_are() {
    let mut container = Container::new("mean", 1).unwrap();
    container.insert("mean", &[2], vec![0.5f64, 1.5]).unwrap();
    let bytes = container.to_bytes().unwrap();
    let expected = concat!(
        r#"{"__metadata__":{"gristmill":"{\"checksum\":\"CHECKSUM\",\"format\":1,"#,
        r#"\"kind\":\"mean\",\"parameters\":{},\"version\":1}"},"#,
        r#""mean":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}"#
    );
    let header = header_of(&bytes).trim_end();
    let checksum = header.split("\\\"").nth(3).unwrap();
    assert_eq!(header, expected.replace("CHECKSUM", checksum));
    assert_eq!(checksum, "9e6644bf5c73ce34e22fea1b8a2343b8");
}

#[test]
fn what_a_model_does_not_take_or_does_not_find_is_refused() {
    let mut container = small().to_container().unwrap();
    container.insert("extra", &[1], vec![1u8]).unwrap();
    assert!(reason(SmallModel::from_container(container)).contains("extra has no place"));
    let mut container = small().to_container().unwrap();
    container.insert_model("extra", &OtherModel).unwrap();
    assert!(reason(SmallModel::from_container(container)).contains("extra has no place"));
    let mut container = Container::new("small", 1).unwrap();
    assert!(reason(SmallModel::from_container(container.clone())).contains("tensor weights"));
    container.insert("weights", &[1], vec![1.0f64]).unwrap();
    assert!(reason(container.take::<f32>("weights", &[1])).contains("is F64 [1]; expected F32 [1]"));
    assert!(reason(container.take::<f64>("weights", &[2])).contains("is F64 [1]; expected F64 [2]"));
    assert!(reason(container.shape::<2>("weights")).contains("2 axes"));
    assert!(reason(container.parameters::<Settings>()).contains("parameters"));
    assert!(reason(container.take_model::<OtherModel>("none")).contains("model none"));
}

#[test]
fn missing_and_infinite_values_are_refused_unless_missing_is_allowed() {
    let mut container = Container::new("small", 1).unwrap();
    assert!(reason(container.insert("a", &[2], vec![0.0, f32::NAN])).contains("tensor a: value 1 is NaN"));
    assert!(reason(container.insert("a", &[1], vec![f64::NAN])).contains("NaN"));
    assert!(reason(container.insert("a", &[1], vec![f64::INFINITY])).contains("infinite"));
    assert!(reason(container.insert_with_missing("a", &[1], vec![f32::NEG_INFINITY])).contains("infinite"));
    let mut values = vec![0.0f32; 10_000];
    values[9_999] = f32::NAN;
    container.insert_with_missing("a", &[10_000], values).unwrap();
    let mut again = Container::from_bytes(&container.to_bytes().unwrap()).unwrap();
    assert!(reason(again.take::<f32>("a", &[10_000])).contains("value 9999 is NaN"));
    assert!(again.take_with_missing::<f32>("a", &[10_000]).unwrap()[9_999].is_nan());

    let tensor = r#","weights":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#;
    for (value, expected) in [(f32::NAN, "NaN"), (f32::INFINITY, "infinite"), (f32::NEG_INFINITY, "infinite")] {
        let taken = Container::from_bytes(&forged_tensors(tensor, &value.to_le_bytes()))
            .and_then(|mut container| container.take::<f32>("weights", &[1]));
        assert!(reason(taken).contains(expected));
    }
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let mut container = Container::new("small", 1).unwrap();
    for (rate, depth) in [(f32::NAN, Some(1)), (f32::INFINITY, None)] {
        assert!(container.set_parameters(&Settings { rate, depth, ..SETTINGS }).is_err());
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Hidden {
        tolerance: Option<f64>,
    }
    assert!(reason(container.set_parameters(&Hidden { tolerance: Some(f64::NAN) })).contains("NaN"));
    assert!(container.set_parameters(&Hidden { tolerance: None }).is_ok());
    assert!(reason(container.set_parameters(&vec![1, 2])).contains("named fields"));
    assert!(reason(container.insert("a", &[2, 2], vec![1u8])).contains("do not fill"));
    for name in ["", "a/b", "ä", "a\"", "__metadata__", &"x".repeat(256)] {
        assert!(reason(container.insert(name, &[1], vec![1u8])).contains("not a name"), "{name}");
    }
    container.insert("a", &[1], vec![1u8]).unwrap();
    assert!(reason(container.insert("a", &[1], vec![1u8])).contains("two tensors"));
    assert!(reason(Container::new("Small", 1)).contains("not the name of a kind"));
    let mut nested = Container::new("small", 1).unwrap();
    for _ in 0..200 {
        let mut outer = Container::new("small", 1).unwrap();
        outer.insert_container("inner", nested).unwrap();
        nested = outer;
    }
    assert!(nested.to_bytes().is_err());
    container.insert_strings("long", &["x".repeat(1 << 25)]).unwrap();
    assert!(Container::from_bytes(&container.to_bytes().unwrap()).is_ok());
    container.set_parameters(&std::collections::BTreeMap::from([("text".to_string(), "x".repeat(1 << 25))])).unwrap();
    assert!(reason(container.to_bytes()).contains("header would take"));
}

#[test]
fn texts_that_do_not_fit_their_ends_are_refused() {
    let cases: [(&[u64], &[u8]); 6] = [
        (&[3], b"ab"),
        (&[1], b"ab"),
        (&[2, 1], b"ab"),
        (&[u64::MAX], b"ab"),
        (&[1, 2], "ä".as_bytes()),
        (&[1], b"\xff"),
    ];
    for (ends, text) in cases {
        let mut container = Container::new("small", 1).unwrap();
        container.insert("names.ends", &[ends.len()], ends.to_vec()).unwrap();
        container.insert("names.text", &[text.len()], text.to_vec()).unwrap();
        assert!(reason(container.take_strings("names")).contains("texts in names"), "{ends:?}");
    }
}
