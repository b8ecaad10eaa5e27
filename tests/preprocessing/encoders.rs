use gristmill::prelude::*;
use gristmill::preprocessing::*;

use super::matrix;

const CODES: [f64; 10] = [0.0, 2.0, 1.0, 0.0, 2.0, 2.0, 1.0, 5.0, 0.0, 2.0];

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

#[test]
fn every_level_that_occurs_gets_a_column() {
    let x = matrix(2, &CODES);
    let model = OneHotEncoder::default().fit(&x).unwrap();
    let z = model.transform(&x).unwrap();
    let expected = [
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    ];
    assert_eq!(z.as_slice(), expected.as_flattened());
    assert_eq!(model.names(None), ["x0_0", "x0_1", "x0_2", "x1_0", "x1_2", "x1_5"]);
    assert_eq!(model.inverse_transform(&z).unwrap(), x);
}

#[test]
fn a_dropped_level_is_told_by_the_others() {
    let x = matrix(2, &[0.0, 2.0, 1.0, 0.0, 2.0, 2.0, 1.0, 0.0]);
    let first = OneHotEncoder::default().drop(DropLevel::First).fit(&x).unwrap();
    let z = first.transform(&x).unwrap();
    assert_eq!(z.as_slice(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(first.inverse_transform(&z).unwrap(), x);
    let binary = OneHotEncoder::default().drop(DropLevel::IfBinary).fit(&x).unwrap();
    assert_eq!(binary.names(None), ["x0_0", "x0_1", "x0_2", "x1_2"]);
    let z = binary.transform(&x).unwrap();
    assert_eq!(z.row(0), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(binary.inverse_transform(&z).unwrap(), x);
}

#[test]
fn columns_that_are_not_named_pass_through_with_their_missing_values() {
    let x = matrix(3, &[0.5, 3.0, f64::NAN, 1.5, 4.0, 9.0]).with_names(["weight", "colour", "size"]).unwrap();
    let model = OneHotEncoder::default().columns(["colour"]).fit(&x).unwrap();
    let z = model.transform(&x).unwrap();
    assert_eq!(z.names().unwrap(), ["weight", "colour_3", "colour_4", "size"]);
    assert_eq!(z.row(1), [1.5, 0.0, 1.0, 9.0]);
    assert!(z.get(0, 3).is_nan());
    assert_eq!(model.inverse_transform(&z).unwrap().as_slice()[..2], [0.5, 3.0]);
    let by_number = OneHotEncoder::default().columns(["1"]).fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!(by_number, z);
    let unknown = OneHotEncoder::default().columns(["color"]).fit(&x);
    assert!(matches!(unknown, Err(Error::Param { name: "columns", .. })));
}

#[test]
fn named_levels_get_their_columns_whether_they_occur_or_not() {
    let x = matrix(2, &[2.0, 7.5, 0.0, 8.5]).with_names(["colour", "weight"]).unwrap();
    let levels = [Some(strings(&["red", "green", "blue"])), None];
    let model = OneHotEncoder::default().fit_levels(&x, &levels).unwrap();
    let z = model.transform(&x).unwrap();
    assert_eq!(z.names().unwrap(), ["colour_red", "colour_green", "colour_blue", "weight"]);
    assert_eq!(z.as_slice(), [0.0, 0.0, 1.0, 7.5, 1.0, 0.0, 0.0, 8.5]);
    assert_eq!(model.levels()[0].unwrap(), ["red", "green", "blue"]);
    let beyond = matrix(2, &[3.0, 0.0]);
    assert!(matches!(OneHotEncoder::default().fit_levels(&beyond, &levels), Err(Error::Param { name: "level", .. })));
    assert!(matches!(OneHotEncoder::default().fit_levels(&x, &levels[..1]), Err(Error::Shape { .. })));
}

#[test]
fn an_unknown_level_is_an_error_with_its_place_or_zeros() {
    let x = matrix(2, &CODES);
    let new = matrix(2, &[0.0, 0.0, 1.0, 7.0]);
    let error = OneHotEncoder::default().fit(&x).unwrap().transform(&new).unwrap_err();
    assert_eq!(error.to_string(), "level must be one of the 3 that were fitted (0, 2, 5), got 7 in row 1, column 1");
    let lenient = OneHotEncoder::default().handle_unknown(UnknownLevel::Ignore).fit(&x).unwrap();
    let z = lenient.transform(&new).unwrap();
    assert_eq!(z.row(1), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(lenient.inverse_transform(&z).unwrap().get(1, 1).is_nan());
    let missing = matrix(2, &[0.0, f64::NAN]);
    assert_eq!(lenient.transform(&missing).unwrap().row(0), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_first_unknown_level_is_the_one_reported() {
    let rows = 100_000;
    let x = Matrix::from_vec(rows, 1, (0..rows).map(|row| (row % 3) as f32).collect()).unwrap();
    let model = OneHotEncoder::default().fit(&x).unwrap();
    let mut new = x.clone();
    [40_000, 70_000, 99_999].iter().for_each(|row| new.as_mut_slice()[*row] = 4.0);
    for _ in 0..10 {
        assert!(model.transform(&new).unwrap_err().to_string().ends_with("row 40000, column 0"));
    }
}

#[test]
fn zero_is_one_level_whatever_its_sign() {
    let x = Matrix::from_vec(3, 1, vec![0.0, -0.0, 1.5]).unwrap();
    let model = OneHotEncoder::default().fit(&x).unwrap();
    assert_eq!(model.transform(&x).unwrap().as_slice(), [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn labels_keep_the_codes_that_were_fitted() {
    let model = LabelEncoder::default().fit(&["no", "yes", "maybe"]).unwrap();
    assert_eq!(model.classes(), ["maybe", "no", "yes"]);
    assert_eq!(model.transform(&["yes", "no"]).unwrap().codes(), [2, 1]);
    assert_eq!(model.inverse_transform(&[2, 0]).unwrap(), ["yes", "maybe"]);
    let other = Labels::from_names(&["yes", "yes"]);
    assert_eq!((other.codes(), model.recode(&other).unwrap().codes()), (&[0, 0][..], &[2, 2][..]));
    assert_eq!(model.recode(&other).unwrap(), other);
    let error = model.transform(&["yes", "perhaps"]).unwrap_err();
    assert_eq!(error.to_string(), "class must be one of maybe, no, yes, got \"perhaps\" in row 1");
    assert!(model.recode(&Labels::from_names(&["perhaps"])).is_err());
    assert!(model.inverse_transform(&[3]).is_err());
    assert!(LabelEncoder::default().fit::<&str>(&[]).is_err());
}
