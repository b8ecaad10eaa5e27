use super::*;
use gristmill::cpu::reduce::{
    argmax_rows::argmax_rows, argmin_rows::argmin_rows, column_moments::column_moments, column_sums::column_sums,
    minimum::minimum, row_sums::row_sums,
};

const LARGER: [(usize, usize); 6] = [(20_000, 3), (3, 20_000), (5000, 64), (70_000, 17), (100, 700), (300, 5000)];

fn shapes() -> impl Iterator<Item = (usize, usize)> {
    SIZES.into_iter().flat_map(|rows| SIZES.map(|columns| (rows, columns))).chain(LARGER)
}

#[test]
fn sums_by_row_and_by_column_at_every_size() {
    for (rows, columns) in shapes() {
        let x = numbers(rows * columns, 1);
        let by_row = in_pools(|| {
            let mut out = vec![f32::NAN; rows];
            row_sums(&x, rows, columns, &mut out);
            bits(&out)
        });
        for (i, &got) in by_row.iter().enumerate() {
            let want: f64 = x[i * columns..(i + 1) * columns].iter().map(|&x| f64::from(x)).sum();
            close(f64::from(f32::from_bits(got)), want, 1.0, want.abs() + 1e-8);
        }
        let by_column = in_pools(|| {
            let mut out = vec![f64::NAN; columns];
            column_sums(&x, rows, columns, &mut out);
            out.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        });
        for (j, &got) in by_column.iter().enumerate() {
            let terms = x.iter().skip(j).step_by(columns).map(|&x| f64::from(x));
            let size: f64 = terms.clone().map(f64::abs).sum();
            assert!((f64::from_bits(got) - terms.sum::<f64>()).abs() <= 2.0 * rows as f64 * f64::EPSILON / 2.0 * size);
        }
    }
}

#[test]
fn a_row_sum_is_the_nearest_f32_even_when_it_cancels() {
    let mut x = vec![1.0_f32; 100];
    (x[3], x[70]) = (1e9, -1e9);
    let mut out = [0.0];
    row_sums(&x, 1, 100, &mut out);
    assert_eq!(out[0], 98.0);
}

#[test]
fn minimum_finds_the_lowest_index() {
    assert_eq!(minimum(&[]), None);
    for count in SIZES.into_iter().skip(1).chain([16_383, 16_384, 16_385, 300_001]) {
        let mut x: Vec<f32> = numbers(count, 2).iter().map(|x| (x * 50.0).round()).collect();
        let want = x.iter().enumerate().fold((f32::INFINITY, 0), |b, (i, &x)| if x < b.0 { (x, i) } else { b });
        assert_eq!(in_pools(|| minimum(&x)), Some(want), "{count}");
        x.fill(4.0);
        assert_eq!(minimum(&x), Some((4.0, 0)));
        x[count - 1] = -1.0;
        assert_eq!(minimum(&x), Some((-1.0, count - 1)));
    }
    assert_eq!(minimum(&[f32::NAN, 2.0, f32::NAN]), Some((2.0, 1)));
}

#[test]
fn argmax_and_argmin_by_row_take_the_lowest_of_equals() {
    for (rows, columns) in shapes().filter(|&(_, columns)| columns > 0) {
        let x: Vec<f32> = numbers(rows * columns, 3).iter().map(|x| (x * 20.0).round()).collect();
        let run = |op: fn(&[f32], usize, usize, &mut [u32], &mut [f32])| {
            in_pools(|| {
                let (mut index, mut value) = (vec![9; rows], vec![f32::NAN; rows]);
                op(&x, rows, columns, &mut index, &mut value);
                (index, bits(&value))
            })
        };
        let (largest, smallest) = (run(argmax_rows), run(argmin_rows));
        for i in 0..rows {
            let row = &x[i * columns..(i + 1) * columns];
            let best =
                |better: fn(f32, f32) -> bool| (1..columns).fold(0, |b, j| if better(row[j], row[b]) { j } else { b });
            let (high, low) = (best(|a, b| a > b), best(|a, b| a < b));
            assert_eq!((largest.0[i] as usize, largest.1[i]), (high, row[high].to_bits()));
            assert_eq!((smallest.0[i] as usize, smallest.1[i]), (low, row[low].to_bits()));
        }
    }
}

#[test]
fn moments_stay_right_far_from_the_origin() {
    for (rows, columns) in shapes() {
        let x: Vec<f32> = numbers(rows * columns, 4).iter().map(|x| 1000.0 + x).collect();
        let weights: Vec<f32> = numbers(rows, 5).iter().map(|w| w + 1.0).collect();
        for weights in [None, Some(&weights[..])] {
            let got = in_pools(|| column_moments(&x, rows, columns, weights));
            assert_eq!((got.count, got.mean.len(), got.variance.len()), (rows, columns, columns));
            let weight = |i: usize| weights.map_or(1.0, |w| f64::from(w[i]));
            let total: f64 = (0..rows).map(weight).sum();
            assert!((got.weight - total).abs() <= 1e-12 * total);
            for j in 0..columns {
                let value = |i: usize| f64::from(x[i * columns + j]);
                if rows == 0 {
                    assert_eq!((got.mean[j], got.variance[j]), (0.0, 0.0));
                    continue;
                }
                let mean = (0..rows).map(|i| weight(i) * (value(i) - 1000.0)).sum::<f64>() / total + 1000.0;
                let variance = (0..rows).map(|i| weight(i) * (value(i) - mean).powi(2)).sum::<f64>() / total;
                assert!((got.mean[j] - mean).abs() <= 1e-10);
                assert!((got.variance[j] - variance).abs() <= 1e-9 * variance + 1e-20);
            }
        }
    }
}
