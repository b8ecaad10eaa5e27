//! Whatever is in a model file whose checksum is right: it is refused, or loads and can be used.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gristmill::AnyModel;
use gristmill::prelude::*;

use super::mutator::{Choices, files, mutated, use_all};
use super::reason;

/// Mutated files of each kind.
const EACH: u32 = 150;

/// A xorshift generator: the same choices in each run.
struct Seeded(u64);

impl Choices for Seeded {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }
}

#[test]
fn altered_files_of_every_kind_are_refused_or_load_soundly() {
    let (mut loaded, mut panicked) = (0, vec![]);
    for (number, (name, bytes)) in files().into_iter().enumerate() {
        for turn in 0..EACH {
            let seed = (number as u64) << 32 | u64::from(turn) | 1 << 63;
            let file = mutated(&bytes, &mut Seeded(seed));
            let run = catch_unwind(AssertUnwindSafe(|| AnyModel::from_bytes(&file).map(use_all).is_ok()));
            match run {
                Ok(sound) => loaded += u32::from(sound),
                Err(_) => panicked.push(format!("{name}, seed {seed:#x}")),
            }
        }
    }
    assert!(panicked.is_empty(), "{} panics: {:?}", panicked.len(), &panicked[..panicked.len().min(20)]);
    assert!(loaded > 1000, "{loaded} loaded: too few to learn from");
}

#[test]
fn a_number_of_columns_that_the_file_does_not_bear_out_is_refused() {
    let iris = datasets::iris().unwrap();
    let model = DecisionTreeClassifier::default().fit(&iris.x, iris.labels().unwrap()).unwrap();
    let text = String::from_utf8_lossy(super::forge::header_of(&model.to_bytes().unwrap()).as_bytes()).to_string();
    assert!(text.contains(r#"\"columns\":4"#), "{text}");
    let bytes = model.to_bytes().unwrap();
    let header = super::forge::header_of(&bytes);
    let data = &bytes[8 + header.len()..];
    let file = super::forge::forged(&header.replace(r#"\"columns\":4"#, r#"\"columns\":4000000000"#), data);
    let refused = reason(AnyModel::from_bytes(&file));
    assert!(refused.contains("4000000000 columns"), "{refused}");
}

#[test]
fn a_wide_model_without_names_bears_out_its_columns() {
    let x = Matrix::zeros(2, 70_000).unwrap();
    let model = DecisionTreeRegressor::default().fit(&x, &[0.0, 1.0]).unwrap();
    let again = DecisionTreeRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.feature_importances().len(), 70_000);
}

#[test]
fn a_deep_nest_of_pipelines_is_refused() {
    let iris = datasets::iris().unwrap();
    let nested = |depth: usize| {
        let mut pipeline = Pipeline::new(KNeighborsClassifier::new(3));
        for _ in 1..depth {
            pipeline = Pipeline::new(pipeline);
        }
        pipeline.fit(&iris).unwrap().to_bytes()
    };
    assert!(PipelineModel::from_bytes(&nested(10).unwrap()).is_ok());
    let refused = nested(20).and_then(|bytes| PipelineModel::from_bytes(&bytes));
    assert!(reason(refused).contains("inside one another"));
}
