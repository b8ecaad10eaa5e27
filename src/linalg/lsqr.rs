//! Least squares of a matrix that is known by its products alone.

use crate::error::Result;

/// The iteration ends when what is left is as small as f64 can tell: ‖Aᵀr‖ against ‖A‖·‖r‖, and ‖r‖ against ‖b‖.
const TOLERANCE: f64 = 1e-14;

/// What [`lsqr`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct LsqrSolution {
    /// The solution.
    pub x: Vec<f64>,
    /// Products with A, and with Aᵀ, that were made.
    pub iterations: usize,
    /// Whether it ended before `most` iterations.
    pub converged: bool,
}

/// Minimises ‖A·x − b‖² + damp²·‖x‖²; of all solutions the shortest (Paige and Saunders, LSQR, 1982).
///
/// `product` gives A·v and `transposed` Aᵀ·u. In exact arithmetic min(n, d) iterations do; some times as many where A is
/// ill-conditioned. `report` gets the number of each iteration and may end the work with an error.
pub fn lsqr(
    product: impl Fn(&[f64]) -> Vec<f64>,
    transposed: impl Fn(&[f64]) -> Vec<f64>,
    b: &[f64],
    damp: f64,
    most: usize,
    mut report: impl FnMut(usize) -> Result<()>,
) -> Result<LsqrSolution> {
    // Golub and Kahan's bidiagonalisation: β·u is the next left vector, α·v the next right one.
    let (mut u, b_norm) = unit(b.to_vec());
    let (mut v, mut alpha) = unit(transposed(&u));
    let mut x = vec![0.0; v.len()];
    let done = |x, iterations, converged| Ok(LsqrSolution { x, iterations, converged });
    if b_norm == 0.0 || alpha == 0.0 {
        return done(x, 0, true);
    }
    let mut w = v.clone();
    let (mut phi_bar, mut rho_bar) = (b_norm, alpha);
    let (mut a_squares, mut damped_squares) = (0.0_f64, 0.0_f64);
    for iteration in 1..=most {
        report(iteration)?;
        let beta;
        (u, beta) = unit(less(product(&v), alpha, &u));
        a_squares += alpha * alpha + beta * beta + damp * damp;
        (v, alpha) = unit(less(transposed(&u), beta, &v));
        // Two rotations: away with the damping, then with β below the diagonal.
        let rho_damped = rho_bar.hypot(damp);
        let (cosine, sine) = (rho_bar / rho_damped, damp / rho_damped);
        let psi = sine * phi_bar;
        phi_bar *= cosine;
        let rho = rho_damped.hypot(beta);
        let (cosine, sine) = (rho_damped / rho, beta / rho);
        let theta = sine * alpha;
        rho_bar = -cosine * alpha;
        let phi = cosine * phi_bar;
        phi_bar *= sine;
        for ((x, w), v) in x.iter_mut().zip(&mut w).zip(&v) {
            *x += phi / rho * *w;
            *w = v - theta / rho * *w;
        }
        damped_squares += psi * psi;
        let left = (phi_bar * phi_bar + damped_squares).sqrt();
        let slope = phi_bar.abs() * alpha * cosine.abs();
        if slope <= TOLERANCE * a_squares.sqrt() * left || left <= TOLERANCE * b_norm || alpha == 0.0 {
            return done(x, iteration, true);
        }
    }
    done(x, most, false)
}

/// The vector of length 1 and the length it had; a vector of zeros stays.
fn unit(mut vector: Vec<f64>) -> (Vec<f64>, f64) {
    let largest = vector.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return (vector, 0.0);
    }
    let squares: f64 = vector.iter().map(|value| (value / largest).powi(2)).sum();
    let norm = largest * squares.sqrt();
    vector.iter_mut().for_each(|value| *value /= norm);
    (vector, norm)
}

/// `vector − factor·other`.
fn less(mut vector: Vec<f64>, factor: f64, other: &[f64]) -> Vec<f64> {
    vector.iter_mut().zip(other).for_each(|(value, other)| *value -= factor * other);
    vector
}
