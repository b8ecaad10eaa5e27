//! Linear models: 000 §2, 001 §1–3, 003 §1.

use gristmill::datasets::notes;
use gristmill::linalg::Svd;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![
        pseudo_inverse()?,
        quartic()?,
        sines()?,
        degrees()?,
        outlier()?,
        shrinkage(),
        constrained()?,
        posterior()?,
        newton(),
        three_classes()?,
    ])
}

fn pseudo_inverse() -> Result<Experiment> {
    // The design of the notes: a second column that is −5 times the first, a = (2, 0) up to the scale of x.
    let line = notes::bayesian_line(24, 0)?;
    let x = DMatrix::from_fn(24, 2, |row, column| f64::from(line.x.get(row, 0)) * [1.0, -5.0][column]);
    let y = DMatrix::from_fn(24, 1, |row, _| 2.0 * f64::from(line.x.get(row, 0)));
    let svd = Svd::factor(&x)?;
    let found = svd.least_squares(&y, svd.default_tolerance())?;
    let ours = format!("({:.4}, {:.4}), of least norm", found[(0, 0)], found[(1, 0)]);
    Ok(Experiment::new("000 §2.1.3", "Pseudo-inverse of X = [x, −5x]", "â = (−2.80, −0.96)", ours)
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

fn posterior() -> Result<Experiment> {
    // Prior N(0, τ²I), noise σ²: the posterior mean is ridge regression with λ = σ²/τ².
    let (noise, prior) = (0.04, 0.5);
    let data = notes::bayesian_line(20, 0)?;
    let ridge = |rows: usize| -> Result<(f64, f64)> {
        let design =
            DMatrix::from_fn(rows, 2, |row, column| if column == 0 { 1.0 } else { f64::from(data.x.get(row, 0)) });
        let target =
            DMatrix::from_fn(rows, 1, |row, _| data.values().map_or(0.0, |values| f64::from(values.get(row, 0))));
        let system = design.transpose() * &design + DMatrix::identity(2, 2) * (noise / prior);
        let found = gristmill::linalg::Cholesky::factor(&system)?.solve(&(design.transpose() * target))?;
        Ok((found[(0, 0)], found[(1, 0)]))
    };
    // The same one row at a time: the posterior of a row is the prior of the next.
    let mut precision = DMatrix::identity(2, 2) / prior;
    let mut moment = DMatrix::zeros(2, 1);
    for row in 0..20 {
        let own = DMatrix::from_column_slice(2, 1, &[1.0, f64::from(data.x.get(row, 0))]);
        moment += &own * (f64::from(data.values()?.get(row, 0)) / noise);
        precision += &own * own.transpose() / noise;
    }
    let sequential = gristmill::linalg::Cholesky::factor(&precision)?.solve(&moment)?;
    let batch = ridge(20)?;
    let apart = (sequential[(0, 0)] - batch.0).abs().max((sequential[(1, 0)] - batch.1).abs());
    let ours = format!("w = ({:.3}, {:.3}) after 20 points; one at a time the same to {apart:.0e}", batch.0, batch.1);
    let lines = [1, 2, 20].map(|rows| (rows, ridge(rows)));
    let mut figure =
        Figure::new().title("The mean line after 1, 2 and 20 points").dashed("truth", [(-1.0, -0.8), (1.0, 0.2)]);
    for (rows, line) in lines {
        let (constant, slope) = line?;
        figure = figure.line(&format!("{rows}"), [(-1.0, constant - slope), (1.0, constant + slope)]);
    }
    Ok(Experiment::new(
        "003 §1.4, 001 §3.3",
        "Bayesian line −0.3 + 0.5x: ridge is the maximum a posteriori",
        "λ = σ²/τ²",
        ours,
    )
    .why("001 loses the 1/2σ² and with it the value of λ")
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

fn three_classes() -> Result<Experiment> {
    // Three clouds on a line: the middle class is lost to least squares on indicator targets.
    let noise = notes::two_moons(1)?;
    let middle = |row: usize| [(-3.0, 0), (0.0, 1), (3.0, 2)][row % 3];
    let values = (0..99).flat_map(|row| {
        let shift = |column: usize| (noise.x.get(row, column) - 0.5) * 0.7;
        [middle(row).0 + shift(0), middle(row).0 + shift(1)]
    });
    let x = Matrix::from_vec(99, 2, values.collect())?;
    let y = Labels::from((0..99).map(|row| middle(row).1 as u32).collect::<Vec<_>>().as_slice());
    let indicators: Vec<f32> =
        y.codes().iter().flat_map(|code| (0..3).map(move |class| f32::from(u8::from(*code == class)))).collect();
    let linear = LinearRegression::default().fit(&x, &Matrix::from_vec(99, 3, indicators)?)?;
    let scores = linear.predict(&x)?;
    let largest = |row: &[f32]| (1..3).fold(0, |best, at| if row[at] > row[best] { at } else { best });
    let recall =
        |right: &dyn Fn(usize) -> bool| (0..99).filter(|row| row % 3 == 1 && right(*row)).count() as f64 / 33.0;
    let least = recall(&|row| largest(scores.row(row)) == 1);
    let logistic = LogisticRegression::default().fit(&x, &y)?.predict(&x)?;
    let other = recall(&|row| logistic.codes()[row] == 1);
    let ours = format!(
        "found of the middle class: {:.0} % by least squares, {:.0} % by logistic regression",
        100.0 * least,
        100.0 * other
    );
    Ok(Experiment::new("003 §2.2", "Least squares for three classes in a row", "the middle class is lost", ours))
}
