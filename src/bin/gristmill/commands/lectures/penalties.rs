//! Penalties and priors: 000 §2.3, 001 §3, 003 §1.3–1.4.

use gristmill::datasets::notes;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::book::Experiment;

/// Columns of the sparse problems, and how many of them count.
const SPARSE: (usize, usize) = (100, 4);
/// Problems of each size.
const TRIALS: u64 = 20;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![shrinkage(), thresholds()?, recovery()?, constrained()?, posterior()?])
}

fn shrinkage() -> Experiment {
    let soft = |c: f64, by: f64| c.signum() * (c.abs() - by).max(0.0);
    let places = || (-40..=40).map(|at| f64::from(at) / 10.0);
    let figure = Figure::new().title("Shrinkage where XᵀX = I, λ = 2").x_label("least squares").y_label("coefficient");
    let figure = figure.dashed("none", places().map(|c| (c, c))).line("ridge", places().map(|c| (c, c / 3.0)));
    Experiment::new(
        "001 §3.6, 000 §2.3.2",
        "Isotropic shrinkage",
        "ridge c/(1 + λ), lasso sign(c)(|c| − λ/2)₊",
        "the same, drawn for λ = 2",
    )
    .why("with the mean of squares, as in 000, the threshold is nλ/2: the notes lose the n")
    .figure(figure.line("lasso", places().map(|c| (c, soft(c, 1.0)))))
}

/// The lasso on sines over a whole period, which are orthogonal: each coefficient is the soft threshold of its own.
fn thresholds() -> Result<Experiment> {
    let (rows, terms, lambda) = (64, 25, 0.2);
    let place = |row: usize| std::f64::consts::TAU * row as f64 / rows as f64;
    let noise = datasets::Regression::default().n_samples(rows).n_features(1).n_informative(1).generate()?.x;
    let x = DMatrix::from_fn(rows, terms, |row, term| ((term + 1) as f64 * place(row)).sin());
    let y: Vec<f64> = (0..rows).map(|row| notes::sines_at(place(row)) + 0.3 * f64::from(noise.get(row, 0))).collect();
    let design = Matrix::from_f64(rows, terms, x.transpose().as_slice())?;
    let targets: Vec<f32> = y.iter().map(|y| *y as f32).collect();
    // The notes' mean of squares and λ is twice this objective with α = λ/2.
    let model = Lasso::new(lambda / 2.0).fit_intercept(false).tol(1e-12).fit(&design, &targets)?;
    let square = rows as f64 / 2.0;
    let apart = (0..terms).map(|term| {
        let own = x.column(term).iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() / square;
        let soft = own.signum() * (own.abs() - rows as f64 * lambda / (2.0 * square)).max(0.0);
        (model.coef()[(0, term)] - soft).abs()
    });
    let apart = apart.fold(0.0, f64::max);
    let kept: Vec<String> =
        (0..terms).filter(|term| model.coef()[(0, *term)] != 0.0).map(|term| (term + 1).to_string()).collect();
    let ours = format!("{apart:.0e} apart at most; not 0 are the sines {} of {terms}", kept.join(", "));
    Ok(Experiment::new(
        "000 §2.3.1–2.3.2",
        "The lasso in the eigenbasis, λ = 0.2",
        "soft threshold of the least squares; MSE .0370",
        ours,
    )
    .why("the threshold is nλ/(2s²), the notes lose the n; their .0370 is the least squares before it, and steps along a subgradient without its x give no zeros"))
}

/// How often the lasso finds 4 of 100 coefficients from n rows without noise.
fn recovery() -> Result<Experiment> {
    let (columns, sparse) = SPARSE;
    let unit = sparse as f64 * (columns as f64).ln();
    let found = |rows: usize, seed: u64| -> Result<bool> {
        let x = datasets::Regression::default().n_samples(rows).n_features(columns).n_informative(1).seed(seed);
        let x = x.generate()?.x;
        let truth = |column: usize| if column < sparse { [1.0, -1.0][column % 2] } else { 0.0 };
        let y: Vec<f32> = (0..rows).map(|row| (0..sparse).map(|at| truth(at) * x.get(row, at)).sum()).collect();
        let model = Lasso::new(1e-3).fit_intercept(false).fit(&x, &y)?;
        Ok((0..columns).all(|at| (model.coef()[(0, at)] - f64::from(truth(at))).abs() < 0.1))
    };
    let mut rates = vec![];
    for rows in (5..=50).step_by(5) {
        let hits = (0..TRIALS).map(|seed| found(rows, seed)).collect::<Result<Vec<bool>>>()?;
        rates.push((rows as f64 / unit, hits.iter().filter(|hit| **hit).count() as f64 / TRIALS as f64));
    }
    let half = rates.iter().find(|(_, rate)| *rate >= 0.5).map_or(f64::NAN, |(at, _)| *at);
    let ours =
        format!("half of the problems from n = {half:.1}·s·log d on, {:.0} % at {:.1}", 100.0 * rates[9].1, rates[9].0);
    let figure = Figure::new()
        .title("Recovery of 4 of 100 coefficients without noise")
        .x_label("rows / (s·log d)")
        .y_label("share of problems");
    Ok(Experiment::new("001 §3.5", "Sparse recovery", "n > C·s·log d suffices", ours)
        .why("the theorem holds for λ → 0 only, and minimising ‖·‖₁ is what suffices for ‖·‖₀, not the reverse")
        .figure(figure.steps("", rates)))
}

fn constrained() -> Result<Experiment> {
    let data = notes::wide(0)?;
    let alphas = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];
    let norm = |alpha: &f64| -> Result<f64> { Ok(Ridge::new(*alpha).fit(&data.x, data.values()?)?.coef().norm()) };
    let norms = alphas.iter().map(norm).collect::<Result<Vec<f64>>>()?;
    let falls = norms.windows(2).all(|pair| pair[1] <= pair[0]);
    let ours = format!("‖w‖ from {:.2} to {:.3}: {}", norms[0], norms[5], if falls { "never rises" } else { "rises" });
    let figure =
        Figure::new().title("Ridge: the norm that a penalty allows").x_label("λ").y_label("‖w‖").logarithmic_x();
    Ok(Experiment::new("003 §1.3, 001 §3.3", "Penalty and constraint: λ₁ ≤ λ₂ means β₁ ≥ β₂", "equivalent", ours)
        .figure(figure.steps("", alphas.into_iter().zip(norms))))
}

/// The four columns of the notes' figure: the likelihood of a point, the posterior, and six lines drawn from it.
fn posterior() -> Result<Experiment> {
    let (noise, prior) = (0.04, 0.5);
    let data = notes::bayesian_line(20, 0)?;
    let y = data.values()?;
    let bayes = BayesianLinearRegression::default().noise_variance(noise).prior_variance(prior);
    let (mut model, mut figures) = (bayes.prior(1, 1)?, vec![]);
    for row in 0..=20 {
        if row > 0 {
            model.update(&data.x.select(&[row - 1])?, y.row(row - 1))?;
        }
        if ![0, 1, 2, 20].contains(&row) {
            continue;
        }
        let points = if row == 1 { "point".to_string() } else { "points".to_string() };
        if let Some(last) = row.checked_sub(1) {
            let (x, y) = (f64::from(data.x.get(last, 0)), f64::from(y.get(last, 0)));
            let likelihood = |constant: f64, slope: f64| (-(y - constant - slope * x).powi(2) / (2.0 * noise)).exp();
            figures.push(density(likelihood)?.title(format!("Likelihood of point {row}")));
        }
        let own = |constant: f64, slope: f64| model.log_density(0, &[slope, constant]).map_or(0.0, f64::exp);
        figures.push(density(own)?.title(format!("Posterior after {row} {points}")));
        let planes = model.sample_planes(0, 6, 1)?;
        let mut lines = Figure::new().title(format!("Six lines after {row} {points}")).without_legend();
        for plane in planes.row_iter() {
            lines = lines.line("", [(-1.0, plane[1] - plane[0]), (1.0, plane[1] + plane[0])]);
        }
        let seen = (0..row).map(|row| (f64::from(data.x.get(row, 0)), f64::from(y.get(row, 0))));
        figures.push(lines.scatter("", seen).x_label("x").y_label("t"));
    }
    // The posterior mean is ridge regression with λ = σ²/τ², the constant being a column of its own.
    let batch = bayes.fit(&data.x, y)?;
    let design = Matrix::from_vec(20, 2, (0..20).flat_map(|row| [data.x.get(row, 0), 1.0]).collect())?;
    let ridge = Ridge::new(noise / prior).fit_intercept(false).fit(&design, y)?;
    let slope = model.coef()[(0, 0)];
    let ours = format!(
        "w = ({:.3}, {slope:.3}) after 20 points; all at once {:.0e} away, ridge with λ = σ²/τ² {:.0e}",
        model.intercept()[0],
        (slope - batch.coef()[(0, 0)]).abs(),
        (slope - ridge.coef()[(0, 0)]).abs()
    );
    let experiment = Experiment::new(
        "003 §1.4, 001 §3.3",
        "Bayesian line −0.3 + 0.5x: likelihood, posterior and lines; ridge is the maximum a posteriori",
        "λ = σ²/τ²",
        ours,
    )
    .why("001 loses the 1/2σ² and with it the value of λ");
    Ok(figures.into_iter().fold(experiment, Experiment::figure))
}

/// A density over the constant (across) and the slope (up), both from −1 to 1.
fn density(value: impl Fn(f64, f64) -> f64) -> Result<Figure> {
    const SIDE: usize = 41;
    let at = |place: usize| 2.0 * place as f64 / (SIDE - 1) as f64 - 1.0;
    let values: Vec<f64> = (0..SIDE * SIDE).map(|cell| value(at(cell % SIDE), -at(cell / SIDE))).collect();
    let name = |place: usize| if place.is_multiple_of(10) { format!("{:.1}", at(place)) } else { String::new() };
    let (across, up) = ((0..SIDE).map(name).collect::<Vec<_>>(), (0..SIDE).rev().map(name).collect::<Vec<_>>());
    Ok(Figure::new().heatmap(&up, &across, &values)?.x_label("constant").y_label("slope").without_legend())
}
