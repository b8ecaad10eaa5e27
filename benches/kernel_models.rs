//! Kernel models as wholes: seconds and peak memory, one case a process.
//!
//! `cargo bench --bench kernel_models -- CASE [FOLDER]`, with CASE one of gram, ridge, path, pcg, falkon. With a folder, rows,
//! targets and predictions are written there as raw f32, for `scripts/kernel_peers` to fit the same with scikit-learn.

use std::f32::consts::TAU;
use std::path::Path;
use std::time::Instant;

use gristmill::estimator::{FitReport, Model};
use gristmill::kernel_methods::RidgeSolver;
use gristmill::metrics;
use gristmill::prelude::*;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let Some(case) = arguments.first() else { return Ok(()) };
    let folder = arguments.get(1).map(Path::new);
    match case.as_str() {
        "gram" => gram(folder),
        "ridge" => ridge(folder),
        "path" => path(folder),
        "pcg" => pcg(),
        "falkon" => falkon(folder),
        other => panic!("no case {other}"),
    }
}

/// Normal rows and a smooth target with noise.
fn data(rows: usize, columns: usize, seed: u64) -> Result<(Matrix, Vec<f32>)> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 + 0.5) / 16_777_216.0
    };
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (TAU * uniform()).cos();
    let x = Matrix::from_vec(rows, columns, (0..rows * columns).map(|_| normal()).collect())?;
    let value = |row: &[f32]| row[0].sin() + 0.5 * row[1] * row[2] + row[3].abs() + (row[4] + row[5]).cos();
    let y = (0..rows).map(|row| value(x.row(row)) + 0.1 * normal()).collect();
    Ok((x, y))
}

fn write(folder: Option<&Path>, name: &str, values: &[f32]) -> Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(folder.join(name), bytes).expect("the folder can be written to");
    Ok(())
}

/// Least and median seconds of some runs after one that warms up, and what the last one gave.
fn timed<T>(runs: usize, mut work: impl FnMut() -> Result<T>) -> Result<(f64, f64, T)> {
    let mut last = work()?;
    let mut seconds = vec![];
    for _ in 0..runs {
        let begun = Instant::now();
        last = work()?;
        seconds.push(begun.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok((seconds[0], seconds[runs / 2], last))
}

/// The most memory that the process has held, in MiB (Linux).
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: 0 kB");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn iterations(report: &FitReport) -> usize {
    report.iterations.as_ref().map_or(0, |ended| ended.count)
}

fn gram(folder: Option<&Path>) -> Result<()> {
    let (x, _) = data(8192, 64, 1)?;
    write(folder, "gram.x", x.as_slice())?;
    let x = x.to(&Device::Cpu)?;
    let (least, median, _) = timed(9, || Kernel::rbf(1.0 / 64.0).symmetric_matrix(&mut Device::Cpu.stream(), &x))?;
    println!("gram 8192² d=64: {least:.4} s, median {median:.4}");
    Ok(())
}

fn ridge(folder: Option<&Path>) -> Result<()> {
    let ((x, y), (other, _)) = (data(8000, 8, 2)?, data(1000, 8, 3)?);
    let model = KernelRidge::default().alpha(0.1).kernel(Kernel::rbf(0.125));
    let (least, median, model) = timed(3, || model.fit(&x, &y))?;
    println!("kernel ridge 8000×8: {least:.3} s, median {median:.3}, residual {:.1e}", model.residual());
    for (name, values) in [("x", x.as_slice()), ("y", &y), ("other", other.as_slice())] {
        write(folder, &format!("ridge.{name}"), values)?;
    }
    write(folder, "ridge.predicted", model.predict(&other)?.as_slice())
}

fn path(folder: Option<&Path>) -> Result<()> {
    let (x, y) = data(4000, 8, 4)?;
    let alphas: Vec<f64> = (0..30).map(|at| 10.0_f64.powf(-3.0 + 6.0 * f64::from(at) / 29.0)).collect();
    for (name, kernel) in [("poly of degree 2", "poly(degree=2,gamma=0.125,coef0=1)"), ("rbf", "rbf(gamma=0.125)")] {
        let kernel: Kernel = kernel.parse()?;
        let one = KernelRidge::default().alpha(0.1).kernel(kernel.clone());
        let (fit, fit_median, _) = timed(5, || one.fit(&x, &y))?;
        let all = KernelRidgeCv::default().alphas(alphas.clone()).kernel(kernel);
        let (least, median, model) = timed(2, || all.fit(&x, &y))?;
        println!(
            "30 alphas, 4000×8, {name}, rank {}: {least:.3} s, median {median:.3}; one fit {fit:.3} s, median \
             {fit_median:.3}; ratio {:.2}",
            model.report().number("rank").unwrap_or(0.0),
            least / fit
        );
        let errors: Vec<f32> = model.leave_one_out_errors().iter().map(|&error| error as f32).collect();
        write(folder, &format!("path.errors.{}", &name[..3]), &errors)?;
    }
    write(folder, "path.x", x.as_slice())?;
    write(folder, "path.y", &y)
}

fn pcg() -> Result<()> {
    let (x, y) = data(50_000, 8, 5)?;
    let before = peak();
    let begun = Instant::now();
    let ridge = KernelRidge::default().alpha(1.0).kernel(Kernel::rbf(0.125)).solver(RidgeSolver::Pcg).tol(1e-5);
    let model = ridge.fit(&x, &y)?;
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "PCG 50k×8: {seconds:.2} s, {} iterations, residual {:.1e}, peak {:.0} MiB, data and program {before:.0}",
        iterations(&model.report()),
        model.residual(),
        peak()
    );
    Ok(())
}

fn falkon(folder: Option<&Path>) -> Result<()> {
    let ((x, y), (other, truth)) = (data(500_000, 32, 6)?, data(10_000, 32, 7)?);
    let before = peak();
    let begun = Instant::now();
    let falkon = Falkon::default().alpha(0.5).kernel(Kernel::rbf(1.0 / 32.0)).n_centers(2000);
    let model = falkon.fit(&x, &y)?;
    let (seconds, most) = (begun.elapsed().as_secs_f64(), peak());
    let score = |model: &Matrix| metrics::mean_squared_error(&truth, model.as_slice());
    let error = score(&model.predict(&other)?)?;
    println!(
        "Falkon 500k×32, M = 2000: {seconds:.2} s, {} iterations, peak {most:.0} MiB, data and program {before:.0}, error {error:.5}",
        iterations(&model.report())
    );
    let some: Vec<usize> = (0..10_000).collect();
    let exact =
        KernelRidge::default().alpha(0.1).kernel(Kernel::rbf(1.0 / 32.0)).fit(&x.select(&some)?, &y[..10_000])?;
    println!("exact kernel ridge on 10k rows: error {:.5}", score(&exact.predict(&other)?)?);
    for (name, values) in [("x", x.as_slice()), ("y", &y), ("other", other.as_slice()), ("truth", &truth)] {
        write(folder, &format!("falkon.{name}"), values)?;
    }
    Ok(())
}
