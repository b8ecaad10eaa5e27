//! Linear classifiers, support vector machines and stochastic gradient descent on the host: numbers of scikit-learn, and
//! what must hold of any fit.

mod discriminant;
mod edges;
mod least_squares;
mod multiclass;
mod perceptron;
mod sgd;
mod svm;

use gristmill::prelude::*;

/// Versicolor and virginica of iris, 100×4.
fn two_of_iris() -> (Matrix, Labels) {
    let iris = datasets::iris().unwrap();
    let rows: Vec<usize> = (50..150).collect();
    let codes = (0..100).map(|row| u32::from(row >= 50)).collect();
    let names = ["versicolor", "virginica"].map(str::to_string).to_vec();
    (iris.x.select(&rows).unwrap(), Labels::from_codes(codes, names).unwrap())
}

fn scaled(x: &Matrix) -> Matrix {
    StandardScaler::default().fit(x).unwrap().transform(x).unwrap()
}

fn assert_near(found: impl IntoIterator<Item = f64>, wanted: &[f64], within: f64) {
    let found: Vec<f64> = found.into_iter().collect();
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= within, "{found} for {wanted}");
    }
}
