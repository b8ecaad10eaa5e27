//! Matrices as text and as columns; errors as their messages.

use gristmill::Error;
use gristmill::prelude::*;

#[test]
fn a_matrix_is_shown_with_names_categories_and_cuts() {
    let x = Matrix::from_rows(&[[1.0, 0.5], [0.0, f32::NAN]]).unwrap().with_names(["colour", "size"]).unwrap();
    let x = x.with_category_names(0, ["red", "green"]).unwrap();
    assert_eq!(x.to_string(), "colour  size\n green   0.5\n   red   NaN\n2 rows × 2 columns");
    assert_eq!(format!("{x:?}"), "2×2 [[1.0, 0.5], [0.0, NaN]]");
    let large = Matrix::zeros(1000, 50).unwrap();
    assert_eq!(large.to_string().lines().count(), 12);
    assert!(format!("{large:?}").len() < 1000);
    assert_eq!(Matrix::zeros(0, 0).unwrap().to_string(), "0 rows × 0 columns");
    assert_eq!(x.column(0), [1.0, 0.0]);
}

#[test]
fn what_main_prints_of_an_error_is_its_message() {
    let error = Matrix::from_vec(2, 2, vec![1.0]).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn too_few_targets_are_reported_as_such() {
    let x = Matrix::zeros(3, 2).unwrap();
    let said = [
        Ridge::new(1.0).fit(&x, &[1.0, 2.0]).unwrap_err(),
        KNeighborsClassifier::new(1).fit(&x, &Labels::from_names(&["a", "b"])).unwrap_err(),
        RandomForestRegressor::default().fit(&x, &[1.0, 2.0]).unwrap_err(),
    ];
    for error in said {
        let Error::Shape { expected, got, .. } = error else { panic!("{error}") };
        assert_eq!((expected.as_str(), got.as_str()), ("a target for each of the 3 rows of x", "2 targets"));
    }
}

#[test]
fn a_prediction_is_asked_for_its_kind() {
    let clusters = Prediction::Clusters(vec![1, 0]);
    assert_eq!(clusters.clusters().unwrap(), [1, 0]);
    assert!(clusters.classes().is_err() && clusters.numbers().is_err() && clusters.outliers().is_err());
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_and_views_of_ndarray_become_matrices() {
    use ndarray::{Array1, array};
    let rows = array![[1.0_f64, 2.0], [3.0, 4.0]];
    assert_eq!(Matrix::try_from(rows.view().t()).unwrap().row(0), [1.0, 3.0]);
    assert_eq!(Matrix::try_from(rows.mapv(|value| value as f32).view()).unwrap().row(1), [3.0, 4.0]);
    let y = Matrix::try_from(&Array1::from(vec![1.0_f32, 2.0])).unwrap();
    assert_eq!((y.rows(), y.columns()), (2, 1));
    assert!(Matrix::try_from(&array![[1e300_f64]]).is_err());
}
