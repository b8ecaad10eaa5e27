use super::{SIZES, bits, distance, hilbert, identity, random};
use gristmill::Error;
use gristmill::linalg::{Qr, Svd};
use nalgebra::DMatrix;

fn check(a: &DMatrix<f64>, what: &str) -> Qr {
    let qr = Qr::factor(a).unwrap();
    let (q, r) = (qr.q(), qr.r());
    let mut seen = qr.order().to_vec();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..a.ncols()), "{what}: a permutation");
    assert!(qr.scale().iter().all(|scale| scale.log2().fract() == 0.0), "{what}: powers of two");
    let expected = DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, qr.order()[j])] * qr.scale()[qr.order()[j]]);
    assert!(distance(&(&q * &r), &expected) <= 1e-14 * (1.0 + a.ncols() as f64).sqrt(), "{what}: Q R");
    assert!(distance(&q.tr_mul(&q), &identity(q.ncols())) <= 1e-13, "{what}: QᵀQ");
    let diagonal: Vec<f64> = (0..r.nrows()).map(|i| r[(i, i)].abs()).collect();
    assert!(diagonal.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)), "{what}: falling diagonal");
    assert!((0..r.ncols()).all(|j| (j + 1..r.nrows()).all(|i| r[(i, j)] == 0.0)), "{what}: triangular");
    qr
}

#[test]
fn the_factors_give_the_matrix_back_at_every_shape() {
    for rows in SIZES {
        for columns in [0, 1, 2, 3, 10, 64, 65] {
            check(&random(rows, columns, 3), &format!("{rows}×{columns}"));
        }
    }
    check(&DMatrix::zeros(7, 4), "zero");
    check(&hilbert(20), "Hilbert");
    let units = DMatrix::from_fn(30, 8, |i, j| random(30, 8, 1)[(i, j)] * 10.0_f64.powi(80 * (j as i32 - 4)));
    check(&units, "columns from 1e-320 to 1e240");
}

#[test]
fn least_squares_agrees_with_svd_and_leaves_an_orthogonal_misfit() {
    for (rows, columns) in [(1, 1), (3, 2), (10, 10), (65, 64), (200, 30)] {
        let (a, b) = (random(rows, columns, 5), random(rows, 3, 6));
        let qr = Qr::factor(&a).unwrap();
        let x = qr.least_squares(&b).unwrap();
        let by_svd = Svd::factor(&a).unwrap().least_squares(&b, 0.0).unwrap();
        assert!(distance(&x, &by_svd) <= 1e-13 * qr.condition() * (1.0 + x.amax()));
        assert!((a.tr_mul(&(&a * &x - &b))).amax() <= 1e-13 * (1.0 + x.amax()) * rows as f64);
    }
    let none = Qr::factor(&DMatrix::zeros(5, 0)).unwrap().least_squares(&random(5, 2, 1)).unwrap();
    assert_eq!(none.shape(), (0, 2));
}

#[test]
fn dependent_columns_are_named_whatever_their_units() {
    for seed in 0..10 {
        let mut a = random(50, 12, seed);
        let sum = a.column(2) * 3.0 - a.column(9) * 0.5;
        a.set_column(5, &sum);
        a.column_mut(5).scale_mut(1e-9);
        a.column_mut(1).scale_mut(1e9);
        let qr = Qr::factor(&a).unwrap();
        assert_eq!(qr.rank(qr.default_tolerance()), 11);
        let refusal = qr.least_squares(&random(50, 1, 3)).unwrap_err();
        assert!(matches!(refusal, Error::Singular { condition, .. } if condition > 1e13), "{refusal}");
        assert!(refusal.to_string().contains("rank 11 of 12"), "{refusal}");
    }
    let zero = Qr::factor(&DMatrix::zeros(4, 2)).unwrap();
    assert_eq!((zero.rank(0.0), zero.condition()), (0, f64::INFINITY));
    assert!(matches!(zero.least_squares(&DMatrix::zeros(4, 1)), Err(Error::Singular { .. })));
}

#[test]
fn permuted_columns_give_permuted_coefficients() {
    let (a, b) = (random(80, 20, 1), random(80, 1, 2));
    let to = |j: usize| (j * 7 + 2) % 20;
    let permuted = DMatrix::from_fn(80, 20, |i, j| a[(i, to(j))]);
    let x = Qr::factor(&a).unwrap().least_squares(&b).unwrap();
    let y = Qr::factor(&permuted).unwrap().least_squares(&b).unwrap();
    assert!(distance(&y, &DMatrix::from_fn(20, 1, |i, _| x[(to(i), 0)])) < 1e-14);
}

#[test]
fn the_condition_is_that_of_the_scaled_columns() {
    let a = random(60, 15, 4);
    let mut units = a.clone();
    (0..15).for_each(|j| units.column_mut(j).scale_mut(2.0_f64.powi(3 * j as i32 - 20)));
    let (one, two) = (Qr::factor(&a).unwrap().condition(), Qr::factor(&units).unwrap().condition());
    assert!((one - two).abs() <= 1e-9 * one);
    let spectral = Svd::factor(&a).unwrap().condition();
    assert!(one > spectral / 15.0 && one < spectral * 15.0, "{one} and {spectral}");
    assert_eq!(Qr::factor(&random(3, 5, 1)).unwrap().condition(), f64::INFINITY);
    assert_eq!(Qr::factor(&DMatrix::zeros(3, 0)).unwrap().condition(), 1.0);
}

#[test]
fn same_bits_and_typed_refusals() {
    let a = random(100, 33, 1);
    let first = Qr::factor(&a).unwrap();
    let mut kept = Vec::new();
    for round in 0..10 {
        kept.push(vec![1_u8; 1 + 17 * round]);
        assert_eq!(bits(&first.r()), bits(&Qr::factor(&a.clone()).unwrap().r()));
    }
    let mut bad = a.clone();
    bad[(99, 32)] = f64::NAN;
    assert!(matches!(Qr::factor(&bad), Err(Error::NotFinite { row: 99, column: 32, .. })));
    assert!(matches!(first.least_squares(&dmatrix![1.0]), Err(Error::Shape { .. })));
    let wide = Qr::factor(&random(3, 5, 1)).unwrap();
    assert!(matches!(wide.least_squares(&random(3, 1, 1)), Err(Error::Shape { .. })));
}
