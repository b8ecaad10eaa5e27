//! Logistic regression: published coefficients, scikit-learn's, and what must hold of any fit.

use gristmill::prelude::*;

use crate::support::devices;

/// Spector and Mazzeo (1980): grade point average, test score, programme, improved grade. Greene, *Econometric Analysis*.
const SPECTOR: [[f32; 4]; 32] = [
    [2.66, 20.0, 0.0, 0.0],
    [2.89, 22.0, 0.0, 0.0],
    [3.28, 24.0, 0.0, 0.0],
    [2.92, 12.0, 0.0, 0.0],
    [4.00, 21.0, 0.0, 1.0],
    [2.86, 17.0, 0.0, 0.0],
    [2.76, 17.0, 0.0, 0.0],
    [2.87, 21.0, 0.0, 0.0],
    [3.03, 25.0, 0.0, 0.0],
    [3.92, 29.0, 0.0, 1.0],
    [2.63, 20.0, 0.0, 0.0],
    [3.32, 23.0, 0.0, 0.0],
    [3.57, 23.0, 0.0, 0.0],
    [3.26, 25.0, 0.0, 1.0],
    [3.53, 26.0, 0.0, 0.0],
    [2.74, 19.0, 0.0, 0.0],
    [2.75, 25.0, 0.0, 0.0],
    [2.83, 19.0, 0.0, 0.0],
    [3.12, 23.0, 1.0, 0.0],
    [3.16, 25.0, 1.0, 1.0],
    [2.06, 22.0, 1.0, 0.0],
    [3.62, 28.0, 1.0, 1.0],
    [2.89, 14.0, 1.0, 0.0],
    [3.51, 26.0, 1.0, 0.0],
    [3.54, 24.0, 1.0, 1.0],
    [2.83, 27.0, 1.0, 1.0],
    [3.39, 17.0, 1.0, 1.0],
    [2.67, 24.0, 1.0, 0.0],
    [3.65, 21.0, 1.0, 1.0],
    [4.00, 23.0, 1.0, 1.0],
    [3.10, 21.0, 1.0, 0.0],
    [2.39, 19.0, 1.0, 1.0],
];

fn spector() -> (Matrix, Labels) {
    let rows: Vec<[f32; 3]> = SPECTOR.iter().map(|row| [row[0], row[1], row[2]]).collect();
    let classes = SPECTOR.iter().map(|row| row[3] as u32).collect();
    let names = ["no", "yes"].map(str::to_string).to_vec();
    (Matrix::from_rows(&rows).unwrap(), Labels::from_codes(classes, names).unwrap())
}

fn exact(c: f64) -> LogisticRegression {
    LogisticRegression::default().c(c).tol(1e-10).max_iter(1000)
}

#[test]
fn the_published_coefficients_of_spector_are_found_on_every_device() {
    let (x, y) = spector();
    for (name, device) in devices() {
        let model = exact(1e12).fit(&x.to(device).unwrap(), &y).unwrap();
        assert!(model.converged(), "{name}");
        let wanted = [2.826_112_59, 0.095_157_66, 2.378_687_66];
        for (found, wanted) in model.coef().iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-5, "{name}: {found} for {wanted}");
        }
        assert!((model.intercept()[0] + 13.021_346_86).abs() < 1e-4, "{name}");
    }
}

#[test]
fn three_classes_have_the_coefficients_of_scikit_learn() {
    let iris = datasets::iris().unwrap();
    let model = exact(1.0).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let wanted = [
        [-0.423_509_89, 0.967_350_56, -2.517_152_42, -1.079_336_67],
        [0.534_461_46, -0.321_587_85, -0.206_392_12, -0.944_298_35],
        [-0.110_951_57, -0.645_762_71, 2.723_544_54, 2.023_635_02],
    ];
    for (class, wanted) in wanted.iter().enumerate() {
        for (column, wanted) in wanted.iter().enumerate() {
            assert!((model.coef()[(class, column)] - wanted).abs() < 1e-5, "{class}, {column}");
        }
    }
    assert!((model.intercept()[0] - 9.849_568_08).abs() < 1e-4);
    assert_eq!(model.score(&iris.x, iris.labels().unwrap()).unwrap(), 146.0 / 150.0);
    let (decision, shares) = (model.decision_function(&iris.x).unwrap(), model.predict_proba(&iris.x).unwrap());
    assert_eq!((decision.columns(), shares.columns()), (3, 3));
    let again = LogisticRegressionModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict_proba(&iris.x).unwrap(), shares);
}

#[test]
fn a_weight_counts_as_often_as_a_row_and_the_loss_never_rises() {
    let (x, y) = spector();
    let weights: Vec<f32> = (0..32).map(|row| (row % 3 + 1) as f32).collect();
    let weighted = exact(2.0).fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    let rows: Vec<usize> = (0..32).flat_map(|row| vec![row; row % 3 + 1]).collect();
    let repeated = exact(2.0).fit(&x.select(&rows).unwrap(), &y.select(&rows).unwrap()).unwrap();
    assert!((weighted.coef() - repeated.coef()).amax() < 1e-7);
    let report = AnyModel::new(weighted).report();
    let losses = report.curve("train_loss");
    assert!(losses.len() > 3 && losses.windows(2).all(|pair| pair[1] <= pair[0]));
}

#[test]
fn units_and_offsets_of_columns_do_not_matter_to_an_unpenalised_fit() {
    let (x, y) = spector();
    let shifted = x.as_slice().iter().enumerate().map(|(at, v)| if at % 3 == 0 { 1024.0 * v + 4096.0 } else { *v });
    let shifted = Matrix::from_vec(32, 3, shifted.collect()).unwrap();
    let (plain, moved) = (exact(1e12).fit(&x, &y).unwrap(), exact(1e12).fit(&shifted, &y).unwrap());
    assert!((plain.coef()[(0, 0)] - 1024.0 * moved.coef()[(0, 0)]).abs() < 1e-3);
    assert!((plain.coef()[(0, 1)] - moved.coef()[(0, 1)]).abs() < 1e-5);
}

#[test]
fn separable_classes_end_and_what_cannot_be_learnt_is_refused() {
    let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
    let y = Labels::from_names(&["a", "a", "b", "b"]);
    let model = LogisticRegression::default().c(1e9).max_iter(50).fit(&x, &y).unwrap();
    assert_eq!(model.predict(&x).unwrap(), y);
    let one = Labels::from_names(&["a", "a", "a", "a"]);
    let model = LogisticRegression::default().fit(&x, &one).unwrap();
    assert_eq!((model.predict(&x).unwrap(), model.predict_proba(&x).unwrap().row(0)), (one, &[1.0][..]));
    assert!(LogisticRegression::default().c(0.0).fit(&x, &y).is_err());
    assert!(LogisticRegression::default().fit(&x, &Labels::from_names(&["a", "b"])).is_err());
    let constant = Matrix::from_rows(&[[5.0, 0.0], [5.0, 1.0], [5.0, 2.0], [5.0, 3.0]]).unwrap();
    assert!(LogisticRegression::default().fit(&constant, &y).unwrap().coef()[(0, 0)].abs() < 1e-12);
}
