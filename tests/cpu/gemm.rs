use gristmill::cpu::distance::pairwise::sq_euclidean;
use gristmill::cpu::linalg::gemm::{Layout, gemm};
use rayon::ThreadPoolBuilder;

const SIZES: [usize; 16] = [0, 1, 2, 5, 6, 7, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000];

fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        })
        .collect()
}

fn transposed(x: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|at| x[(at % rows) * columns + at / rows]).collect()
}

/// Rounding bound c·ε·Σ|terms|: registers sum 256 terms in f32, at most sixteen such sums follow.
fn tolerance(depth: usize, magnitude: f64) -> f64 {
    (depth.min(256) as f64 + 20.0) * f64::from(f32::EPSILON) * magnitude + 1e-30
}

fn check_product(n: usize, m: usize, k: usize, alpha: f32, beta: f32) {
    let (a, b, old) = (numbers(n * k, 1), numbers(m * k, 2), numbers(n * m, 3));
    let mut results = Vec::new();
    for layout in [Layout::NN, Layout::NT, Layout::TN] {
        let left = if layout == Layout::TN { transposed(&a, n, k) } else { a.clone() };
        let right = if layout == Layout::NT { b.clone() } else { transposed(&b, m, k) };
        let left_shape = if layout == Layout::TN { (k, n) } else { (n, k) };
        let right_shape = if layout == Layout::NT { (m, k) } else { (k, m) };
        let mut c = if beta == 0.0 { vec![f32::NAN; n * m] } else { old.clone() };
        gemm(layout, alpha, &left, left_shape, &right, right_shape, beta, &mut c);
        results.push(c);
    }
    assert_eq!(bits(&results[0]), bits(&results[1]), "NN and NT at {n}x{m}x{k}");
    assert_eq!(bits(&results[0]), bits(&results[2]), "NN and TN at {n}x{m}x{k}");
    // Every row and column of small outputs, a sample of large ones that includes the last.
    let (row_step, column_step) = (n.div_ceil(40).max(1), m.div_ceil(40).max(1));
    for i in (0..n).rev().step_by(row_step) {
        for j in (0..m).rev().step_by(column_step) {
            let (mut sum, mut magnitude) = (0.0_f64, 0.0_f64);
            for (x, y) in a[i * k..(i + 1) * k].iter().zip(&b[j * k..(j + 1) * k]) {
                sum += f64::from(*x) * f64::from(*y);
                magnitude += (f64::from(*x) * f64::from(*y)).abs();
            }
            let before = if beta == 0.0 { 0.0 } else { f64::from(beta) * f64::from(old[i * m + j]) };
            let expected = f64::from(alpha) * sum + before;
            let bound = tolerance(k, f64::from(alpha).abs() * magnitude + before.abs());
            let got = f64::from(results[0][i * m + j]);
            assert!((got - expected).abs() <= bound, "{n}x{m}x{k} at {i},{j}: {got} for {expected}");
        }
    }
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn all_layouts_agree_with_the_oracle_at_edge_sizes() {
    for n in SIZES {
        for m in SIZES {
            check_product(n, m, 17, 1.0, 0.0);
        }
    }
}

#[test]
fn all_depths_agree_with_the_oracle() {
    for k in (0..=17).chain([255, 256, 257, 511, 513, 4095, 4096, 4097, 9000]) {
        for (n, m) in [(1, 1), (7, 17), (65, 33)] {
            check_product(n, m, k, 1.0, 0.0);
            check_product(n, m, k, -0.75, 0.5);
            check_product(n, m, k, 2.0, 1.0);
        }
    }
}

#[test]
fn large_shapes_take_every_parallel_path() {
    check_product(700, 900, 300, 1.0, 0.0);
    check_product(3, 5000, 128, 1.5, -1.0);
    check_product(5000, 3, 128, 1.5, -1.0);
    check_product(130, 70, 40_000, 1.0, 0.0);
    check_product(600, 1100, 4100, 1.0, 1.0);
    check_product(3, 1100, 5000, 1.0, 0.0);
}

#[test]
fn a_zero_depth_scales_the_output() {
    let mut c = vec![2.0, -4.0];
    gemm(Layout::NT, 3.0, &[], (2, 0), &[], (1, 0), 0.5, &mut c);
    assert_eq!(c, [1.0, -2.0]);
    let mut c = vec![f32::NAN; 2];
    gemm(Layout::NT, 3.0, &[], (2, 0), &[], (1, 0), 0.0, &mut c);
    assert_eq!(c, [0.0, 0.0]);
}

#[test]
fn row_chunks_do_not_change_the_bits() {
    for k in [1, 5, 64, 257, 1000, 4097, 9000] {
        let (n, m) = match k {
            ..64 | 257 => (259, 133),
            64 => (1003, 133),
            _ => (130, 37),
        };
        let (a, b) = (numbers(n * k, 6), numbers(m * k, 7));
        for beta in [0.0, 0.5] {
            let old = numbers(n * m, 8);
            let mut whole = old.clone();
            gemm(Layout::NT, 1.25, &a, (n, k), &b, (m, k), beta, &mut whole);
            let mut distances = vec![0.0; n * m];
            sq_euclidean(&a, n, &b, m, k, &mut distances);
            for chunk in [1, 2, 7, 64, 1000] {
                let mut parts = old.clone();
                let mut part_distances = vec![0.0; n * m];
                for first in (0..n).step_by(chunk) {
                    let rows = chunk.min(n - first);
                    let (a, range) = (&a[first * k..(first + rows) * k], first * m..(first + rows) * m);
                    gemm(Layout::NT, 1.25, a, (rows, k), &b, (m, k), beta, &mut parts[range.clone()]);
                    sq_euclidean(a, rows, &b, m, k, &mut part_distances[range]);
                }
                assert_eq!(bits(&parts), bits(&whole), "chunk {chunk}, depth {k}");
                assert_eq!(bits(&part_distances), bits(&distances), "chunk {chunk}, depth {k}");
            }
            // The same for rows of B: one column at a time.
            for j in (0..m).step_by(11) {
                let mut column: Vec<f32> = (0..n).map(|i| old[i * m + j]).collect();
                gemm(Layout::NT, 1.25, &a, (n, k), &b[j * k..(j + 1) * k], (1, k), beta, &mut column);
                let expected: Vec<f32> = (0..n).map(|i| whole[i * m + j]).collect();
                assert_eq!(bits(&column), bits(&expected), "column {j}, depth {k}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_bits() {
    for (n, m, k) in [(1000, 257, 300), (3, 4000, 200), (128, 64, 50_000), (600, 500, 4500), (1, 1, 30_000)] {
        let (a, b) = (numbers(n * k, 9), numbers(m * k, 10));
        let mut first: Option<(Vec<u32>, Vec<u32>)> = None;
        for threads in [1, 2, 3, 8] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut c, mut distances) = (vec![f32::NAN; n * m], vec![f32::NAN; n * m]);
            pool.install(|| {
                gemm(Layout::TN, 1.0, &a, (k, n), &b, (k, m), 0.0, &mut c);
                sq_euclidean(&a, n, &b, m, k, &mut distances);
            });
            let got = (bits(&c), bits(&distances));
            match &first {
                None => first = Some(got),
                Some(first) => assert!(*first == got, "{n}x{m}x{k} with {threads} threads"),
            }
        }
    }
}

#[test]
fn infinity_stays_in_its_row() {
    let (n, m, k) = (13, 17, 5);
    let (mut a, b) = (numbers(n * k, 14), numbers(m * k, 15));
    a[3 * k] = f32::INFINITY;
    let mut c = vec![f32::NAN; n * m];
    gemm(Layout::NT, 1.0, &a, (n, k), &b, (m, k), 0.0, &mut c);
    for (at, value) in c.iter().enumerate() {
        assert_eq!(value.is_finite(), at / m != 3);
    }
}
