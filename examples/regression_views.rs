//! Coefficients along the penalties of ridge and lasso, what both do to a coefficient, sine fits with more and more terms,
//! and a posterior over lines as points come in.
//!
//! `cargo run --release --example regression_views [FOLDER]`

use gristmill::plot::{Figure, Grid, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_string());
    draw(&format!("{folder}/regression_views.svg"))?;
    draw_line(&format!("{folder}/bayesian_line.svg"))?;
    println!("{folder}/regression_views.svg and bayesian_line.svg");
    Ok(())
}

/// Paths, shrinkage and sines.
pub fn draw(path: &str) -> gristmill::Result<()> {
    let (ridge, lasso) = paths()?;
    let panels = Panels::new(3)?.title("Penalties and terms").figure(ridge).figure(lasso).figure(shrinkage());
    let (fits, errors) = sines()?;
    panels.figure(fits).figure(errors).figure(band()?).save(path)
}

/// The coefficients of diabetes, columns of deviation 1, over the penalties.
fn paths() -> gristmill::Result<(Figure, Figure)> {
    let data = datasets::diabetes()?;
    let x = StandardScaler::default().fit(&data.x)?.transform(&data.x)?;
    let y = data.values()?;
    let names = data.names().unwrap_or_default().to_vec();
    let alphas: Vec<f64> = (0..50).map(|at| 10_f64.powf(-1.0 + 0.12 * f64::from(at))).collect();
    let ridge = Ridge::default().path(&x, y, &alphas, Fit::default())?;
    let lasso = Lasso::default().path(&x, y, None, Fit::default())?;
    let mut by_ridge = Figure::new().title("Ridge").x_label("alpha").y_label("coefficient").logarithmic_x();
    let mut by_lasso = Figure::new().title("Lasso").x_label("alpha").y_label("coefficient").logarithmic_x();
    for (column, name) in names.iter().enumerate() {
        by_ridge = by_ridge.line(name, (0..50).map(|at| (ridge.alphas()[at], ridge.coef(at)[(0, column)])));
        by_lasso = by_lasso.line(name, (0..100).map(|at| (lasso.alphas()[at], lasso.coef(at)[(0, column)])));
    }
    Ok((by_ridge, by_lasso))
}

/// What becomes of a coefficient c of orthonormal columns: nothing, c/(1 + λ), sign(c)(|c| − λ/2)₊.
fn shrinkage() -> Figure {
    let penalty = 1.0;
    let curve = |shrink: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        (-60..=60).map(|at| (f64::from(at) / 30.0, shrink(f64::from(at) / 30.0))).collect()
    };
    Figure::new()
        .title("A coefficient with and without a penalty of 1")
        .x_label("without")
        .y_label("with")
        .dashed("none", curve(&|c| c))
        .line("L2", curve(&|c| c / (1.0 + penalty)))
        .line("L1", curve(&|c| c.signum() * (c.abs() - 0.5 * penalty).max(0.0)))
}

/// 48 points of three sines with noise.
fn three_sines(seed: u64) -> (Vec<f32>, Vec<f32>) {
    let noise = gristmill::cpu::random::philox::Philox::new(seed, 1);
    let x: Vec<f32> = (0..48).map(|at| 16.0 * noise.uniform(at) - 8.0).collect();
    let value = |(at, x): (u64, &f32)| curve(*x) + 0.3 * noise.normal(1000 + at);
    let y = (0..).zip(&x).map(value).collect();
    (x, y)
}

fn curve(x: f32) -> f32 {
    0.7 * x.sin() + 0.83 * (2.0 * x).sin() - 1.5 * (3.0 * x).sin()
}

/// sin x, sin 2x, … as columns.
fn terms(x: &[f32], count: usize) -> gristmill::Result<Matrix> {
    let values = x.iter().flat_map(|x| (1..=count).map(move |term| (term as f32 * x).sin())).collect();
    Matrix::from_vec(x.len(), count, values)
}

/// Fits with 3 to 35 terms, and their errors on the fitted points and on others.
fn sines() -> gristmill::Result<(Figure, Figure)> {
    let ((x, y), (new_x, new_y)) = (three_sines(1), three_sines(2));
    let places: Vec<f32> = (0..=320).map(|at| at as f32 / 20.0 - 8.0).collect();
    let mut fits = Figure::new().title("Sums of sines by least squares").x_label("x").y_label("y");
    fits = fits.scatter("points", x.iter().zip(&y).map(|(x, y)| (f64::from(*x), f64::from(*y))));
    fits = fits.dashed("the curve", places.iter().map(|x| (f64::from(*x), f64::from(curve(*x)))));
    let (mut fitted, mut new) = (vec![], vec![]);
    for count in 1..=35 {
        let rows = terms(&x, count)?;
        let model = LinearRegression::default().fit(&rows, &y)?;
        let error = |x: &[f32], y: &[f32]| -> gristmill::Result<f64> {
            Ok(metrics::root_mean_squared_error(y, &model.predict(&terms(x, count)?)?.column(0))?.powi(2))
        };
        fitted.push((count as f64, error(&x, &y)?));
        new.push((count as f64, error(&new_x, &new_y)?));
        if [3, 10, 25, 35].contains(&count) {
            let predicted = model.predict(&terms(&places, count)?)?.column(0);
            let line = places.iter().zip(&predicted).map(|(x, y)| (f64::from(*x), f64::from(*y)));
            fits = fits.line(&format!("{count} terms"), line);
        }
    }
    let errors = Figure::new().title("Mean squared error over the number of terms").x_label("terms").y_label("error");
    let errors = errors.line("fitted points", fitted).line("new points", new).y_range(0.0, 1.0)?;
    Ok((fits.y_range(-4.0, 4.0)?, errors))
}

/// Points of −0.3 + 0.5x with noise of deviation 0.2.
fn line_points(count: usize) -> gristmill::Result<(Matrix, Vec<f32>)> {
    let random = gristmill::cpu::random::philox::Philox::new(5, 1);
    let x: Vec<f32> = (0..count as u64).map(|at| 2.0 * random.uniform(at) - 1.0).collect();
    let y = (0..).zip(&x).map(|(at, x)| -0.3 + 0.5 * x + 0.2 * random.normal(1000 + at)).collect();
    Ok((Matrix::from_vec(count, 1, x)?, y))
}

fn notes() -> BayesianLinearRegression {
    BayesianLinearRegression::default().noise_variance(0.04).prior_variance(0.5)
}

/// The mean of the predictions of a few points by a posterior over sines, and one deviation to both sides.
fn band() -> gristmill::Result<Figure> {
    let (x, y) = three_sines(1);
    let few: Vec<usize> = (0..12).collect();
    let targets: Vec<f32> = few.iter().map(|&at| y[at]).collect();
    let model = notes().noise_variance(0.09).prior_variance(1.0).fit(&terms(&x, 6)?.select(&few)?, &targets)?;
    let places: Vec<f32> = (0..=320).map(|at| at as f32 / 20.0 - 8.0).collect();
    let (mean, variance) = model.predict_with_variance(&terms(&places, 6)?)?;
    let at = |row: usize| {
        let (mean, deviation) = (f64::from(mean.get(row, 0)), f64::from(variance.get(row, 0)).sqrt());
        (f64::from(places[row]), mean - deviation, mean + deviation)
    };
    let middle = (0..places.len()).map(|row| (f64::from(places[row]), f64::from(mean.get(row, 0))));
    Ok(Figure::new()
        .title("Predictions from 12 points, and one deviation")
        .x_label("x")
        .y_label("y")
        .band((0..places.len()).map(at))
        .line("mean", middle)
        .dashed("the curve", places.iter().map(|x| (f64::from(*x), f64::from(curve(*x)))))
        .scatter("points", few.iter().map(|&at| (f64::from(x[at]), f64::from(y[at])))))
}

/// The posterior over lines before any point, after one, two and twenty: the likelihood of the last point, the posterior, six
/// lines drawn from it, and the predictions with one deviation to both sides.
pub fn draw_line(path: &str) -> gristmill::Result<()> {
    let (x, y) = line_points(20)?;
    let mut panels = Panels::new(4)?.title("A posterior over lines; the points come from −0.3 + 0.5x");
    for count in [0, 1, 2, 20] {
        let mut model = notes().prior(1, 1)?;
        if count > 0 {
            let seen: Vec<usize> = (0..count).collect();
            model.update(&x.select(&seen)?, &y[..count])?;
        }
        let grid = Grid::new((-1.0, 1.0), (-1.0, 1.0), 40, 40)?;
        let likelihood = |slope: f64, constant: f64| match count {
            0 => 0.0,
            _ => {
                let last = count - 1;
                let left = f64::from(y[last]) - constant - slope * f64::from(x.get(last, 0));
                -left * left / 0.08
            }
        };
        let posterior = |slope: f64, constant: f64| model.log_density(0, &[slope, constant]).unwrap_or(f64::MIN);
        panels = panels.figure(levels(&grid, "likelihood of the last point", likelihood)?);
        panels = panels.figure(levels(&grid, &format!("posterior after {count}"), posterior)?);
        let points = (0..count).map(|at| (f64::from(x.get(at, 0)), f64::from(y[at])));
        let planes = model.sample_planes(0, 6, 3)?;
        let mut lines = Figure::new().title("six lines").x_range(-1.0, 1.0)?.y_range(-1.5, 1.5)?.without_legend();
        for plane in planes.row_iter() {
            lines = lines.line("", [-1.0, 1.0].map(|x| (x, plane[1] + plane[0] * x)));
        }
        panels = panels.figure(lines.scatter("", points.clone()));
        let places: Vec<f32> = (-20..=20).map(|at| at as f32 / 20.0).collect();
        let (mean, variance) = model.predict_with_variance(&Matrix::from_vec(places.len(), 1, places.clone())?)?;
        let ends = |row: usize| {
            let (mean, deviation) = (f64::from(mean.get(row, 0)), f64::from(variance.get(row, 0)).sqrt());
            (f64::from(places[row]), mean - deviation, mean + deviation)
        };
        let middle = (0..places.len()).map(|row| (f64::from(places[row]), f64::from(mean.get(row, 0))));
        let figure = Figure::new().title("predictions").x_range(-1.0, 1.0)?.y_range(-1.5, 1.5)?.without_legend();
        let figure = figure.band((0..places.len()).map(ends)).line("mean", middle);
        panels = panels.figure(figure.dashed("the line", [(-1.0, -0.8), (1.0, 0.2)]).scatter("", points));
    }
    panels.save(path)
}

/// Cells by how many deviations they are from the top: within one, two, three, and beyond.
fn levels(grid: &Grid, title: &str, log_density: impl Fn(f64, f64) -> f64) -> gristmill::Result<Figure> {
    let points = grid.points()?;
    let values: Vec<f64> = (0..points.rows())
        .map(|row| log_density(f64::from(points.get(row, 1)), f64::from(points.get(row, 0))))
        .collect();
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let codes: Vec<u32> = values.iter().map(|value| (2.0 * (top - value)).sqrt().min(3.0) as u32).collect();
    let figure = Figure::new().title(title).x_label("intercept").y_label("slope").without_legend();
    Ok(figure.regions(grid, &codes)?.crosses("", [(-0.3, 0.5)]))
}
