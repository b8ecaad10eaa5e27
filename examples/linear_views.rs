//! Optimisers on their way down a bent valley, the two failures of least squares beside logistic regression, loss curves of
//! stochastic gradient descent, and the weights of digits as images.
//!
//! `cargo run --release --example linear_views [FILE.svg]`

use gristmill::linear::{LeastSquaresClassifier, SgdClassifier, SgdLoss};
use gristmill::plot::{Figure, Grid, Panels};
use gristmill::prelude::*;
use gristmill::solvers::{Objective, Optimizer, Rate, Stop, UpdateRule};
use nalgebra::DMatrix;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "linear_views.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// F(w) = ½(w₁² − w₂)² + ½(w₁ − 1)², least at (1, 1).
struct Bent;

impl Objective for Bent {
    fn value_gradient(&mut self, w: &[f64], slope: &mut [f64]) -> gristmill::Result<f64> {
        let (bend, off) = (w[0] * w[0] - w[1], w[0] - 1.0);
        slope.copy_from_slice(&[2.0 * w[0] * bend + off, -bend]);
        Ok(0.5 * (bend * bend + off * off))
    }

    fn hessian(&mut self, w: &[f64]) -> gristmill::Result<DMatrix<f64>> {
        let bend = w[0] * w[0] - w[1];
        Ok(DMatrix::from_row_slice(2, 2, &[2.0 * bend + 4.0 * w[0] * w[0] + 1.0, -2.0 * w[0], -2.0 * w[0], 1.0]))
    }
}

/// The paths of optimisers from (−1, 2), and how many steps each took.
fn paths() -> gristmill::Result<(Figure, Vec<String>)> {
    let steps = |rule: UpdateRule, rate: f64| Optimizer::Steps { rule, rate: Rate::Constant(rate) };
    let all = [
        ("gradient, rate 0.1", Optimizer::gradient(0.1)),
        ("momentum", steps(UpdateRule::MOMENTUM, 0.01)),
        ("Nesterov", steps(UpdateRule::NESTEROV, 0.01)),
        ("Adagrad", steps(UpdateRule::ADAGRAD, 0.5)),
        ("Adam", steps(UpdateRule::ADAM, 0.05)),
        ("line search", Optimizer::GradientDescent),
        ("Newton", Optimizer::Newton),
        ("L-BFGS", Optimizer::Lbfgs),
    ];
    let mut figure = Figure::new().title("Optimisers on ½(w₁² − w₂)² + ½(w₁ − 1)²").x_label("w₁").y_label("w₂");
    let mut lines = vec![];
    for (name, optimizer) in all {
        let found = optimizer.minimize(&mut Bent, &[-1.0, 2.0], Stop { tol: 1e-4, max_iter: 2000 })?;
        figure = figure.line(name, found.path.iter().map(|point| (point[0], point[1])));
        lines.push(format!("{name}: {} steps to ({:.3}, {:.3})", found.iterations, found.point[0], found.point[1]));
    }
    Ok((figure.centers("minimum", [(1.0, 1.0)]), lines))
}

/// Rows around centres on a line, with a little spread.
fn around(centers: &[(f32, usize)]) -> gristmill::Result<(Matrix, Labels)> {
    let noise = datasets::blobs(centers.len() * 40, 2, 1, 3)?.x;
    let mut rows = vec![];
    let mut codes = vec![];
    for (at, (center, class)) in centers.iter().enumerate() {
        for row in at * 40..(at + 1) * 40 {
            let off = [noise.get(row, 0) - noise.get(0, 0), noise.get(row, 1) - noise.get(0, 1)];
            rows.push([center + 0.5 * off[0], 0.5 * off[1]]);
            codes.push(*class as u32);
        }
    }
    Ok((Matrix::from_rows(&rows)?, Labels::from(&codes[..])))
}

/// Regions of a classifier with the rows.
fn regions(
    title: &str,
    x: &Matrix,
    y: &Labels,
    predict: impl Fn(&Matrix) -> gristmill::Result<Labels>,
) -> gristmill::Result<Figure> {
    let grid = Grid::around(x, [0, 1], 120, 80)?;
    let predicted = predict(&grid.points()?)?;
    Figure::new().title(title).regions(&grid, predicted.codes())?.scatter_classes(x, [0, 1], y)
}

/// Draws the picture, and tells the numbers in it.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let (valley, mut lines) = paths()?;
    let mut panels = Panels::new(3)?.title("Linear models and optimisers").figure(valley);
    let cases = [
        ("three classes in a row", around(&[(-4.0, 0), (0.0, 1), (4.0, 2)])?),
        ("rows far on their side", around(&[(-1.5, 0), (1.5, 1), (25.0, 1)])?),
    ];
    for (name, (x, y)) in cases {
        let squares = LeastSquaresClassifier::default().fit(&x, &y)?;
        let logistic = LogisticRegression::default().fit(&x, &y)?;
        let scores = [squares.score(&x, &y)?, logistic.score(&x, &y)?];
        lines.push(format!("{name}: least squares {:.2}, logistic regression {:.2}", scores[0], scores[1]));
        panels = panels.figure(regions(&format!("Least squares, {name}"), &x, &y, |rows| squares.predict(rows))?);
        panels = panels.figure(regions(&format!("Logistic, {name}"), &x, &y, |rows| logistic.predict(rows))?);
    }
    let digits = datasets::digits()?;
    let scaled = StandardScaler::default().fit(&digits.x)?.transform(&digits.x)?;
    let mut curves = Figure::new().title("Loss of digits, pass by pass").x_label("pass").y_label("mean loss");
    for (name, loss) in
        [("hinge", SgdLoss::Hinge), ("log", SgdLoss::LogLoss), ("modified Huber", SgdLoss::ModifiedHuber)]
    {
        let sgd = SgdClassifier::default().loss(loss).max_iter(20).tol(None).alpha(1e-3);
        let report = AnyModel::new(sgd.fit(&scaled, digits.labels()?)?).report();
        let points = report.curve("train_loss").iter().enumerate().map(|(pass, loss)| (pass as f64 + 1.0, *loss));
        curves = curves.line(name, points.collect::<Vec<_>>());
    }
    panels = panels.figure(curves);
    let model = LogisticRegression::default().c(0.001).fit(&digits.x, digits.labels()?)?;
    let names = vec![""; 8];
    for class in [0, 3, 7] {
        let weights: Vec<f64> = model.coef().row(class).iter().copied().collect();
        panels = panels.figure(Figure::new().title(format!("Weights of {class}")).heatmap(&names, &names, &weights)?);
    }
    panels.save(path)?;
    Ok(lines)
}
