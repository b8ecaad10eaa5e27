use gristmill::Error;
use gristmill::prelude::*;
use gristmill::preprocessing::*;

use super::matrix;

const CODES: [f64; 10] = [0.0, 2.0, 1.0, 0.0, 2.0, 2.0, 1.0, 5.0, 0.0, 2.0];

#[test]
fn every_category_that_occurs_gets_a_column() {
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
fn a_dropped_category_is_told_by_the_others() {
    let x = matrix(2, &[0.0, 2.0, 1.0, 0.0, 2.0, 2.0, 1.0, 0.0]);
    let first = OneHotEncoder::default().drop(DropCategory::First).fit(&x).unwrap();
    let z = first.transform(&x).unwrap();
    assert_eq!(z.as_slice(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(first.inverse_transform(&z).unwrap(), x);
    let binary = OneHotEncoder::default().drop(DropCategory::IfBinary).fit(&x).unwrap();
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
fn named_categories_get_their_columns_whether_they_occur_or_not() {
    let x = matrix(2, &[2.0, 7.5, 0.0, 8.5]).with_names(["colour", "weight"]).unwrap();
    let x = x.with_category_names(0, ["red", "green", "blue"]).unwrap();
    let model = OneHotEncoder::default().fit(&x).unwrap();
    assert_eq!(OneHotEncoder::default().columns(["colour"]).fit(&x).unwrap().categories(), model.categories());
    let z = model.transform(&x).unwrap();
    assert_eq!(z.names().unwrap(), ["colour_red", "colour_green", "colour_blue", "weight"]);
    assert_eq!(z.as_slice(), [0.0, 0.0, 1.0, 7.5, 1.0, 0.0, 0.0, 8.5]);
    assert_eq!(model.categories()[0].unwrap(), ["red", "green", "blue"]);
    let mut beyond = x.clone();
    beyond.as_mut_slice()[0] = 3.0;
    assert!(matches!(OneHotEncoder::default().fit(&beyond), Err(Error::Category { row: 0, .. })));
    let empty = matrix(1, &[f64::NAN]).with_category_names(0, Vec::<String>::new()).unwrap();
    assert!(OneHotEncoder::default().fit(&empty).is_err());
}

#[test]
fn a_categorical_column_that_is_not_encoded_stays_one() {
    let x = matrix(3, &[1.0, 7.5, 0.0, 0.0, 8.5, 1.0]).with_names(["colour", "weight", "size"]).unwrap();
    let x = x.with_category_names(0, ["red", "green"]).unwrap().with_category_names(2, ["s", "m"]).unwrap();
    let z = OneHotEncoder::default().columns(["colour"]).fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!(z.names().unwrap(), ["colour_red", "colour_green", "weight", "size"]);
    assert_eq!((z.categorical_columns(), z.categories(3).unwrap().join(" ")), (vec![3], "s m".to_string()));
    let all = OneHotEncoder::default().fit(&x).unwrap().transform(&x).unwrap();
    assert!(all.columns() == 5 && all.categorical_columns().is_empty());
}

#[test]
fn an_unknown_category_is_an_error_with_its_place_or_zeros() {
    let x = matrix(2, &CODES);
    let new = matrix(2, &[0.0, 0.0, 1.0, 7.0]);
    let error = OneHotEncoder::default().fit(&x).unwrap().transform(&new).unwrap_err();
    let known = ["0", "2", "5"].map(String::from).to_vec();
    assert_eq!(error, Error::Category { row: 1, column: "1".to_string(), value: "7".to_string(), known });
    assert!(
        error
            .to_string()
            .starts_with("row 1, column \"1\": \"7\" is no category that was fitted (\"0\", \"2\", \"5\")")
    );
    let lenient = OneHotEncoder::default().handle_unknown(UnknownCategory::Ignore).fit(&x).unwrap();
    let z = lenient.transform(&new).unwrap();
    assert_eq!(z.row(1), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(lenient.inverse_transform(&z).unwrap().get(1, 1).is_nan());
    let missing = matrix(2, &[0.0, f64::NAN]);
    assert_eq!(lenient.transform(&missing).unwrap().row(0), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_first_unknown_category_is_the_one_reported() {
    let rows = 100_000;
    let x = Matrix::from_vec(rows, 1, (0..rows).map(|row| (row % 3) as f32).collect()).unwrap();
    let model = OneHotEncoder::default().fit(&x).unwrap();
    let mut new = x.clone();
    [40_000, 70_000, 99_999].iter().for_each(|row| new.as_mut_slice()[*row] = 4.0);
    for _ in 0..10 {
        assert!(
            model.transform(&new).unwrap_err().to_string().starts_with("row 40000, column \"0\": \"4\" is no category")
        );
    }
}

#[test]
fn zero_is_one_category_whatever_its_sign() {
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
