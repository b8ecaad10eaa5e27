//! Any container, any bytes.

use gristmill::model_file::Container;
use proptest::prelude::*;

use super::forge::{description, forged};
use super::{Settings, rich};

/// Name, type and bits of some tensors.
fn tensors() -> impl Strategy<Value = Vec<(String, u8, Vec<u64>)>> {
    let tensor = ("[A-Za-z0-9_.-]{1,12}", 0..6u8, prop::collection::vec(any::<u64>(), 0..9));
    prop::collection::vec(tensor, 0..6)
}

/// Name, type, shape and offsets of a tensor in a forged header.
fn entry() -> impl Strategy<Value = (String, String, Vec<u64>, u64, u64)> {
    let shape = prop::collection::vec(0..3u64, 0..3);
    ("[a-c]{1,2}(/[ab])?", "F32|F64|U8|U64|BF16", shape, 0..20u64, 0..20u64)
}

/// A container of tensors made of any bits but those of infinities.
fn filled(tensors: Vec<(String, u8, Vec<u64>)>) -> Container {
    let mut container = Container::new("any", 1).unwrap();
    let narrow = |bits: &u64| f32::from_bits(*bits as u32);
    let wide = |bits: &u64| f64::from_bits(*bits);
    for (name, element, bits) in tensors {
        let shape = [1, bits.len()];
        // A name that is there already, or that stands for something else, is refused; that is no failure here.
        let _ = match element {
            0 => {
                let values = bits.iter().map(narrow).filter(|value| !value.is_infinite()).collect::<Vec<f32>>();
                container.insert_with_missing(&name, &[values.len()], values)
            }
            1 => {
                let values = bits.iter().map(wide).filter(|value| !value.is_infinite()).collect::<Vec<f64>>();
                container.insert_with_missing(&name, &[values.len(), 1], values)
            }
            2 => container.insert(&name, &shape, bits.iter().map(|bits| *bits as i32).collect::<Vec<i32>>()),
            3 => container.insert(&name, &shape, bits.iter().map(|bits| *bits as u32).collect::<Vec<u32>>()),
            4 => container.insert(&name, &shape, bits),
            _ => container.insert(&name, &shape, bits.iter().map(|bits| *bits as u8).collect::<Vec<u8>>()),
        };
    }
    container
}

proptest! {
    #[test]
    fn any_container_comes_back_as_it_was(outer in tensors(), inner in tensors(), text in ".{0,20}",
        alpha in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        rate in prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO,
        depth in any::<Option<u32>>(), seed in any::<u64>()) {
        let mut container = filled(outer);
        let mut inside = filled(inner);
        inside.set_parameters(&std::collections::BTreeMap::from([(text.clone(), text)])).unwrap();
        container.insert_container("inside", inside).unwrap();
        let settings = Settings { alpha, rate, depth, seed };
        container.set_parameters(&settings).unwrap();
        let bytes = container.to_bytes().unwrap();
        let again = Container::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&again, &container);
        prop_assert_eq!(again.to_bytes().unwrap(), bytes);
        let read = again.parameters::<Settings>().unwrap();
        prop_assert_eq!((read.alpha.to_bits(), read.rate.to_bits()), (alpha.to_bits(), rate.to_bits()));
        prop_assert_eq!(read, settings);
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Container::from_bytes(&bytes).is_err());
    }

    #[test]
    fn any_forged_header_is_read_or_refused_without_a_panic(
        tensors in prop::collection::vec(entry(), 0..4),
        parameters in r#"\{\}|\{"models":\{("a":\{"kind":"k","parameters":\{\},"version":[01]\})?\}\}|\{"models":1\}"#,
        data in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut header = description(1, "small", &parameters, "1");
        for (name, kind, shape, from, to) in tensors {
            header += &format!(r#","{name}":{{"dtype":"{kind}","shape":{shape:?},"data_offsets":[{from},{to}]}}"#);
        }
        let bytes = forged(&(header + "}"), &data);
        if let Ok(container) = Container::from_bytes(&bytes) {
            prop_assert_eq!(container.to_bytes().map(|again| again.len() > 8), Ok(true));
        }
    }

    #[test]
    fn any_change_of_a_few_bytes_is_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255u8), 1..5)) {
        let good = rich().to_bytes().unwrap();
        let mut bytes = good.clone();
        for (place, change) in changes {
            let at = place.index(bytes.len());
            bytes[at] ^= change;
        }
        prop_assume!(bytes != good);
        prop_assert!(Container::from_bytes(&bytes).is_err());
    }
}
