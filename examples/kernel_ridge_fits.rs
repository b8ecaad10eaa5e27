//! Kernel ridge regression of a noisy wave by a Gaussian that is too wide, one that fits and one that is too narrow: the fits
//! with the penalty that leaving each row out chooses, and below them the error over all penalties.
//!
//! `cargo run --release --example kernel_ridge_fits [FILE.svg]`

use gristmill::plot::{self, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "kernel_ridge_fits.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the picture, and tells which penalty each kernel got.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let rows = 60;
    let x: Vec<f32> = (0..rows).map(|row| row as f32 / 10.0).collect();
    // Noise that needs no generator: a sine whose steps are far apart.
    let noise = |row: usize| 0.3 * (12.9898 * row as f32 * row as f32).sin();
    let y: Vec<f32> = x.iter().enumerate().map(|(row, x)| (2.0 * x).sin() + 0.3 * x + noise(row)).collect();
    let matrix = Matrix::from_vec(rows, 1, x.clone())?;
    let grid = Matrix::from_vec(400, 1, (0..400).map(|at| at as f32 * 0.015).collect())?;
    let alphas: Vec<f64> = (0..40).map(|at| 10.0_f64.powf(-4.0 + 0.15 * f64::from(at))).collect();
    let (mut fits, mut errors, mut told) = (vec![], vec![], vec![]);
    for kernel in ["rbf(gamma=0.05)", "rbf(gamma=1)", "rbf(gamma=100)"] {
        let model = KernelRidgeCv::default().alphas(alphas.clone()).kernel(kernel.parse()?).fit(&matrix, &y)?;
        let curve = model.predict(&grid)?;
        let points = (0..400).map(|at| (f64::from(grid.get(at, 0)), f64::from(curve.get(at, 0))));
        fits.push(plot::fitted_curve(&x, &y, points)?.title(kernel).x_label("x").y_label("y"));
        errors.push(model.figure());
        let least = model.leave_one_out_errors().iter().copied().fold(f64::INFINITY, f64::min);
        told.push(format!("{kernel}: alpha {:.2e}, error of leaving rows out {least:.3}", model.alpha()));
    }
    let panels = Panels::new(3)?.title("Kernel ridge and the error of leaving each row out");
    fits.into_iter().chain(errors).fold(panels, Panels::figure).save(path)?;
    Ok(told)
}
