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
            assert!((found - wanted).abs() < 1e-6, "{name}: {found} for {wanted}");
        }
        assert!((model.intercept()[0] + 13.021_346_86).abs() < 1e-5, "{name}");
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

#[test]
fn the_published_standard_errors_of_spector_are_found() {
    let (x, y) = spector();
    let model = exact(1e12).standard_errors(true).fit(&x, &y).unwrap();
    let wanted = [1.262_941, 0.141_554, 1.064_564, 4.931_324];
    for (found, wanted) in model.standard_errors().unwrap().iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-4, "{found} for {wanted}");
    }
    assert!(AnyModel::new(model).report().array("standard_errors").is_some());
    let iris = datasets::iris().unwrap();
    let refused = LogisticRegression::default().standard_errors(true).fit(&iris.x, iris.labels().unwrap());
    assert!(matches!(refused, Err(Error::Param { .. })));
}

/// Versicolor and virginica.
fn two_of_iris() -> (Matrix, Labels) {
    let iris = datasets::iris().unwrap();
    let rows: Vec<usize> = (50..150).collect();
    let codes = (0..100).map(|row| u32::from(row >= 50)).collect();
    let names = ["versicolor", "virginica"].map(str::to_string).to_vec();
    (iris.x.select(&rows).unwrap(), Labels::from_codes(codes, names).unwrap())
}

fn assert_plane(model: &LogisticRegressionModel, coef: [f64; 4], intercept: f64) {
    for (found, wanted) in model.coef().iter().zip(coef) {
        assert!((found - wanted).abs() < 1e-5, "{found} for {wanted}");
        assert_eq!(*found == 0.0, wanted == 0.0);
    }
    assert!((model.intercept()[0] - intercept).abs() < 1e-4, "{}", model.intercept()[0]);
}

#[test]
fn l1_and_elastic_net_have_the_coefficients_of_scikit_learn_with_exact_zeros() {
    let (x, y) = two_of_iris();
    let lasso = exact(0.5).l1_ratio(1.0).fit(&x, &y).unwrap();
    assert!(lasso.converged());
    assert_plane(&lasso, [0.0, 0.0, 3.297_939_66, 2.469_764_22], -20.216_523_87);
    let net = exact(0.5).l1_ratio(0.4).fit(&x, &y).unwrap();
    assert_plane(&net, [-0.031_207_21, -0.048_413_85, 2.494_967_82, 1.904_169_7], -15.041_738_43);
    let iris = datasets::iris().unwrap();
    let several = exact(0.5).l1_ratio(1.0).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let wanted = [[0.0, 0.0, -3.239_202_74, 0.0], [0.0; 4], [0.0, 0.0, 3.291_819_36, 2.469_311_11]];
    for (class, wanted) in wanted.iter().enumerate() {
        for (column, wanted) in wanted.iter().enumerate() {
            assert!((several.coef()[(class, column)] - wanted).abs() < 1e-5, "{class}, {column}");
        }
    }
}

#[test]
fn class_weights_and_a_missing_intercept_are_those_of_scikit_learn() {
    let (x, y) = two_of_iris();
    let given = [("versicolor".to_string(), 1.0), ("virginica".to_string(), 3.0)].into_iter().collect();
    let weighted = exact(1.0).class_weight(gristmill::data::ClassWeight::Given(given)).fit(&x, &y).unwrap();
    assert_plane(&weighted, [-0.713_310_77, -0.778_453_34, 3.495_333_56, 2.998_543_57], -14.639_971_9);
    let through_zero = exact(1.0).fit_intercept(false).fit(&x, &y).unwrap();
    assert_plane(&through_zero, [-1.863_341_07, -1.646_020_6, 2.477_246_79, 2.593_142_76], 0.0);
}

#[test]
fn sparse_rows_give_what_dense_ones_give_and_stay_on_the_host() {
    let (x, y) = two_of_iris();
    let sparse = SparseMatrix::from_dense(&x).unwrap();
    for estimator in [exact(1.0), exact(0.5).l1_ratio(0.7)] {
        let (dense, sparse_model) = (estimator.fit(&x, &y).unwrap(), estimator.fit(&sparse, &y).unwrap());
        assert!((dense.coef() - sparse_model.coef()).amax() < 1e-7);
        assert_eq!(sparse_model.predict(&sparse).unwrap(), dense.predict(&x).unwrap());
    }
}

/// Rows with a class drawn by the log-odds of a plane.
fn drawn(rows: usize, columns: usize) -> (Matrix, Labels) {
    let x = crate::support::matrix(rows, columns, 3);
    let noise = crate::support::numbers(rows, 4);
    let code = |row: usize| {
        let margin: f32 = x.row(row).iter().enumerate().map(|(at, value)| value * (at as f32 - 1.5)).sum();
        u32::from(1.0 / (1.0 + (-margin).exp()) > 0.5 * (noise[row] + 1.0))
    };
    let codes = (0..rows).map(code).collect();
    (x.clone(), Labels::from_codes(codes, vec!["no".into(), "yes".into()]).unwrap())
}

#[test]
fn many_rows_begin_with_a_sample_and_end_where_exact_sums_do() {
    let (x, y) = drawn(50_000, 4);
    let exact = LogisticRegression::default().tol(1e-9).fit(&x, &y).unwrap();
    for (name, device) in devices() {
        let fast = LogisticRegression::default().tol(1e-5).fit(&x.to(device).unwrap(), &y).unwrap();
        assert!(fast.converged() && fast.iterations() <= 5, "{name}: {}", fast.iterations());
        assert!((fast.coef() - exact.coef()).amax() < 1e-4, "{name}");
    }
}

#[test]
fn very_many_columns_take_l_bfgs_and_end_at_the_same_optimum() {
    let (rows, columns) = (300, 1100);
    let (x, y) = drawn(rows, columns);
    for l1_ratio in [0.0, 1.0] {
        let model =
            LogisticRegression::default().c(0.1).l1_ratio(l1_ratio).tol(1e-7).max_iter(2000).fit(&x, &y).unwrap();
        assert!(model.converged(), "{l1_ratio}");
        // The slope of the loss is within the penalty's, and equal to it where a coefficient is not 0.
        let shares = model.predict_proba(&x).unwrap();
        for column in 0..columns {
            let slope: f64 = (0..rows)
                .map(|row| {
                    let residual = f64::from(shares.get(row, 1)) - f64::from(y.codes()[row]);
                    residual * f64::from(x.get(row, column))
                })
                .sum();
            let coef = model.coef()[(0, column)];
            let slope = slope + (1.0 - l1_ratio) * coef / 0.1;
            let bound = l1_ratio / 0.1;
            assert!(slope.abs() <= bound + 2e-3, "{column}: {slope}");
            assert!(coef == 0.0 || (slope + bound * coef.signum()).abs() < 2e-3, "{column}: {slope}, {coef}");
        }
    }
}

/// Columns that go together, with a class by the largest of three planes.
fn three_of_many(rows: usize, columns: usize) -> (Matrix, Labels) {
    let noise = crate::support::matrix(rows, columns, 31);
    let mut values = noise.as_slice().to_vec();
    for row in values.chunks_exact_mut(columns) {
        (1..columns).for_each(|at| row[at] = 0.9 * row[at - 1] + 0.4 * row[at]);
    }
    let x = Matrix::from_vec(rows, columns, values).unwrap();
    let planes = crate::support::matrix(3, columns, 32);
    let code = |row: usize| {
        let margin = |plane: usize| x.row(row).iter().zip(planes.row(plane)).map(|(x, w)| x * w).sum::<f32>();
        (0..3).fold(0, |best, plane| if margin(plane) > margin(best) { plane } else { best }) as u32
    };
    let codes = (0..rows).map(code).collect();
    (x.clone(), Labels::from_codes(codes, vec!["a".into(), "b".into(), "c".into()]).unwrap())
}

#[test]
fn softmax_of_columns_that_go_together_ends_where_exact_sums_do_and_waits_once_a_step() {
    let (x, y) = three_of_many(1500, 200);
    let wanted = LogisticRegression::default().c(0.05).tol(1e-7).max_iter(1000).fit(&x, &y).unwrap();
    assert!(wanted.converged());
    for (name, device) in crate::support::devices() {
        let of_device = x.to(device).unwrap();
        let model = LogisticRegression::default().c(0.05).fit(&of_device, &y).unwrap();
        assert!(model.converged() && model.iterations() <= 40, "{name}: {}", model.iterations());
        assert!((model.coef() - wanted.coef()).amax() < 0.02 * wanted.coef().amax(), "{name}");
    }
    let device = crate::support::gpu_with(DeviceOptions::default());
    let of_device = x.to(&device).unwrap();
    let back = |steps: usize| {
        device.profile(true);
        LogisticRegression::default().tol(1e-5).max_iter(steps).fit(&of_device, &y).unwrap();
        let report = device.profile_report();
        (report.readbacks, report.readback_bytes)
    };
    // A few steps need a second look along their line. What comes back is the products of 26 vectors, none of them itself.
    let (few, more) = (back(5), back(15));
    assert!(more.0 - few.0 <= 10 + 3, "{few:?} and {more:?}");
    assert!(more.1 - few.1 <= (10 + 3) * 4 * 26 * 28, "{few:?} and {more:?}");
}

#[test]
fn columns_too_many_to_whiten_and_far_from_0_end_where_exact_sums_do_on_every_device() {
    let (x, y) = three_of_many(300, 500);
    let shifted = x.as_slice().iter().map(|value| value + 3.0).collect();
    let x = Matrix::from_vec(300, 500, shifted).unwrap();
    let wanted = LogisticRegression::default().c(0.05).tol(1e-7).max_iter(1000).fit(&x, &y).unwrap();
    assert!(wanted.converged());
    for (name, device) in crate::support::devices() {
        let model = LogisticRegression::default().c(0.05).fit(&x.to(device).unwrap(), &y).unwrap();
        assert!(model.converged() && model.iterations() <= 90, "{name}: {}", model.iterations());
        assert!((model.coef() - wanted.coef()).amax() < 0.02 * wanted.coef().amax(), "{name}");
    }
}

#[test]
fn random_predictions_have_the_frequencies_of_the_probabilities() {
    let (x, y) = spector();
    let model = exact(1.0).fit(&x, &y).unwrap();
    let share = f64::from(model.predict_proba(&x).unwrap().get(9, 1));
    let one = x.select(&vec![9; 4000]).unwrap();
    let drawn = model.predict_random(&one, 7).unwrap();
    let found = drawn.counts()[1] as f64 / 4000.0;
    assert!((found - share).abs() < 4.0 * (share * (1.0 - share) / 4000.0).sqrt(), "{found} for {share}");
    assert_eq!(drawn, model.predict_random(&one, 7).unwrap());
    let distance = model.decision_distance(&x).unwrap();
    let margin = model.decision_function(&x).unwrap();
    assert!((f64::from(distance.get(3, 0)) * model.coef().norm() - f64::from(margin.get(3, 0))).abs() < 1e-5);
}

#[test]
fn columns_of_large_numbers_and_units_are_fitted_in_f64() {
    let (x, y) = drawn(40_000, 4);
    let far = x.as_slice().iter().enumerate().map(|(at, v)| if at % 4 == 0 { 1e8 + 1e6 * v } else { *v });
    let far = Matrix::from_vec(40_000, 4, far.collect()).unwrap();
    let (near, far) =
        (LogisticRegression::default().c(1e6), LogisticRegression::default().c(1e6).fit(&far, &y).unwrap());
    let near = near.fit(&x, &y).unwrap();
    assert!(far.converged());
    assert!((far.coef()[(0, 0)] * 1e6 - near.coef()[(0, 0)]).abs() < 1e-3, "{}", far.coef()[(0, 0)] * 1e6);
}
