//! Linear regression and ridge of sparse rows, against the same rows dense.

use gristmill::estimator::Flow;
use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::random;
use crate::cpu::numbers;

/// Targets that depend on the rows, with noise; n×p.
fn targets(x: &SparseMatrix, outputs: usize, seed: u64) -> Matrix {
    let (coef, noise) = (numbers(x.columns() * outputs, seed), numbers(x.rows() * outputs, seed + 1));
    let value = |row: usize, output: usize| {
        let (columns, values) = x.row(row);
        let terms = columns.iter().zip(values).map(|(column, value)| value * coef[*column as usize * outputs + output]);
        terms.sum::<f32>() + 2.0 + 0.1 * noise[row * outputs + output]
    };
    let values = (0..x.rows() * outputs).map(|at| value(at / outputs, at % outputs)).collect();
    Matrix::from_vec(x.rows(), outputs, values).unwrap()
}

/// The largest difference, against the largest entry.
fn off(got: &DMatrix<f64>, want: &DMatrix<f64>) -> f64 {
    (got - want).amax() / want.amax().max(1e-300)
}

#[track_caller]
fn same(x: &SparseMatrix, y: &Matrix, weights: Option<&[f32]>, alpha: f64, intercept: bool) {
    let options = || weights.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
    let ridge = Ridge::new(alpha).fit_intercept(intercept);
    let (got, want) =
        (ridge.fit_with(x, y, options()).unwrap(), ridge.fit_with(&x.to_dense().unwrap(), y, options()).unwrap());
    let what = format!("{}×{}, alpha {alpha}, intercept {intercept}", x.rows(), x.columns());
    assert!(off(got.coef(), want.coef()) < 1e-6, "{what}: {:e}", off(got.coef(), want.coef()));
    for (got, want) in got.intercept().iter().zip(want.intercept()) {
        assert!((got - want).abs() < 1e-6 * want.abs().max(1.0), "{what}: {got} and {want}");
    }
    let (said, wanted) = (got.predict(x).unwrap(), want.predict(&x.to_dense().unwrap()).unwrap());
    let pairs = said.as_slice().iter().zip(wanted.as_slice());
    pairs.for_each(|(said, wanted)| assert!((said - wanted).abs() < 1e-5 * wanted.abs().max(1.0), "{what}"));
}

#[test]
fn planes_are_those_of_the_dense_rows() {
    for (rows, columns, share) in [(1, 1, 1.0), (2, 3, 1.0), (64, 5, 0.4), (300, 40, 0.1), (1000, 17, 0.02)] {
        let x = random(rows, columns, share, 21);
        let y = targets(&x, 2, 22);
        for intercept in [true, false] {
            for alpha in [0.0, 0.5, 100.0] {
                same(&x, &y, None, alpha, intercept);
            }
        }
    }
}

#[test]
fn weights_count_rows_and_zero_leaves_them_out() {
    let x = random(200, 12, 0.2, 23);
    let y = targets(&x, 1, 24);
    let weights: Vec<f32> = (0..200).map(|row| [0.0, 0.5, 1.0, 3.0][row % 4]).collect();
    for intercept in [true, false] {
        for alpha in [0.0, 2.0] {
            same(&x, &y, Some(&weights), alpha, intercept);
        }
    }
    let kept: Vec<usize> = (0..200).filter(|row| row % 4 != 0).collect();
    let some: Vec<f32> = kept.iter().map(|row| weights[*row]).collect();
    let all = LinearRegression::default().fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    let (x, y) = (x.select(&kept).unwrap(), y.select(&kept).unwrap());
    let fewer = LinearRegression::default().fit_with(&x, &y, Fit::default().sample_weight(&some)).unwrap();
    assert!(off(all.coef(), fewer.coef()) < 1e-10);
}

#[test]
fn dependent_constant_and_empty_columns_have_the_shortest_solution_and_the_rank() {
    // A full set of indicators depends on the intercept; column 5 is constant, 6 is empty, 7 is twice column 4.
    let rows = 90;
    let noise = numbers(rows, 25);
    let triplets = (0..rows).flat_map(|row| {
        let value = noise[row];
        [(row, row % 4, 1.0), (row, 4, value), (row, 5, 7.0), (row, 7, 2.0 * value)]
    });
    let x = SparseMatrix::from_triplets(rows, 8, triplets).unwrap();
    let y = targets(&x, 1, 26);
    for intercept in [true, false] {
        same(&x, &y, None, 0.0, intercept);
        same(&x, &y, None, 1.0, intercept);
        let plain = LinearRegression::default().fit_intercept(intercept);
        let rank = plain.fit(&x.to_dense().unwrap(), &y).unwrap().rank();
        assert_eq!(plain.fit(&x, &y).unwrap().rank(), rank);
    }
    let model = LinearRegression::default().fit(&x, &y).unwrap();
    assert_eq!((model.coef()[(0, 5)], model.coef()[(0, 6)], model.rank()), (0.0, 0.0, 4));
    // More columns than rows.
    let x = random(20, 60, 0.3, 27);
    same(&x, &targets(&x, 2, 28), None, 0.0, true);
}

#[test]
fn columns_far_from_zero_and_of_different_sizes_lose_nothing() {
    let rows = 500;
    let noise = numbers(3 * rows, 29);
    let triplets = (0..rows).flat_map(|row| {
        let far = 1000.0 + noise[3 * row];
        let near = (row % 7 > 0).then_some((row, 1, 50.0 + noise[3 * row + 1]));
        let tiny = (row % 3 == 0).then_some((row, 2, 1e-4 * noise[3 * row + 2]));
        [Some((row, 0, far)), near, tiny].into_iter().flatten()
    });
    let x = SparseMatrix::from_triplets(rows, 3, triplets).unwrap();
    let y: Vec<f32> = (0..rows).map(|row| x.get(row, 0) - 0.5 * x.get(row, 1) + 1e4 * x.get(row, 2)).collect();
    let wide = |matrix: &Matrix| matrix.to_dmatrix();
    let y = Matrix::from_vec(rows, 1, y).unwrap();
    let want = LinearRegression::default().fit_f64(&wide(&x.to_dense().unwrap()), &wide(&y)).unwrap();
    let got = LinearRegression::default().fit(&x, &y).unwrap();
    for column in 0..3 {
        let (got, want) = (got.coef()[(0, column)], want.coef()[(0, column)]);
        assert!((got - want).abs() < 1e-9 * want.abs(), "column {column}: {got} and {want}");
    }
}

#[test]
fn more_columns_than_products_are_made_of_are_solved_by_iteration() {
    // 2,600 columns that vary: dense ridge works on 300 rows by SVD.
    let x = random(300, 2600, 0.05, 30);
    let y = targets(&x, 2, 31);
    for alpha in [0.0, 3.0] {
        same(&x, &y, None, alpha, true);
        same(&x, &y, None, alpha, false);
    }
    let weights: Vec<f32> = (0..300).map(|row| 0.5 + (row % 3) as f32).collect();
    same(&x, &y, Some(&weights), 1.0, true);
    // Tall: every column a few times, and the plane is known.
    let columns = 2500;
    let triplets = (0..4 * columns).map(|row| (row, row % columns, 1.0 + (row / columns) as f32));
    let x = SparseMatrix::from_triplets(4 * columns, columns, triplets).unwrap();
    let y: Vec<f32> = (0..4 * columns).map(|row| (row % columns) as f32 * (1.0 + (row / columns) as f32)).collect();
    let model = LinearRegression::default().fit_intercept(false).fit(&x, &y).unwrap();
    assert!((0..columns).all(|column| (model.coef()[(0, column)] - column as f64).abs() < 1e-8 * columns as f64));
}

#[test]
fn ten_rows_of_a_million_columns_are_fitted_in_little_memory() {
    let columns = 1_000_000;
    let triplets = (0..10).flat_map(|row| (0..300).map(move |at| (row, (at * 3_331 + row) % columns, 1.0)));
    let x = SparseMatrix::from_triplets(10, columns, triplets).unwrap();
    let y: Vec<f32> = (0..10).map(|row| row as f32).collect();
    let model = Ridge::new(1e-3).fit(&x, &y).unwrap();
    let said = model.predict(&x).unwrap();
    assert!(said.as_slice().iter().zip(&y).all(|(said, y)| (said - y).abs() < 1e-3), "{said:?}");
    assert_eq!((model.coef().ncols(), model.coef()[(0, 999_999)]), (columns, 0.0));
}

#[test]
fn the_order_of_the_rows_changes_nothing_that_matters() {
    let x = random(400, 30, 0.15, 32);
    let y = targets(&x, 1, 33);
    let order: Vec<usize> = (0..400).map(|row| row * 7 % 400).collect();
    let one = Ridge::new(0.1).fit(&x, &y).unwrap();
    let other = Ridge::new(0.1).fit(&x.select(&order).unwrap(), &y.select(&order).unwrap()).unwrap();
    assert!(off(other.coef(), one.coef()) < 1e-12);
    let columns: Vec<usize> = (0..30).rev().collect();
    let turned = Ridge::new(0.1).fit(&x.select_columns(&columns).unwrap(), &y).unwrap();
    assert!((0..30).all(|at| (turned.coef()[(0, at)] - one.coef()[(0, 29 - at)]).abs() < 1e-12));
    for chunk in [1, 7, 64] {
        let rows: Vec<usize> = (0..chunk).collect();
        let said = one.predict(&x.select(&rows).unwrap()).unwrap();
        assert_eq!(said.as_slice(), &one.predict(&x).unwrap().as_slice()[..chunk]);
    }
}

#[test]
fn a_ridge_without_a_penalty_is_a_linear_regression_to_the_bit() {
    for (rows, columns) in [(50, 10), (10, 50), (100, 2500)] {
        let x = random(rows, columns, 0.3, 34);
        let y = targets(&x, 1, 35);
        let (plain, ridge) = (LinearRegression::default().fit(&x, &y).unwrap(), Ridge::new(0.0).fit(&x, &y).unwrap());
        assert_eq!((plain.coef(), plain.intercept()), (ridge.coef(), ridge.intercept()));
    }
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let x = random(10, 4, 0.5, 36);
    let y = [1.0_f32; 10];
    assert!(matches!(Ridge::new(1.0).fit(&x, &y[..9]), Err(Error::Shape { .. })));
    let nothing = SparseMatrix::from_triplets(0, 4, []).unwrap();
    assert!(matches!(Ridge::new(1.0).fit(&nothing, &[0.0_f32; 0]), Err(Error::Shape { .. })));
    assert!(Ridge::new(1.0).fit(&SparseMatrix::from_triplets(10, 0, []).unwrap(), &y).is_err());
    let model = Ridge::new(1.0).fit(&x, &y).unwrap();
    assert!(matches!(model.predict(&random(3, 5, 0.5, 37)), Err(Error::Shape { .. })));
    // Without any number, the plane is the mean.
    let zeros = LinearRegression::default().fit(&SparseMatrix::from_triplets(10, 4, []).unwrap(), &y).unwrap();
    assert_eq!((zeros.intercept(), zeros.coef().amax(), zeros.rank()), (&[1.0][..], 0.0, 0));
    // As many coefficients as no machine has room for.
    let widest = SparseMatrix::from_triplets(2, u32::MAX as usize, [(0, 7, 1.0)]).unwrap();
    let many = Matrix::zeros(2, 1 << 20).unwrap();
    assert!(matches!(Ridge::new(1.0).fit(&widest, &many), Err(Error::OutOfMemory { .. })));
}

#[test]
fn an_observer_can_stop_the_iteration() {
    let x = random(100, 2600, 0.2, 38);
    let y = targets(&x, 1, 39);
    let mut seen = 0;
    let mut stop = |report: &gristmill::estimator::Report| {
        seen = report.iteration;
        if report.iteration >= 3 { Flow::Stop } else { Flow::Continue }
    };
    let stopped = Ridge::new(1.0).fit_with(&x, &y, Fit::default().observer(&mut stop));
    assert!(matches!(stopped, Err(Error::Stopped { .. })) && seen == 3);
}
