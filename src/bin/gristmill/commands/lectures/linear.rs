//! Linear models: 000 §2, 001 §1–3, 003 §1.

use gristmill::datasets::notes;
use gristmill::linalg::Svd;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![pseudo_inverse()?, quartic()?, sines()?, certainty()?, degrees()?, outlier()?, newton()])
}

fn pseudo_inverse() -> Result<Experiment> {
    // The design of the notes: a second column that is −5 times the first, a = (2, 0) up to the scale of x.
    let line = notes::bayesian_line(24, 0)?;
    let x = DMatrix::from_fn(24, 2, |row, column| f64::from(line.x.get(row, 0)) * [1.0, -5.0][column]);
    let y = DMatrix::from_fn(24, 1, |row, _| 2.0 * f64::from(line.x.get(row, 0)));
    let svd = Svd::factor(&x)?;
    let found = svd.least_squares(&y, svd.default_tolerance())?;
    let ours = format!("({:.4}, {:.4}), of least norm", found[(0, 0)], found[(1, 0)]);
    Ok(Experiment::new("000 §2.1.4", "Pseudo-inverse of X = [x, −5x]", "a = (−2.80, −0.96)", ours)
        .why("the notes divide by a singular value of 3e-7 that is rounding; cut off, the answer is (1/13, −5/13) for a = (2, 0)"))
}

/// Least squares of the columns that a function makes of x, in f64.
fn least_squares(data: &Dataset, columns: usize, basis: impl Fn(f64, usize) -> f64) -> Result<(Vec<f64>, f64)> {
    let (n, target) = (data.rows(), data.values()?);
    let x = DMatrix::from_fn(n, columns, |row, column| basis(f64::from(data.x.get(row, 0)), column));
    let y = DMatrix::from_fn(n, 1, |row, _| f64::from(target.get(row, 0)));
    let svd = Svd::factor(&x)?;
    let found = svd.least_squares(&y, svd.default_tolerance())?;
    let error = (&x * &found - &y).norm_squared() / n as f64;
    Ok((found.iter().copied().collect(), error))
}

fn quartic() -> Result<Experiment> {
    let data = notes::quartic(0)?;
    let (found, _) = least_squares(&data, 5, |x, power| x.powi(power as i32))?;
    let at = |coefficients: &[f64], x: f64| coefficients.iter().rev().fold(0.0, |sum, own| sum * x + own);
    let line = |coefficients: &[f64]| {
        (-40..=40).map(|at_x| f64::from(at_x) / 20.0).map(|x| (x, at(coefficients, x))).collect::<Vec<_>>()
    };
    let points = (0..24)
        .map(|row| Ok((f64::from(data.x.get(row, 0)), f64::from(data.values()?.get(row, 0)))))
        .collect::<Result<Vec<_>>>()?;
    let words: Vec<String> = found.iter().map(|value| format!("{value:.3}")).collect();
    let figure = Figure::new()
        .title("A quartic from 24 points")
        .scatter("", points)
        .line("fit", line(&found))
        .dashed("truth", line(&notes::QUARTIC));
    Ok(Experiment::new(
        "000 §2.2.1",
        "Coefficients of the quartic (truth 5.23 −1.5 0.83 0.7 −0.2)",
        "5.270 −1.514 0.788 0.702 −0.198",
        words.join(" "),
    )
    .why("other random points; both within three standard errors of the truth")
    .figure(figure))
}

fn sines() -> Result<Experiment> {
    let (train, validation) = notes::sines(0)?;
    let sine = |x: f64, term: usize| ((term + 1) as f64 * x).sin();
    let mut rows = vec![];
    for p in [3, 5, 10, 15, 20, 25, 35] {
        rows.push((p, least_squares(&train, p, sine)?.1));
    }
    let error = |p: usize| -> Result<f64> {
        let (found, _) = least_squares(&train, p, sine)?;
        let one = |row: usize| -> Result<f64> {
            let x = f64::from(validation.x.get(row, 0));
            let value: f64 = found.iter().enumerate().map(|(term, own)| own * sine(x, term)).sum();
            Ok((value - f64::from(validation.values()?.get(row, 0))).powi(2))
        };
        Ok((0..48).map(one).sum::<Result<f64>>()? / 48.0)
    };
    let curve = (1..=24).map(|p| Ok((p as f64, error(p)?))).collect::<Result<Vec<_>>>()?;
    let training = (1..=24).map(|p| Ok((p as f64, least_squares(&train, p, sine)?.1))).collect::<Result<Vec<_>>>()?;
    let words: Vec<String> = rows.iter().map(|(p, error)| format!("{p} → {error:.4}")).collect();
    let figure = Figure::new()
        .title("Growing sines: 48 rows to fit, 48 to validate")
        .x_label("terms")
        .y_label("mean squared error");
    let notes = "3 → .0978, 5 → .0961, 10 → .0859, 15 → .0619, 20 → .0466, 25 → .0364, 35 → 2.714";
    Ok(Experiment::new("000 §2.2.2–2.2.3", "Training error of least squares on p sines", notes, words.join(", "))
        .why("2.714 is the f32 inverse of a singular matrix, not overfitting: in f64 the training error never rises")
        .figure(figure.steps("fitted rows", training).steps("new rows", curve)))
}

/// How certain coefficients are, and how columns that depend on each other show.
fn certainty() -> Result<Experiment> {
    let columns = |data: &Dataset, twice: bool| {
        DMatrix::from_fn(data.rows(), 1 + usize::from(twice), |row, column| {
            f64::from(data.x.get(row, 0)) + column as f64 * 1e-6 * (row as f64).sin()
        })
    };
    let fit = |seed: u64, twice: bool| -> Result<_> {
        let data = notes::bayesian_line(24, seed)?;
        let y = DMatrix::from_fn(24, 1, |row, _| data.values().map_or(0.0, |values| f64::from(values.get(row, 0))));
        LinearRegression::default().fit_f64(&columns(&data, twice), &y)
    };
    let (mut slopes, mut stated) = (vec![], 0.0);
    for seed in 0..2000 {
        let model = fit(seed, false)?;
        slopes.push(model.coef()[(0, 0)]);
        stated += model.statistics().and_then(|own| own.covariance(0)).map_or(0.0, |own| own[(0, 0)]) / 2000.0;
    }
    let mean = slopes.iter().sum::<f64>() / 2000.0;
    let variance = slopes.iter().map(|slope| (slope - mean).powi(2)).sum::<f64>() / 1999.0;
    let eigenvalues = |twice: bool| -> Result<Vec<String>> {
        let model = fit(0, twice)?;
        Ok(model.singular_values().unwrap_or_default().iter().map(|value| format!("{:.1e}", value * value)).collect())
    };
    let ours = format!(
        "deviation of 2000 slopes {:.4}, by σ̂²(ΦᵀΦ)⁻¹ {:.4}; eigenvalues of ΦᵀΦ {}, with the column twice {}",
        variance.sqrt(),
        stated.sqrt(),
        eigenvalues(false)?.join(" "),
        eigenvalues(true)?.join(" ")
    );
    Ok(Experiment::new(
        "003 §1.2.1–1.2.2",
        "Covariance of the coefficients, and eigenvalues near 0",
        "σ²(ΦᵀΦ)⁻¹; n < m or collinear columns",
        ours,
    )
    .why("the notes leave out how σ² is found: RSS/(n − m)"))
}

fn degrees() -> Result<Experiment> {
    let wave = |x: f64| (std::f64::consts::TAU * x).sin();
    let draw = |seed: u64, n: usize| -> Result<Dataset> {
        let line = notes::bayesian_line(n, seed)?;
        let x: Vec<f32> = line.x.as_slice().iter().map(|x| (x + 1.0) / 2.0).collect();
        let values = line.values()?;
        let noise = |row: usize| f64::from(values.get(row, 0)) + 0.3 - 0.5 * f64::from(line.x.get(row, 0));
        let y: Vec<f32> = (0..n).map(|row| (wave(f64::from(x[row])) + noise(row)) as f32).collect();
        Dataset::new(Matrix::from_vec(n, 1, x)?, Target::from_numbers(Matrix::from_vec(n, 1, y)?))
    };
    fn power(x: f64, degree: usize) -> f64 {
        x.powi(degree as i32)
    }
    let (train, test) = (draw(3, 10)?, draw(4, 200)?);
    let mut curves = (vec![], vec![], 0.0_f64);
    for degree in 0..=9 {
        let (found, error) = least_squares(&train, degree + 1, power)?;
        let predicted = |x: f64| found.iter().rev().fold(0.0, |sum, own| sum * x + own);
        let square = |row: usize| -> Result<f64> {
            Ok((predicted(f64::from(test.x.get(row, 0))) - f64::from(test.values()?.get(row, 0))).powi(2))
        };
        let other = ((0..200).map(square).sum::<Result<f64>>()? / 200.0).sqrt();
        curves.0.push((degree as f64, error.sqrt()));
        curves.1.push((degree as f64, other.min(3.0)));
        curves.2 = found.iter().map(|own| own.abs()).fold(0.0, f64::max);
    }
    let best = curves.1.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |point| point.0);
    let ours = format!("least on new rows at degree {best}; largest coefficient at degree 9: {:.0}", curves.2);
    let figure = Figure::new()
        .title("Root mean squared error over the degree, 10 rows")
        .x_label("degree")
        .y_label("E_RMS (at most 3 drawn)");
    Ok(Experiment::new(
        "003 §1.2, 001 §3.2",
        "E_RMS over the degree, sine with noise",
        "U-shaped; coefficients grow",
        ours,
    )
    .why("E_RMS = √(RSS/N); the notes' √(2L/N) holds for L = ½RSS only")
    .figure(figure.steps("fitted rows", curves.0).steps("new rows", curves.1)))
}

fn outlier() -> Result<Experiment> {
    let data = notes::line_with_outlier(0)?;
    let pairs = (0..24)
        .map(|row| Ok((f64::from(data.x.get(row, 0)), f64::from(data.values()?.get(row, 0)))))
        .collect::<Result<Vec<_>>>()?;
    let squares = pairs.iter().map(|(x, y)| x * y).sum::<f64>() / pairs.iter().map(|(x, _)| x * x).sum::<f64>();
    let absolute = gristmill::losses::quantile(pairs.iter().map(|(x, y)| (y / x, x.abs() as f32)), 0.5);
    let line = |slope: f64| [(-8.0, -8.0 * slope), (8.0, 8.0 * slope)];
    let ours = format!("squares {squares:.4}, absolute values {absolute:.4}");
    let figure = Figure::new()
        .title("One outlier in 24 points")
        .scatter("", pairs.clone())
        .line("squares", line(squares))
        .line("absolute values", line(absolute));
    Ok(Experiment::new("000 §2.4", "Slope with an outlier, least squares and least absolute values", "1.0905 and 0.9745", ours)
        .why("0.9745 is a subgradient that has not converged; the minimiser is the weighted median of y/x. How far squares go depends on where the outlier lies")
        .figure(figure))
}

fn newton() -> Experiment {
    // F(w) = ½(w₁² − w₂)² + ½(w₁ − 1)².
    let gradient = |w: [f64; 2]| [2.0 * w[0] * (w[0] * w[0] - w[1]) + w[0] - 1.0, -(w[0] * w[0] - w[1])];
    let distance = |w: [f64; 2]| ((w[0] - 1.0).powi(2) + (w[1] - 1.0).powi(2)).sqrt();
    let (mut descent, mut newton) = ([0.0, 0.0], [0.0, 0.0]);
    let (mut slow, mut fast) = (vec![], vec![]);
    for step in 0..40 {
        slow.push((f64::from(step), distance(descent).max(1e-16).log10()));
        fast.push((f64::from(step), distance(newton).max(1e-16).log10()));
        let slope = gradient(descent);
        descent = [descent[0] - 0.1 * slope[0], descent[1] - 0.1 * slope[1]];
        let slope = gradient(newton);
        let (a, b, d) = (6.0 * newton[0] * newton[0] - 2.0 * newton[1] + 1.0, -2.0 * newton[0], 1.0);
        let determinant = a * d - b * b;
        newton = [
            newton[0] - (d * slope[0] - b * slope[1]) / determinant,
            newton[1] - (a * slope[1] - b * slope[0]) / determinant,
        ];
    }
    let ours = format!(
        "after 40 steps {:.1e} away by gradient steps of 0.1, {:.1e} by Newton's",
        distance(descent),
        distance(newton)
    );
    Experiment::new("001 §1.3–1.4", "F = ½(w₁² − w₂)² + ½(w₁ − 1)², minimum (1, 1)", "Newton needs few steps", ours)
        .why("the notes' update of w₂ has the wrong sign: w₂ + η(w₁² − w₂)")
        .figure(
            Figure::new()
                .title("Distance from the minimum")
                .x_label("step")
                .y_label("log₁₀ distance")
                .line("gradient", slow)
                .line("Newton", fast),
        )
}
