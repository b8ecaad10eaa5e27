//! Whole fits of linear models at the sizes of `docs/benchmarks.md`: `cargo bench --bench linear_models [PART OF A NAME]`.
//!
//! Rows come from `scripts/linear_peers data FOLDER`, the folder that `GRISTMILL_BENCH_DATA` names, so that peers are timed on
//! the same ones; without it those of the classifiers are drawn here and the others left out. `GRISTMILL_BENCH_A9A` names the
//! file a9a, `GRISTMILL_BENCH_FASHION` the folder with the images, `GRISTMILL_BENCH_STEPS` the steps of softmax. Each fit runs
//! three times, and the minimum is shown with the objective it reached.

use std::time::Instant;

use gristmill::linear::{LinearSvc, SvcLoss};
use gristmill::ops::random::philox::Draw;
use gristmill::ops::{random_normals, random_uniforms};
use gristmill::prelude::*;

fn main() -> Result<()> {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let is_wanted = |name: &str| name.contains(&wanted);
    if is_wanted("logistic") || is_wanted("svc") {
        let (x, y) = tall()?;
        if is_wanted("logistic") {
            let fit = || LogisticRegression::default().fit(&x, &y);
            time("logistic 500k×64", fit, |model| Ok((logistic_objective(model, &x, &y, 1.0)?, model.iterations())))?;
        }
        for (name, loss) in [("svc squared hinge", SvcLoss::SquaredHinge), ("svc hinge", SvcLoss::Hinge)] {
            if is_wanted(name) {
                let fit = || LinearSvc::default().loss(loss).c(0.01).fit(&x, &y);
                time(name, fit, |model| Ok((svc_objective(model, &x, &y, 0.01, loss)?, model.iterations())))?;
            }
        }
    }
    if let Some(path) = std::env::var_os("GRISTMILL_BENCH_A9A").filter(|_| is_wanted("a9a")) {
        let data = Dataset::read_with(&path, &gristmill::data::ReadOptions::default().sparse(true))?;
        let Some(sparse) = &data.sparse else { return Ok(()) };
        for (name, loss) in [("a9a squared hinge", SvcLoss::SquaredHinge), ("a9a hinge", SvcLoss::Hinge)] {
            let fit = || LinearSvc::default().loss(loss).fit(sparse, data.labels()?);
            time(name, fit, |model| {
                let objective = AnyModel::new(model.clone()).report().number("objective").unwrap_or(f64::NAN);
                Ok((objective, model.iterations()))
            })?;
        }
    }
    if let Some(folder) = std::env::var_os("GRISTMILL_BENCH_FASHION").filter(|_| is_wanted("softmax")) {
        let folder = std::path::Path::new(&folder);
        let x = Dataset::read(folder.join("train-images-idx3-ubyte.gz"))?
            .with_labels_file(folder.join("train-labels-idx1-ubyte.gz"))?;
        let values = x.x.as_slice().iter().map(|value| value / 255.0).collect();
        let scaled = Matrix::from_vec(x.rows(), x.columns(), values)?;
        let iterations: usize =
            std::env::var("GRISTMILL_BENCH_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
        let fit = || LogisticRegression::default().tol(1e-5).max_iter(iterations).fit(&scaled, x.labels()?);
        time("softmax Fashion-MNIST", fit, |model| {
            let report = AnyModel::new(model.clone()).report();
            let losses = report.curve("train_loss");
            Ok((60_000.0 * losses[losses.len() - 1], model.iterations()))
        })?;
    }
    let Some(folder) = std::env::var_os("GRISTMILL_BENCH_DATA") else { return Ok(()) };
    let table = |name: &str| -> Result<(Matrix, Vec<f32>)> {
        let folder = std::path::Path::new(&folder).join(name);
        Ok((Dataset::read(folder.join("x.npy"))?.x, Dataset::read(folder.join("y.npy"))?.x.as_slice().to_vec()))
    };
    if is_wanted("lasso") {
        let (x, y) = table("lasso")?;
        let largest = Lasso::default().path(&x, &y, None, Fit::default())?.alphas()[0];
        for tol in [1e-7, 1e-8] {
            let fit = || Lasso::new(0.01 * largest).tol(tol).fit(&x, &y);
            let name = format!("lasso 10k×2000, tol {tol:e}");
            time(&name, fit, |model| {
                println!("gap {:.1e} of the objective", model.dual_gap() / model.objective());
                Ok((model.objective(), model.iterations()))
            })?;
        }
        time("lasso path of 100", || Lasso::default().path(&x, &y, None, Fit::default()), worst_gap)?;
    }
    if is_wanted("wide") {
        let (x, y) = table("wide")?;
        let largest = Lasso::default().path(&x, &y, None, Fit::default())?.alphas()[0];
        let alphas: Vec<f64> = (0..50).map(|at| largest * 1e-2_f64.powf(f64::from(at) / 49.0)).collect();
        for tol in [1e-4, 1e-6] {
            let path = || Lasso::default().tol(tol).path(&x, &y, Some(&alphas), Fit::default());
            time(&format!("wide lasso path of 50, tol {tol:e}"), path, worst_gap)?;
        }
    }
    if is_wanted("ridge") {
        let (x, y) = table("ridge")?;
        let alphas: Vec<f64> = (0..50).map(|at| 10_f64.powf(-2.0 + 6.0 * f64::from(at) / 49.0)).collect();
        time("ridge 200k×100, one fit", || Ridge::default().fit(&x, &y), |model| Ok((model.coef()[(0, 0)], 1)))?;
        let path = || Ridge::default().path(&x, &y, &alphas, Fit::default());
        time("ridge path of 50", path, |path| Ok((path.coef(0)[(0, 0)], path.alphas().len())))?;
    }
    Ok(())
}

/// The largest gap of a path as a share of its objective, and all passes.
fn worst_gap(path: &gristmill::linear::LassoPath) -> Result<(f64, usize)> {
    let count = path.alphas().len();
    let gaps = (0..count).map(|at| path.dual_gap(at) / path.objective(at));
    Ok((gaps.fold(0.0, f64::max), (0..count).map(|at| path.iterations(at)).sum()))
}

/// 500,000×64 rows with classes drawn by the log-odds of a plane.
fn tall() -> Result<(Matrix, Labels)> {
    if let Some(folder) = std::env::var_os("GRISTMILL_BENCH_DATA") {
        let folder = std::path::Path::new(&folder);
        let data = Dataset::read(folder.join("tall/x.npy"))?.with_labels_file(folder.join("tall/y.npy"))?;
        return Ok((data.x.clone(), data.labels()?.clone()));
    }
    let (rows, columns) = (500_000, 64);
    let mut stream = Device::Cpu.stream();
    let numbers = random_normals(&mut stream, Draw::new(1, 0), rows * columns)?.to_vec(&mut stream)?;
    let plane = random_normals(&mut stream, Draw::new(1, 1), columns)?.to_vec(&mut stream)?;
    let chance = random_uniforms(&mut stream, Draw::new(1, 2), rows)?.to_vec(&mut stream)?;
    let x = Matrix::from_vec(rows, columns, numbers)?;
    let code = |row: usize| {
        let margin: f32 = x.row(row).iter().zip(&plane).map(|(x, w)| x * w / 4.0).sum();
        u32::from(chance[row] < 1.0 / (1.0 + (-margin).exp()))
    };
    let codes: Vec<u32> = (0..rows).map(code).collect();
    Ok((x.clone(), Labels::from_codes(codes, vec!["0".into(), "1".into()])?))
}

/// Runs a fit three times and prints the fastest.
fn time<M>(
    name: &str,
    mut fit: impl FnMut() -> Result<M>,
    objective: impl Fn(&M) -> Result<(f64, usize)>,
) -> Result<()> {
    let mut best = f64::INFINITY;
    let mut found = (0.0, 0);
    for _ in 0..3 {
        let start = Instant::now();
        let model = fit()?;
        best = best.min(start.elapsed().as_secs_f64());
        found = objective(&model)?;
    }
    println!("{name:30} {:9.1} ms  objective {:.6}  {} steps", 1e3 * best, found.0, found.1);
    Ok(())
}

fn margins(coef: &nalgebra::DMatrix<f64>, intercept: f64, x: &Matrix, y: &Labels) -> Vec<f64> {
    let margin = |row: usize| {
        let sum: f64 = x.row(row).iter().zip(coef.iter()).map(|(x, w)| f64::from(*x) * w).sum::<f64>() + intercept;
        if y.codes()[row] == 1 { sum } else { -sum }
    };
    (0..x.rows()).map(margin).collect()
}

fn logistic_objective(model: &LogisticRegressionModel, x: &Matrix, y: &Labels, c: f64) -> Result<f64> {
    let loss: f64 = margins(model.coef(), model.intercept()[0], x, y)
        .iter()
        .map(|m| (-m).max(0.0) + (-m.abs()).exp().ln_1p())
        .sum();
    Ok(loss + 0.5 * model.coef().norm_squared() / c)
}

fn svc_objective(
    model: &gristmill::linear::LinearSvcModel,
    x: &Matrix,
    y: &Labels,
    c: f64,
    loss: SvcLoss,
) -> Result<f64> {
    let short = |m: &f64| (1.0 - m).max(0.0);
    let total: f64 = margins(model.coef(), model.intercept()[0], x, y)
        .iter()
        .map(|m| if loss == SvcLoss::Hinge { short(m) } else { short(m).powi(2) })
        .sum();
    Ok(0.5 * (model.coef().norm_squared() + model.intercept()[0].powi(2)) + c * total)
}
