use gristmill::linear::{Perceptron, PerceptronModel, RowOrder};
use gristmill::prelude::*;

/// Points of a plane on both sides of a line through the origin, none nearer than `margin`.
fn separable(margin: f32) -> (Matrix, Labels) {
    let points = crate::support::matrix(300, 2, 5);
    let along = |row: usize| 0.6 * points.get(row, 0) + 0.8 * points.get(row, 1);
    let rows: Vec<usize> = (0..300).filter(|row| along(*row).abs() > margin).collect();
    let codes = rows.iter().map(|row| u32::from(along(*row) > 0.0)).collect();
    (points.select(&rows).unwrap(), Labels::from_codes(codes, vec!["below".into(), "above".into()]).unwrap())
}

#[test]
fn mistakes_on_separable_rows_are_within_novikoffs_bound_in_any_order() {
    for margin in [0.05, 0.2] {
        let (x, y) = separable(margin);
        let longest = (0..x.rows()).map(|row| x.get(row, 0).powi(2) + x.get(row, 1).powi(2)).fold(0.0, f32::max);
        for order in [RowOrder::Cyclic, RowOrder::Random] {
            let model = Perceptron::default().order(order).fit_intercept(false).fit(&x, &y).unwrap();
            assert!(model.converged() && model.cycle().is_none());
            assert_eq!(model.predict(&x).unwrap(), y);
            assert!(model.mistakes() as f32 <= longest / (margin * margin), "{} mistakes", model.mistakes());
        }
    }
}

#[test]
fn rows_that_no_plane_separates_make_it_cycle_and_it_says_so() {
    let x = Matrix::from_rows(&[[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]).unwrap();
    let y = Labels::from_names(&["same", "same", "other", "other"]);
    let model = Perceptron::default().fit(&x, &y).unwrap();
    assert!(!model.converged() && model.cycle().is_some() && model.iterations() < 100);
    let report = AnyModel::new(model.clone()).report();
    assert!(report.number("cycle").is_some() && report.number("mistakes").unwrap() > 0.0);
    let again = PerceptronModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again, model);
}

#[test]
fn the_average_of_the_planes_is_their_mean_after_each_row() {
    let (x, y) = separable(0.1);
    let model = Perceptron::default().average(true).max_iter(1).fit(&x, &y).unwrap();
    let (mut w, mut b, mut sums) = ([0.0_f64; 2], 0.0, [0.0_f64; 3]);
    for row in 0..x.rows() {
        let point = [f64::from(x.get(row, 0)), f64::from(x.get(row, 1))];
        let side = if y.codes()[row] == 1 { 1.0 } else { -1.0 };
        if side * (w[0] * point[0] + w[1] * point[1] + b) <= 0.0 {
            (w, b) = ([w[0] + side * point[0], w[1] + side * point[1]], b + side);
        }
        sums = [sums[0] + w[0], sums[1] + w[1], sums[2] + b];
    }
    let mean = sums.map(|sum| sum / x.rows() as f64);
    assert!((model.coef()[(0, 0)] - mean[0]).abs() < 1e-9 && (model.intercept()[0] - mean[2]).abs() < 1e-9);
}

#[test]
fn several_classes_have_a_plane_each_and_sparse_rows_the_same() {
    let iris = datasets::iris().unwrap();
    let model = Perceptron::default().max_iter(50).fit(&iris.x, iris.labels().unwrap()).unwrap();
    assert_eq!(model.coef().nrows(), 3);
    let sparse = SparseMatrix::from_dense(&iris.x).unwrap();
    let same = Perceptron::default().max_iter(50).fit(&sparse, iris.labels().unwrap()).unwrap();
    assert!((model.coef() - same.coef()).amax() < 1e-6);
}

#[test]
fn weights_multiply_what_a_row_adds() {
    let x = Matrix::from_rows(&[[1.0, 2.0], [-1.0, -1.0]]).unwrap();
    let y = Labels::from_codes(vec![1, 0], vec!["down".into(), "up".into()]).unwrap();
    let once = Perceptron::default().max_iter(1);
    let plain = once.fit(&x, &y).unwrap();
    let heavy = once.fit_with(&x, &y, Fit::default().sample_weight(&[3.0, 3.0])).unwrap();
    let by_class = gristmill::data::ClassWeight::Given([("down".to_string(), 3.0), ("up".to_string(), 3.0)].into());
    let classes = once.class_weight(by_class).fit(&x, &y).unwrap();
    assert_eq!(heavy.coef(), &(plain.coef() * 3.0));
    assert_eq!(classes.coef(), heavy.coef());
}
