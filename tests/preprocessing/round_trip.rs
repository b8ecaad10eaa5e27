use std::fmt::Debug;

use gristmill::model_file::Persist;
use gristmill::prelude::*;
use gristmill::preprocessing::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fixtures::{GAPS, SPREAD};
use super::matrix;

/// Saves and loads, compares, and transforms to the same bits; a file with any bit flipped or byte lost is refused.
fn assert_returns<M: Persist + Transform + PartialEq + Debug>(model: &M, x: &Matrix) {
    let bytes = model.to_bytes().unwrap();
    let again = M::from_bytes(&bytes).unwrap();
    assert_eq!(&again, model);
    assert_eq!(again.to_bytes().unwrap(), bytes);
    assert_eq!(again.transform(x).unwrap(), model.transform(x).unwrap());
    for at in 0..bytes.len() {
        assert!(M::from_bytes(&bytes[..at]).is_err(), "{} cut at {at}", M::KIND);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(M::from_bytes(&flipped).is_err(), "{} flipped at {at}", M::KIND);
    }
}

/// Parameters come back from JSON; what is not given has its default.
fn assert_json<P: Serialize + DeserializeOwned + PartialEq + Default + Debug>(params: P, json: &str) {
    assert_eq!(serde_json::from_str::<P>(json).unwrap(), params);
    assert_eq!(serde_json::from_str::<P>(&serde_json::to_string(&params).unwrap()).unwrap(), params);
    assert_eq!(serde_json::from_str::<P>("{}").unwrap(), P::default());
}

#[test]
fn every_model_returns_from_its_file() {
    let x = matrix(2, &SPREAD).with_names(["a", "b"]).unwrap();
    assert_returns(&StandardScaler::default().fit(&x).unwrap(), &x);
    assert_returns(&MinMaxScaler::default().feature_range((-0.1, 0.3)).clip(true).fit(&x).unwrap(), &x);
    assert_returns(&RobustScaler::default().fit(&x).unwrap(), &x);
    assert_returns(&Normalizer::default().norm(Norm::L1).fit(&x).unwrap(), &x);
    assert_returns(&PolynomialFeatures::new(3).fit(&x).unwrap(), &x);
    assert_returns(&SineBasis::new(2).period(0.1).fit(&x).unwrap(), &x);
    assert_returns(&GaussianBasis::new(4).fit(&x).unwrap(), &x);
    let points = GaussianCenters::Points(vec![vec![0.5, 1.0], vec![2.0, 0.1]]);
    assert_returns(&GaussianBasis::default().centers(points).fit(&x).unwrap(), &x);
    assert_returns(&KBinsDiscretizer::new(3).strategy(BinStrategy::KMeans).fit(&x).unwrap(), &x);
}

#[test]
fn encoders_and_imputers_return_with_names_and_gaps() {
    let gaps = matrix(4, &GAPS);
    assert_returns(&SimpleImputer::default().fit(&gaps).unwrap(), &gaps);
    let x = matrix(2, &[0.0, 1.5, 2.0, 2.5]);
    let named = x.clone().with_category_names(0, ["rot", "grün", ""]).unwrap();
    assert_returns(&OneHotEncoder::default().drop(DropCategory::First).fit(&named).unwrap(), &x);
    let labels = LabelEncoder::default().fit(&["b", "a"]).unwrap();
    assert_eq!(LabelEncoderModel::from_bytes(&labels.to_bytes().unwrap()).unwrap(), labels);
}

#[test]
fn a_model_of_another_kind_is_refused() {
    let x = matrix(2, &SPREAD);
    let bytes = StandardScaler::default().fit(&x).unwrap().to_bytes().unwrap();
    assert!(RobustScalerModel::from_bytes(&bytes).unwrap_err().to_string().contains("standard-scaler"));
}

#[test]
fn parameters_have_scikit_learns_names_in_json() {
    assert_json(StandardScaler::default().with_mean(false), r#"{"with_mean": false}"#);
    assert_json(MinMaxScaler::default().feature_range((-1.0, 1.0)), r#"{"feature_range": [-1, 1]}"#);
    assert_json(RobustScaler::default().quantile_range((5.0, 95.0)), r#"{"quantile_range": [5, 95]}"#);
    assert_json(Normalizer::default().norm(Norm::L1), r#"{"norm": "l1"}"#);
    assert_json(OneHotEncoder::default().drop(DropCategory::IfBinary), r#"{"drop": "if_binary"}"#);
    assert_json(
        OneHotEncoder::default().handle_unknown(UnknownCategory::Ignore).columns(["a"]),
        r#"{"handle_unknown": "ignore", "columns": ["a"]}"#,
    );
    assert_json(PolynomialFeatures::new(3).include_bias(false), r#"{"degree": 3, "include_bias": false}"#);
    let bins = KBinsDiscretizer::new(4).encode(BinEncoding::OneHot).strategy(BinStrategy::KMeans);
    assert_json(bins, r#"{"n_bins": 4, "encode": "onehot", "strategy": "kmeans"}"#);
    let imputer = SimpleImputer::default().strategy(ImputeStrategy::MostFrequent).fill_value(2.0);
    assert_json(imputer, r#"{"strategy": "most_frequent", "fill_value": 2}"#);
    assert_json(SineBasis::new(5).cosine(true), r#"{"n_terms": 5, "cosine": true}"#);
    assert_json(GaussianBasis::new(5).width(0.5), r#"{"n_centers": 5, "width": 0.5}"#);
    assert_json(LabelEncoder::default(), "{}");
}
