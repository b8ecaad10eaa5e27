//! Host linear algebra: residuals, known answers, hard matrices, and refusals.

/// A small matrix by rows: `dmatrix![1.0, 2.0; 3.0, 4.0]`.
macro_rules! dmatrix {
    ($($($value:expr),+);+ $(;)?) => {{
        let rows: Vec<Vec<f64>> = vec![$(vec![$($value),+]),+];
        nalgebra::DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
    }};
}

mod cholesky;
mod eigen;
mod lanczos;
mod nist;
mod qr;
mod refine;
mod strange;
mod svd;
mod triangular;

use nalgebra::DMatrix;

/// The sizes every decomposition is tried at.
pub const SIZES: [usize; 9] = [0, 1, 2, 3, 10, 63, 64, 65, 200];

/// Uniform on (−1, 1), the same for the same seed (splitmix64).
pub fn random(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
    let mut state = seed;
    DMatrix::from_fn(rows, columns, |_, _| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// Symmetric positive definite with eigenvalues from 1 down to 1/condition, evenly in the logarithm.
pub fn with_condition(size: usize, condition: f64, seed: u64) -> DMatrix<f64> {
    let q = random(size, size, seed).qr().q();
    let values = DMatrix::from_fn(size, size, |i, j| {
        let exponent = if size > 1 { i as f64 / (size - 1) as f64 } else { 0.0 };
        if i == j { condition.powf(-exponent) } else { 0.0 }
    });
    let a = &q * values * q.transpose();
    (&a + a.transpose()) * 0.5
}

/// 1/(i + j + 1): condition 5e5 at 5, 1.6e13 at 10, beyond f64 from 13.
pub fn hilbert(size: usize) -> DMatrix<f64> {
    DMatrix::from_fn(size, size, |i, j| 1.0 / (i + j + 1) as f64)
}

/// Largest entry of |a − b|, 0 for empty matrices.
pub fn distance(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    a.iter().zip(b.iter()).fold(0.0, |most, (a, b)| if (a - b).is_nan() { f64::NAN } else { most.max((a - b).abs()) })
}

pub fn identity(size: usize) -> DMatrix<f64> {
    DMatrix::identity(size, size)
}

/// The bits of a matrix, for equality to the last one.
pub fn bits(a: &DMatrix<f64>) -> Vec<u64> {
    a.iter().map(|value| value.to_bits()).collect()
}
