//! Parameters that trees and forests share.

use gristmill::prelude::*;
use gristmill::tree::{ClassWeight, MaxFeatures};

#[test]
fn the_number_of_features_is_that_of_scikit_learn() {
    let of = |max_features: MaxFeatures, columns| max_features.of(columns).unwrap();
    assert_eq!((of(MaxFeatures::Sqrt, 28), of(MaxFeatures::Log2, 28), of(MaxFeatures::All, 28)), (5, 4, 28));
    assert_eq!((of(MaxFeatures::Sqrt, 1), of(MaxFeatures::Log2, 1), of(MaxFeatures::Share(0.3), 10)), (1, 1, 3));
    assert_eq!(of(MaxFeatures::Share(0.01), 10), 1);
    for wrong in [MaxFeatures::Count(0), MaxFeatures::Count(11), MaxFeatures::Share(0.0), MaxFeatures::Share(1.5)] {
        assert!(matches!(wrong.of(10), Err(Error::Param { name: "max_features", .. })), "{wrong:?}");
    }
}

#[test]
fn balanced_classes_weigh_alike() {
    let y = Labels::from_codes(vec![0, 0, 0, 2], vec!["a".into(), "b".into(), "c".into()]).unwrap();
    let weights = ClassWeight::Balanced.row_weights(&y, None).unwrap().unwrap();
    assert_eq!(weights, [4.0 / 6.0, 4.0 / 6.0, 4.0 / 6.0, 2.0]);
    let given = |pairs: &[(&str, f64)]| {
        ClassWeight::Given(pairs.iter().map(|(name, weight)| (name.to_string(), *weight)).collect())
    };
    let weights = given(&[("c", 5.0)]).row_weights(&y, Some(&[1.0, 2.0, 0.0, 3.0])).unwrap().unwrap();
    assert_eq!(weights, [1.0, 2.0, 0.0, 15.0]);
    assert!(given(&[("d", 1.0)]).row_weights(&y, None).is_err());
    assert!(given(&[("a", f64::NAN)]).row_weights(&y, None).is_err());
    assert!(given(&[("a", 0.0), ("c", 0.0)]).row_weights(&y, None).is_err());
    assert_eq!(ClassWeight::Uniform.row_weights(&y, None).unwrap(), None);
}
