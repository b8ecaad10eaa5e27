//! What the notes say of least squares and its penalties.

use gristmill::prelude::*;

use crate::support::numbers;

/// .7 sin x + .83 sin 2x − 1.5 sin 3x with noise, 48 points (000 §2.2.3).
fn sines(seed: u64) -> (Vec<f32>, Vec<f32>) {
    let x: Vec<f32> = numbers(48, seed).iter().map(|value| 8.0 * value).collect();
    let noise = numbers(48, seed + 1);
    let curve = |x: f32| 0.7 * x.sin() + 0.83 * (2.0 * x).sin() - 1.5 * (3.0 * x).sin();
    let y = x.iter().zip(&noise).map(|(x, noise)| curve(*x) + 0.5 * noise).collect();
    (x, y)
}

/// sin x, sin 2x, … as columns.
fn terms(x: &[f32], count: usize) -> Matrix {
    let values = x.iter().flat_map(|x| (1..=count).map(move |k| (k as f32 * x).sin())).collect();
    Matrix::from_vec(x.len(), count, values).unwrap()
}

#[test]
fn the_training_error_never_rises_with_more_terms() {
    let (x, y) = sines(81);
    let mut before = f64::INFINITY;
    for count in [1, 2, 3, 5, 10, 15, 20, 25, 35] {
        let rows = terms(&x, count);
        let model = LinearRegression::default().fit(&rows, &y).unwrap();
        let predicted = model.predict(&rows).unwrap();
        let error: f64 = predicted.column(0).iter().zip(&y).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>() / 48.0;
        assert!(error <= before + 1e-9, "{count}: {error} after {before}");
        before = error;
    }
}

#[test]
fn the_lasso_finds_the_three_terms() {
    let (x, y) = sines(83);
    let rows = terms(&x, 25);
    let path = Lasso::default().tol(1e-10).max_iter(100_000).path(&rows, &y, None, Fit::default()).unwrap();
    let found = (0..100).any(|at| {
        let chosen: Vec<usize> = (0..25).filter(|&column| path.coef(at)[(0, column)] != 0.0).collect();
        chosen == [0, 1, 2]
    });
    assert!(found, "no penalty has the three true terms and no other");
}

#[test]
fn sparse_coefficients_are_recovered_from_few_rows() {
    // 001 §3.5: with n > C·s·log d rows of a normal table, the lasso with a small penalty finds s-sparse coefficients.
    let (d, s) = (200, 5);
    let recovered = |n: usize, seed: u64| {
        let uniform = numbers(12 * n * d, seed);
        let normals: Vec<f32> = uniform.chunks_exact(12).map(|twelve| twelve.iter().sum::<f32>() / 2.0).collect();
        let x = Matrix::from_vec(n, d, normals).unwrap();
        let plane = |column: usize| if column.is_multiple_of(40) { 1.0 + (column / 40) as f32 } else { 0.0 };
        let y: Vec<f32> = (0..n).map(|row| (0..d).map(|at| plane(at) * x.get(row, at)).sum()).collect();
        let params = Lasso::new(1e-3).fit_intercept(false).tol(1e-10).max_iter(100_000);
        let model = params.fit(&x, &y).unwrap();
        (0..d).all(|at| (model.coef()[(0, at)] - f64::from(plane(at))).abs() < 0.05)
    };
    let share = s as f64 * (d as f64).ln(); // 26.5
    assert!((0..4).all(|seed| recovered((4.0 * share) as usize, 900 + seed)));
    assert!((0..4).all(|seed| !recovered((0.3 * share) as usize, 950 + seed)));
}

#[test]
fn a_linear_map_of_the_columns_changes_nothing() {
    // 001 §3: the least error over w of X·Aᵀw is that over Im Aᵀ; with an invertible A the predictions are the same.
    let (x, y) = sines(87);
    let rows = terms(&x, 6);
    let mixed: Vec<f32> = (0..48)
        .flat_map(|row| {
            let own = rows.row(row).to_vec();
            (0..6).map(move |at| 2.0 * own[at] + own[(at + 1) % 6])
        })
        .collect();
    let mixed = Matrix::from_vec(48, 6, mixed).unwrap();
    let plain = LinearRegression::default().fit(&rows, &y).unwrap().predict(&rows).unwrap();
    let other = LinearRegression::default().fit(&mixed, &y).unwrap().predict(&mixed).unwrap();
    for (a, b) in plain.as_slice().iter().zip(other.as_slice()) {
        assert!((a - b).abs() < 1e-5);
    }
}

/// All that the notes print for the first hundred digits (000 §2.1.2): the singular values of the zeros and ones, and the first
/// ten of all rows, uncentred and over 256. MNIST is not part of the repository: `GRISTMILL_MNIST` names its folder.
#[test]
fn the_singular_values_of_a_hundred_digits_are_those_printed() {
    const ZEROS_AND_ONES: [f64; 27] = [
        36.45615, 17.209862, 12.030047, 11.947479, 9.36883, 7.8752723, 6.7997932, 6.3316774, 5.729243, 5.4004116,
        5.1866603, 4.988159, 4.8420706, 4.1217637, 3.9173453, 3.5896347, 3.2801106, 3.1127822, 3.0160408, 2.7964358,
        2.6677098, 2.543037, 2.2888196, 2.1948047, 2.14488, 1.8337901, 1.0252038,
    ];
    const ALL: [f64; 10] =
        [61.84758, 22.601597, 19.816174, 18.98699, 17.21556, 15.531815, 14.318835, 13.584824, 12.348789, 11.739741];
    let Some(folder) = std::env::var_os("GRISTMILL_MNIST") else { return };
    let (train, _) = datasets::notes::mnist_100(folder).unwrap();
    let codes = train.labels().unwrap().codes();
    let few: Vec<usize> = (0..100).filter(|row| codes[*row] < 2).collect();
    for (rows, wanted) in [(few, &ZEROS_AND_ONES[..]), ((0..100).collect(), &ALL[..])] {
        let x = train.x.select(&rows).unwrap();
        let y: Vec<f32> = rows.iter().map(|row| codes[*row] as f32).collect();
        let model = LinearRegression::default().fit_intercept(false).fit(&x, &y).unwrap();
        let found = model.singular_values().unwrap();
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-5, "{found} for {wanted}");
        }
        // Fewer rows than columns: the plane goes through all of them.
        let left =
            model.predict(&x).unwrap().column(0).iter().zip(&y).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(found.len() == rows.len() && left < 1e-4, "{left}");
    }
}
