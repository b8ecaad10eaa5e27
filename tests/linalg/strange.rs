//! Numbers from the whole range of `f64`, thrown at everything: an answer that holds or a typed error, never a panic.

use super::{SIZES, distance, identity, random};
use gristmill::linalg::{
    Cholesky, Eigen, Qr, Svd, Triangle, solve_least_squares, solve_positive_definite, solve_triangular,
};
use nalgebra::DMatrix;

/// Entries drawn from a few magnitudes between the least and the greatest, many zeros and repeats.
fn strange(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
    const PALETTE: [f64; 12] = [0.0, 0.0, 1.0, 1.0, -1.0, 5e-324, 1e-310, 1e-160, -1e-20, 1e20, -1e160, f64::MAX / 4.0];
    // Each matrix uses a part of the palette, so that tame and wild ones both occur.
    let reach = 3 + (seed % 10) as usize;
    let (choice, noise) = (random(rows, columns, seed), random(rows, columns, seed ^ 0xabcd));
    DMatrix::from_fn(rows, columns, |i, j| {
        let index = ((choice[(i, j)] + 1.0) / 2.0 * reach as f64) as usize % reach;
        PALETTE[index] * if noise[(i, j)] > 0.5 { noise[(i, j)] } else { 1.0 }
    })
}

#[test]
fn strange_numbers_give_an_answer_or_a_typed_error() {
    let mut answers = [0; 8];
    for seed in 0..400 {
        let size = [0, 1, 2, 3, 5, 8, 17, 33, 40][seed as usize % 9];
        let a = strange(size, size, seed);
        let (tall, b) = (strange(size * 2, size, seed), strange(size, 2, seed + 7));
        let symmetric = DMatrix::from_fn(size, size, |i, j| a[(i.max(j), i.min(j))]);
        // Diagonally dominant where the numbers allow it, so that some are positive definite.
        let mut definite = symmetric.clone();
        (0..size).for_each(|i| definite[(i, i)] = symmetric.row(i).iter().map(|v| v.abs()).sum::<f64>().min(1e308));
        let finite = |x: &DMatrix<f64>| assert!(x.iter().all(|value| value.is_finite()), "seed {seed}");

        for matrix in [&symmetric, &definite] {
            for cholesky in [Cholesky::factor(matrix), Cholesky::factor_with_jitter(matrix)].into_iter().flatten() {
                finite(&cholesky.lower());
                cholesky.solve(&b).iter().for_each(finite);
                cholesky.inverse().iter().for_each(finite);
                assert!(cholesky.condition() >= 0.99, "seed {seed}: {}", cholesky.condition());
                answers[0] += 1;
            }
            if let Ok(solution) = solve_positive_definite(matrix, &b) {
                finite(&solution.x);
                answers[1] += 1;
            }
            if let Ok(eigen) = Eigen::factor(matrix) {
                finite(eigen.vectors());
                assert!(distance(&eigen.vectors().tr_mul(eigen.vectors()), &identity(size)) < 1e-12, "seed {seed}");
                answers[2] += 1;
            }
        }
        for matrix in [&a, &tall, &tall.transpose()] {
            if let Ok(svd) = Svd::factor(matrix) {
                let k = svd.values().len();
                assert!(distance(&svd.v().tr_mul(svd.v()), &identity(k)) < 1e-12, "seed {seed}");
                svd.pseudo_inverse(1e-12).iter().for_each(finite);
                answers[3] += 1;
            }
            let qr = Qr::factor(matrix).unwrap();
            finite(&qr.q());
            finite(&qr.r());
            assert!(!qr.condition().is_nan());
            answers[4] += 1;
        }
        let y = strange(size * 2, 1, seed + 9);
        Qr::factor(&tall).unwrap().least_squares(&y).iter().for_each(|x| {
            finite(x);
            answers[5] += 1;
        });
        if let Ok(solution) = solve_least_squares(&tall, &y, 0.0) {
            finite(&solution.x);
            answers[6] += 1;
        }
        for triangle in [Triangle::Lower, Triangle::UpperTransposed] {
            solve_triangular(&a, triangle, &b).iter().for_each(|x| {
                finite(x);
                answers[7] += 1;
            });
        }
    }
    println!("answers: {answers:?}");
    assert!(answers.iter().all(|count| *count > 40), "{answers:?}");
}

#[test]
fn a_nan_anywhere_is_found_at_every_size() {
    for size in SIZES.into_iter().filter(|size| *size > 0) {
        for place in [0, size * size / 2, size * size - 1] {
            let mut a = identity(size);
            a.as_mut_slice()[place] = f64::NAN;
            assert!(Cholesky::factor(&a).is_err() && Eigen::factor(&a).is_err());
            assert!(Svd::factor(&a).is_err() && Qr::factor(&a).is_err());
            assert!(solve_positive_definite(&a, &identity(size)).is_err());
            assert!(solve_least_squares(&a, &identity(size), 0.0).is_err());
        }
    }
}
