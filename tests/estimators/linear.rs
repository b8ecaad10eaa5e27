//! Least squares against scikit-learn, against itself in f64, and against the conditions that make it least.

use gristmill::prelude::*;
use nalgebra::DMatrix;

use crate::support::{devices, matrix, numbers};

/// The largest difference of two p×d coefficients, as a share of the largest of the second.
pub fn difference(found: &DMatrix<f64>, wanted: &DMatrix<f64>) -> f64 {
    assert_eq!(found.shape(), wanted.shape());
    (found - wanted).amax() / wanted.amax()
}

/// Targets that depend on the columns, with noise.
pub fn targets(x: &Matrix, outputs: usize, noise: f32, seed: u64) -> Matrix {
    let plane = numbers(x.columns() * outputs, seed);
    let noises = numbers(x.rows() * outputs, seed + 1);
    let value = |at: usize| {
        let (row, output) = (at / outputs, at % outputs);
        let terms = x.row(row).iter().zip(&plane[output * x.columns()..]);
        terms.map(|(x, coef)| x * coef).sum::<f32>() + 0.5 + noise * noises[at]
    };
    Matrix::from_vec(x.rows(), outputs, (0..x.rows() * outputs).map(value).collect()).unwrap()
}

// scikit-learn 1.9 on the f32 values of load_diabetes(scaled=False), in f64.
const DIABETES: [f64; 10] = [
    -0.0363612679178236,
    -22.8596482013178,
    5.60296214880703,
    1.11680794699425,
    -1.0899959497993,
    0.746450069960357,
    0.37200423107271,
    6.53383100251484,
    68.4831150378523,
    0.280117056972316,
];
const DIABETES_RIDGE: [f64; 10] = [
    -0.0328524391881072,
    -22.6070455905848,
    5.64040528199937,
    1.11899752828615,
    -0.914673138266339,
    0.584909478790146,
    0.177884797010439,
    6.25044083393306,
    63.1790721249536,
    0.287766967553658,
];
const DIABETES_ORIGIN: [f64; 10] = [
    0.0222964069768123,
    -26.0727891642827,
    5.35372588359568,
    1.01779707265668,
    1.26358595888207,
    -1.28493624564022,
    -3.06827825839748,
    -5.50804271092863,
    5.5033812687255,
    0.123385228699588,
];
const DIABETES_SINGULAR: [f64; 10] = [
    952.2282731917306,
    345.1076385943301,
    304.11067849844807,
    231.1545764786372,
    199.53581117656407,
    142.6087835297652,
    76.12748270894302,
    9.594294903561359,
    8.83116918785064,
    3.447773255579921,
];

fn close(name: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{name}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= tolerance * wanted.abs(), "{name}: {found} for {wanted}");
    }
}

#[test]
fn diabetes_has_the_coefficients_of_scikit_learn() {
    let data = gristmill::datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    for (name, device) in devices() {
        let x = data.x.to(device).unwrap();
        let plain = LinearRegression::default().fit(&x, y).unwrap();
        close(name, plain.coef().as_slice(), &DIABETES, 1e-8);
        close(name, plain.intercept(), &[-334.56709304886886], 1e-8);
        assert!((plain.score(&x, y).unwrap() - 0.5177484148913151).abs() < 1e-7, "{name}");
        assert_eq!(plain.rank(), 10, "{name}");
        if let Some(values) = plain.singular_values() {
            close(name, values, &DIABETES_SINGULAR, 1e-6);
        }
        let ridge = Ridge::default().fit(&x, y).unwrap();
        close(name, ridge.coef().as_slice(), &DIABETES_RIDGE, 1e-8);
        close(name, ridge.intercept(), &[-316.07707791208895], 1e-8);
        assert!((ridge.score(&x, y).unwrap() - 0.5176176789588617).abs() < 1e-7, "{name}");
        let origin = LinearRegression::default().fit_intercept(false).fit(&x, y).unwrap();
        close(name, origin.coef().as_slice(), &DIABETES_ORIGIN, 1e-8);
        assert_eq!(origin.intercept(), [0.0], "{name}");
    }
}

#[test]
fn weights_and_several_outputs_are_those_of_scikit_learn() {
    let data = gristmill::datasets::diabetes().unwrap();
    let first = data.values().unwrap();
    let y: Vec<[f32; 2]> = (0..442).map(|row| [first.get(row, 0), 2.0 * data.x.get(row, 0)]).collect();
    let y = Matrix::from_rows(&y).unwrap();
    let weights: Vec<f32> = (0..442).map(|row| (row % 3) as f32).collect();
    // Ridge(10).fit(x, y, sample_weight=weights): the first two coefficients and the last of each output.
    let wanted = [
        [-0.11369715838452932, -14.513676510616497, 0.37178522819581206],
        [1.9996941416264544, 0.0010229803842006604, 5.1262922641620905e-05],
    ];
    for (name, device) in devices() {
        let options = Fit::default().sample_weight(&weights);
        let model = Ridge::new(10.0).fit_with(&data.x.to(device).unwrap(), &y, options).unwrap();
        for (output, wanted) in wanted.iter().enumerate() {
            let coef = model.coef();
            close(name, &[coef[(output, 0)], coef[(output, 1)], coef[(output, 9)]], wanted, 1e-6);
        }
        close(name, model.intercept(), &[-229.2774788111877, -0.003675568130802276], 1e-6);
    }
}

/// |Σw·x·(y − x·coef − intercept) − alpha·coef|, as a share of Σw·|x|·(|y| + Σ|x·coef|), for x and for a column of ones.
fn slope(x: &Matrix, y: &Matrix, weights: Option<&[f32]>, alpha: f64, coef: &DMatrix<f64>, intercept: &[f64]) -> f64 {
    let (rows, d) = (x.rows(), x.columns());
    let mut worst = 0.0_f64;
    for (output, intercept) in intercept.iter().enumerate() {
        let (mut slopes, mut sizes) = (vec![0.0; d + 1], vec![0.0; d + 1]);
        for row in 0..rows {
            let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
            let terms: Vec<f64> = (0..d).map(|j| f64::from(x.get(row, j)) * coef[(output, j)]).collect();
            let target = f64::from(y.get(row, output));
            let left = weight * (target - terms.iter().sum::<f64>() - intercept);
            let size = weight * (target.abs() + terms.iter().map(|term| term.abs()).sum::<f64>());
            for j in 0..=d {
                let value = if j < d { f64::from(x.get(row, j)) } else { 1.0 };
                slopes[j] += value * left;
                sizes[j] += value.abs() * size;
            }
        }
        (0..d).for_each(|j| slopes[j] -= alpha * coef[(output, j)]);
        worst = slopes.iter().zip(&sizes).fold(worst, |worst, (slope, size)| worst.max(slope.abs() / size));
    }
    worst
}

#[test]
fn the_slope_of_the_loss_vanishes() {
    for (rows, d, tolerance) in [(50, 4, 1e-12), (3000, 20, 1e-12), (20_000, 40, 1e-6)] {
        let x = matrix(rows, d, 301);
        let y = targets(&x, 2, 0.3, 302);
        let weights: Vec<f32> = numbers(rows, 303).iter().map(|weight| weight.abs()).collect();
        for (name, device) in devices() {
            let on_device = x.to(device).unwrap();
            let tolerance = if name == "cpu" { tolerance } else { 1e-6 };
            for (alpha, weights) in [(0.0, None), (1.0, None), (30.0, Some(&weights[..]))] {
                let mut options = Fit::default();
                if let Some(weights) = weights {
                    options = options.sample_weight(weights);
                }
                let model = Ridge::new(alpha).fit_with(&on_device, &y, options).unwrap();
                let slope = slope(&x, &y, weights, alpha, model.coef(), model.intercept());
                assert!(slope < tolerance, "{name}: {rows}×{d}, alpha {alpha}: {slope:e}");
            }
        }
    }
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    for rows in [60, 25_000] {
        let x = matrix(rows, 32, 304);
        let y = targets(&x, 1, 0.5, 305);
        let weights: Vec<f32> = (0..rows).map(|row| (row % 3) as f32).collect();
        let repeated: Vec<usize> = (0..rows).flat_map(|row| std::iter::repeat_n(row, row % 3)).collect();
        let pick = |from: &Matrix| Matrix::from_rows(&repeated.iter().map(|row| from.row(*row)).collect::<Vec<_>>());
        let (x_twice, y_twice) = (pick(&x).unwrap(), pick(&y).unwrap());
        for (name, device) in devices() {
            let options = Fit::default().sample_weight(&weights);
            let weighted = Ridge::default().fit_with(&x.to(device).unwrap(), &y, options).unwrap();
            let twice = Ridge::default().fit(&x_twice.to(device).unwrap(), &y_twice).unwrap();
            let apart = difference(weighted.coef(), twice.coef());
            assert!(apart < 2e-6, "{name}, {rows} rows: {apart:e}");
            assert!((weighted.intercept()[0] - twice.intercept()[0]).abs() < 2e-6, "{name}");
        }
    }
}

#[test]
fn the_order_of_the_rows_and_the_device_change_little() {
    let (rows, d) = (30_000, 30);
    let x = matrix(rows, d, 306);
    let y = targets(&x, 3, 0.5, 307);
    let turned = |from: &Matrix| Matrix::from_rows(&(0..rows).rev().map(|row| from.row(row)).collect::<Vec<_>>());
    let wanted = LinearRegression::default().fit_f64(&x.to_dmatrix(), &y.to_dmatrix()).unwrap();
    for (name, device) in devices() {
        let plain = LinearRegression::default().fit(&x.to(device).unwrap(), &y).unwrap();
        let back = LinearRegression::default().fit(&turned(&x).unwrap().to(device).unwrap(), &turned(&y).unwrap());
        for found in [plain, back.unwrap()] {
            let apart = difference(found.coef(), wanted.coef());
            assert!(apart < 1e-6, "{name}: {apart:e}");
        }
    }
}

#[test]
fn nearly_dependent_columns_in_a_large_table_are_as_accurate_as_in_f64() {
    let (rows, d) = (24_000, 31);
    // Conditions of the products of about 1e5, 1e9 and 1e12.
    for (apart, tolerance) in [(1e-2_f32, 1e-9), (1e-4, 1e-7), (2e-6, 1e-5)] {
        let mut x = matrix(rows, d, 308);
        let noise = numbers(rows, 309);
        for (row, noise) in x.as_mut_slice().chunks_exact_mut(d).zip(noise) {
            row[d - 1] = row[0] - row[1] + apart * noise;
        }
        let y = targets(&x, 1, 0.5, 310);
        let wanted = LinearRegression::default().fit_f64(&x.to_dmatrix(), &y.to_dmatrix()).unwrap();
        for (name, device) in devices() {
            let found = LinearRegression::default().fit(&x.to(device).unwrap(), &y).unwrap();
            let far = difference(found.coef(), wanted.coef());
            assert!(far < tolerance, "{name}, {apart}: {far:e}");
            assert_eq!(found.rank(), d, "{name}, {apart}");
            let (found, wanted) = (found.intercept()[0], wanted.intercept()[0]);
            assert!((found - wanted).abs() < tolerance * wanted.abs().max(1.0) * 10.0, "{name}, {apart}: {found}");
        }
    }
}

#[test]
fn data_far_off_centre_lose_nothing_that_f32_still_holds() {
    let (rows, d) = (24_000, 30);
    let mut x = matrix(rows, d, 311);
    // 2¹² and steps of 2⁻¹¹: exact in f32. Every 24th row is elsewhere, which is where a sample of the rows would look.
    for (row, values) in x.as_mut_slice().chunks_exact_mut(d).enumerate() {
        let spike = if row % 24 == 0 { 512.0 } else { 0.0 };
        values.iter_mut().for_each(|value| *value = (*value * 2048.0).round() / 2048.0 + 4096.0 + spike);
    }
    let near: Vec<f32> = numbers(rows, 312);
    let y: Vec<f32> = (0..rows).map(|row| x.row(row)[..5].iter().sum::<f32>() - 20_480.0 + near[row]).collect();
    let y = Matrix::from_vec(rows, 1, y).unwrap();
    let wanted = Ridge::new(5.0).fit_f64(&x.to_dmatrix(), &y.to_dmatrix()).unwrap();
    for (name, device) in devices() {
        let found = Ridge::new(5.0).fit(&x.to(device).unwrap(), &y).unwrap();
        let apart = difference(found.coef(), wanted.coef());
        assert!(apart < 1e-6, "{name}: {apart:e}");
        let scale = wanted.intercept()[0].abs();
        assert!((found.intercept()[0] - wanted.intercept()[0]).abs() < 1e-6 * scale, "{name}");
    }
}
