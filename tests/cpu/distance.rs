use super::*;
use gristmill::cpu::distance::minkowski::minkowski;
use gristmill::cpu::distance::pairwise::{chebyshev, cosine, manhattan};
use gristmill::prelude::*;

/// The exact distance of two rows, and what its error is measured against.
type Oracle<'a> = &'a dyn Fn(&[f32], &[f32]) -> (f64, f64);
type Distance<'a> = &'a (dyn Fn(&[f32], usize, &[f32], usize, usize, &mut [f32]) + Sync);

/// Runs a distance in all pools and row by row, and compares it with `want(x, y) = (value, scale of the error)`.
fn check(n: usize, m: usize, d: usize, distance: Distance<'_>, bound: f64, want: Oracle<'_>) {
    let (x, y) = (numbers(n * d, 1), numbers(m * d, 2));
    let got = in_pools(|| {
        let mut out = vec![f32::NAN; n * m];
        distance(&x, n, &y, m, d, &mut out);
        bits(&out)
    });
    for i in 0..n {
        for j in 0..m {
            let (want, size) = want(&x[i * d..(i + 1) * d], &y[j * d..(j + 1) * d]);
            close(f64::from(f32::from_bits(got[i * m + j])), want, bound, size);
        }
    }
    for i in (0..n).step_by(37) {
        let mut row = vec![f32::NAN; m];
        distance(&x[i * d..(i + 1) * d], 1, &y, m, d, &mut row);
        assert_eq!(bits(&row), got[i * m..(i + 1) * m], "row {i} depends on the others");
    }
}

fn shapes() -> impl Iterator<Item = (usize, usize, usize)> {
    let square = SIZES.into_iter().map(|s| (s, 17, 5));
    let wide = SIZES.into_iter().map(|s| (7, s, 16));
    let deep = SIZES.into_iter().map(|s| (9, 18, s));
    square.chain(wide).chain(deep).chain([(5, 4, 4096), (5, 4, 4097), (20, 30, 9000), (300, 400, 33)])
}

fn differences<'a>(x: &'a [f32], y: &'a [f32]) -> impl Iterator<Item = f64> + 'a {
    x.iter().zip(y).map(|(&x, &y)| (f64::from(x) - f64::from(y)).abs())
}

#[test]
fn manhattan_and_chebyshev_at_every_size() {
    for (n, m, d) in shapes() {
        let bound = d.min(256) as f64 + 18.0;
        check(n, m, d, &manhattan, bound, &|x, y| {
            let sum = differences(x, y).sum();
            (sum, sum)
        });
        check(n, m, d, &chebyshev, 1.0, &|x, y| {
            let largest = differences(x, y).fold(0.0, f64::max);
            (largest, largest)
        });
    }
}

#[test]
fn minkowski_of_every_order() {
    for p in [1.0_f32, 1.5, 2.0, 2.5, 3.0, 4.0, 7.0, 50.0, 1e6, 1e12] {
        for (n, m, d) in shapes().filter(|s| s.2 < 5000) {
            let order = f64::from(p);
            check(
                n,
                m,
                d,
                &|x, n, y, m, d, out| minkowski(x, n, y, m, d, p, out),
                d.min(4200) as f64 / order + 16.0,
                &|x, y| {
                    let largest = differences(x, y).fold(0.0, f64::max);
                    let sum: f64 = differences(x, y).map(|v| (v / largest).powf(order)).sum();
                    let want = if largest > 0.0 { largest * sum.powf(1.0 / order) } else { 0.0 };
                    (want, want)
                },
            );
        }
    }
    let mut out = [0.0];
    minkowski(&[1.0, 5.0], 1, &[2.0, -3.0], 1, 2, f32::INFINITY, &mut out);
    assert_eq!(out, [8.0]);
}

#[test]
fn minkowski_keeps_to_the_range_of_f32() {
    for p in [1.7_f32, 3.0, 4.0, 9.0] {
        for scale in [1e-30_f32, 1.0, 1e30] {
            let mut out = [f32::NAN; 2];
            let y = [0.0, 0.0, 3.0 * scale, 4.0 * scale];
            minkowski(&[0.0, 0.0], 1, &y, 2, 2, p, &mut out);
            let p = f64::from(p);
            let want = (3_f64.powf(p) + 4_f64.powf(p)).powf(1.0 / p) * f64::from(scale);
            assert_eq!(out[0], 0.0);
            close(f64::from(out[1]), want, 16.0, want);
        }
    }
}

#[test]
fn cosine_at_every_size_and_for_rows_of_zeros() {
    for (n, m, d) in shapes() {
        check(n, m, d, &cosine, d.min(256) as f64 + 20.0, &|x, y| {
            let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
            let lengths = (dot(x, x) * dot(y, y)).sqrt();
            (if lengths > 0.0 { 1.0 - dot(x, y) / lengths } else { 1.0 }, 1.0)
        });
    }
    let mut out = [0.0; 4];
    cosine(&[0.0, 0.0, 1e38, 1e38], 2, &[1e-30, 1e-30, -3e38, -3e38], 2, 2, &mut out);
    assert_eq!(out[..2], [1.0, 1.0]);
    assert!(out[2] < 1e-6 && out[3] > 2.0 - 1e-6 && out[3] <= 2.0);
}

#[test]
fn mahalanobis_is_the_distance_after_whitening() {
    for (n, m, d) in shapes().filter(|s| s.2 <= 300) {
        let mut whitening = numbers(d * d, 5);
        (0..d).for_each(|i| whitening[i * d + i] += 2.0);
        let op = |x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]| {
            let rows = |values: &[f32], rows| Matrix::from_slice(rows, d, values).unwrap().to(&Device::Cpu).unwrap();
            let mut stream = Device::Cpu.stream();
            let found = gristmill::ops::mahalanobis(&mut stream, &rows(x, n), &rows(y, m), &rows(&whitening, d));
            out.copy_from_slice(found.unwrap().to_matrix(&mut stream).unwrap().as_slice());
        };
        check(n, m, d, &op, d.min(256) as f64 + 18.0, &|x, y| {
            let (mut sum, mut scale) = (0.0, 0.0);
            for row in whitening.chunks_exact(d.max(1)) {
                let part: f64 = (0..d).map(|k| f64::from(row[k]) * (f64::from(x[k]) - f64::from(y[k]))).sum();
                let size: f64 = (0..d).map(|k| f64::from(row[k].abs()) * f64::from(x[k].abs() + y[k].abs())).sum();
                sum += part * part;
                scale += size * size;
            }
            (sum.sqrt(), sum.sqrt() + scale.sqrt())
        });
    }
}
