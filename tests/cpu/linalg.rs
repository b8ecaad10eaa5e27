use super::*;
use gristmill::cpu::linalg::dot::dot;
use gristmill::cpu::linalg::gemv::{gemv, gemv_transposed};
use gristmill::cpu::linalg::map::{Combine, Map, combine, map};
use gristmill::cpu::linalg::syrk::syrk;

fn check_syrk(rows: usize, columns: usize, weighted: bool, centred: bool) {
    let x: Vec<f32> = numbers(rows * columns, 1).iter().map(|x| x + 3.0).collect();
    let weights: Vec<f32> = numbers(rows, 2).iter().map(|w| w + 1.0).collect();
    let center: Vec<f32> = numbers(columns, 3).iter().map(|c| 3.0 + c / 10.0).collect();
    let (w, c) = (weighted.then_some(&weights[..]), centred.then_some(&center[..]));
    let got = in_pools(|| {
        let mut out = vec![f64::NAN; columns * columns];
        syrk(&x, rows, columns, w, c, &mut out);
        out.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    });
    let mut want = vec![0.0; columns * columns];
    let mut terms = vec![0.0; columns * columns];
    for i in 0..rows {
        let row: Vec<f64> = (0..columns).map(|j| f64::from(x[i * columns + j] - c.map_or(0.0, |c| c[j]))).collect();
        for j in 0..columns {
            for k in 0..columns {
                let term = f64::from(w.map_or(1.0, |w| w[i])) * row[j] * row[k];
                want[j * columns + k] += term;
                terms[j * columns + k] += term.abs();
            }
        }
    }
    for j in 0..columns {
        for k in 0..columns {
            let at = j * columns + k;
            assert_eq!(got[at], got[k * columns + j], "not symmetric");
            close(f64::from_bits(got[at]), want[at], 276.0, terms[at]);
        }
    }
}

#[test]
fn syrk_is_the_weighted_centred_product_at_every_size() {
    for rows in SIZES {
        for columns in [0, 1, 2, 17, 65] {
            check_syrk(rows, columns, false, false);
            check_syrk(rows, columns, true, true);
        }
    }
    for columns in [63, 64, 255, 256, 257, 600] {
        check_syrk(100, columns, true, false);
        check_syrk(37, columns, false, true);
    }
    for rows in [4095, 4096, 4097, 20_000] {
        check_syrk(rows, 7, true, true);
        check_syrk(rows, 33, false, false);
    }
}

fn check_gemv(rows: usize, columns: usize, alpha: f32, beta: f32) {
    let a = numbers(rows * columns, 5);
    let (x, x_t) = (numbers(columns, 6), numbers(rows, 7));
    let old = |count| if beta == 0.0 { vec![f32::NAN; count] } else { numbers(count, 8) };
    let (before, before_t) = (old(rows), old(columns));
    let got = in_pools(|| {
        let mut y = before.clone();
        gemv(alpha, &a, rows, columns, &x, beta, &mut y);
        bits(&y)
    });
    let got_t = in_pools(|| {
        let mut y = before_t.clone();
        gemv_transposed(alpha, &a, rows, columns, &x_t, beta, &mut y);
        bits(&y)
    });
    let blend =
        |sum: f64, old: f32| f64::from(alpha) * sum + if beta == 0.0 { 0.0 } else { f64::from(beta) * f64::from(old) };
    for (i, &got) in got.iter().enumerate() {
        let terms = (0..columns).map(|j| f64::from(a[i * columns + j]) * f64::from(x[j]));
        let size: f64 = terms.clone().map(f64::abs).sum();
        let size = f64::from(alpha.abs()) * size + blend(0.0, before[i]).abs();
        close(f64::from(f32::from_bits(got)), blend(terms.sum(), before[i]), 264.0, size);
    }
    for (j, &got) in got_t.iter().enumerate() {
        let terms = (0..rows).map(|i| f64::from(a[i * columns + j]) * f64::from(x_t[i]));
        let size: f64 = terms.clone().map(f64::abs).sum();
        let size = f64::from(alpha.abs()) * size + blend(0.0, before_t[j]).abs();
        close(f64::from(f32::from_bits(got)), blend(terms.sum(), before_t[j]), 258.0, size);
    }
}

#[test]
fn gemv_both_ways_at_every_size() {
    for rows in SIZES {
        for columns in SIZES {
            check_gemv(rows, columns, 1.0, 0.0);
        }
        check_gemv(rows, 33, -0.7, 1.3);
    }
    for (rows, columns) in [(3, 4097), (5, 10_000), (10_000, 3), (70_000, 9), (100, 5000), (5000, 100)] {
        check_gemv(rows, columns, 0.5, -2.0);
    }
}

#[test]
fn a_row_of_gemv_does_not_depend_on_the_others() {
    let (rows, columns) = (3000, 77);
    let (a, x) = (numbers(rows * columns, 9), numbers(columns, 10));
    let mut all = vec![0.0; rows];
    gemv(1.0, &a, rows, columns, &x, 0.0, &mut all);
    for i in (0..rows).step_by(101) {
        let mut one = [0.0];
        gemv(1.0, &a[i * columns..(i + 1) * columns], 1, columns, &x, 0.0, &mut one);
        assert_eq!(one[0].to_bits(), all[i].to_bits());
    }
}

#[test]
fn a_dot_product_is_that_of_f64_with_any_number_of_threads() {
    for count in SIZES.into_iter().chain([4095, 4096, 4097, 300_001]) {
        let (x, y) = (numbers(count, 31), numbers(count, 32));
        let got = in_pools(|| dot(&x, &y).to_bits());
        let terms = || x.iter().zip(&y).map(|(x, y)| f64::from(*x) * f64::from(*y));
        close(f64::from_bits(got), terms().sum(), 1e-6, terms().map(f64::abs).sum());
    }
}

#[test]
fn maps_do_each_value_alone() {
    for count in SIZES.into_iter().chain([16_383, 16_385, 70_000]) {
        let (x, y) = (numbers(count, 33), numbers(count, 34));
        for function in [Map::Line(2.0, 0.5), Map::Clamp(-0.25, 0.75), Map::Square, Map::Exponential] {
            let mapped = |values: &[f32]| {
                let mut values = values.to_vec();
                map(function, &mut values);
                bits(&values)
            };
            let got = in_pools(|| mapped(&y));
            assert!(got.iter().zip(&y).all(|(got, y)| *got == mapped(&[*y])[0]), "{function:?}");
        }
        let quotient = Combine::Quotient(0.1);
        for function in [Combine::Sum(0.5, -2.0), Combine::Product, Combine::Minimum, Combine::Maximum, quotient] {
            let combined = |x: &[f32], y: &[f32]| {
                let mut values = y.to_vec();
                combine(function, x, &mut values);
                bits(&values)
            };
            let got = in_pools(|| combined(&x, &y));
            assert!((0..count).all(|at| got[at] == combined(&x[at..=at], &y[at..=at])[0]), "{function:?}");
        }
    }
}
