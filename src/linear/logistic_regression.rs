//! Classes by the probabilities that planes over the columns give.

use nalgebra::DMatrix;

use super::predict::Linear;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::linalg::softmax_gradient::softmax;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{
    Decision, Estimator, Fit, FitReport, FittedWith, InputColumns, Model, Observer, Predict, PredictProba, Prediction,
    Reporter, Rows, Save, parameters,
};
use crate::model_file::Container;
use crate::ops;
use crate::ops::linalg::softmax_gradient::{ClassPlanes, softmax_gradient};
use crate::solvers::lbfgs::{Slope, minimize};

const OP: &str = "LogisticRegression";

parameters! {
    /// Logistic regression: the log-odds of two classes, or a score for each of more, as a weighted sum of the columns;
    /// the log-loss plus `‖coef‖²/(2·c)` is minimised. Names and defaults are scikit-learn's (`c` is its `C`).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::iris()?.split(0.7, 1)?;
    /// let model = LogisticRegression::default().fit(&train.x, train.labels()?)?;
    /// assert!(model.score(&test.x, test.labels()?)? > 0.9);
    /// let probabilities = model.predict_proba(&test.x)?;
    /// assert!((probabilities.row(0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - L-BFGS on columns that are centred and scaled inside, so their units do not matter to its speed; the penalty is on
    ///   the coefficients of the columns as they are, and not on the intercept.
    /// - Sums in f64: coefficients are as accurate as `tol` asks. One pass over the rows a step, on all cores; rows on a
    ///   GPU are read from the host's copy.
    /// - Classes that a plane separates have coefficients that grow with `c`; at the end of `max_iter` a fit is taken as
    ///   it is, and `converged` is false.
    /// - A single class is always predicted. Missing values and a `c` that is not positive are errors.
    pub struct LogisticRegression: classifier("logistic-regression") -> LogisticRegressionModel;
    about "classes by probabilities that are linear in the columns, on the scale of log-odds";
    {
        /// Inverse strength of the L2 penalty on the coefficients; large for none.
        c: f64 = 1.0, above(0.0);
        /// Whether there is an intercept.
        fit_intercept: bool = true;
        /// A fit ends when no derivative of the mean loss is larger.
        tol: f64 = 1e-4, above(0.0);
        /// Maximum number of steps.
        max_iter: usize = 100, at_least(1.0);
    }
}

impl Estimator for LogisticRegression {
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<LogisticRegressionModel> {
        let x = x.complete(OP)?;
        if x.rows() != y.len() {
            return Err(Error::shape(OP, format!("{} classes, one a row", x.rows()), y.len()));
        }
        let weights = options.weights(OP, x.rows())?;
        options.watched("logistic regression", |reporter| self.descend(&x, y, weights, reporter))
    }
}

impl LogisticRegression {
    fn descend(
        &self,
        x: &DeviceMatrix,
        y: &Labels,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<LogisticRegressionModel> {
        let planes = planes_of(y.classes());
        let mut stream = x.device().stream();
        let columns = Columns::of(x, weights, self.fit_intercept)?;
        let total = weights.map_or(x.rows() as f64, |weights| weights.iter().copied().map(f64::from).sum());
        let d = x.columns();
        let mut steps = 0;
        let mut losses = vec![];
        let evaluate = |point: &[f64]| {
            let (coef, intercept) = columns.planes(point, planes);
            let found = softmax_gradient(
                &mut stream,
                x,
                y.codes(),
                weights,
                ClassPlanes { coef: &coef, intercept: &intercept },
            )?;
            let squares: f64 = coef.iter().map(|value| value * value).sum();
            let value = (found.loss + 0.5 * squares / self.c) / total;
            let mut gradient = columns.slopes(&found.coef, &found.intercept);
            for (slope, (at, coef)) in gradient.iter_mut().zip(coef.iter().enumerate()) {
                *slope += coef / self.c / columns.scale[at % d];
            }
            gradient.iter_mut().for_each(|slope| *slope /= total);
            Ok((value, gradient))
        };
        let done = |step: usize, at: &Slope| {
            steps = step;
            losses.push(at.value);
            let stop = reporter.report(step, Some(at.value), step as f64 / self.max_iter as f64)?;
            // One class needs no plane.
            Ok(stop || at.steepness() <= self.tol || step >= self.max_iter || y.classes() == 1)
        };
        let (found, _) = minimize(vec![0.0; planes * (d + 1)], evaluate, done)?;
        let (coef, intercept) = columns.planes(&found.point, planes);
        Ok(LogisticRegressionModel {
            params: self.clone().into(),
            linear: Linear::new(DMatrix::from_row_slice(planes, d, &coef), intercept)?,
            classes: y.with_codes(vec![])?,
            iterations: steps,
            converged: found.steepness() <= self.tol || y.classes() == 1,
            losses,
        })
    }
}

/// Two classes need one plane, and one class none: its plane is zero.
fn planes_of(classes: usize) -> usize {
    if classes <= 2 { 1 } else { classes }
}

/// The units in which L-BFGS sees the columns: means taken out, deviations made 1.
struct Columns {
    mean: Vec<f64>,
    scale: Vec<f64>,
    intercept: bool,
}

impl Columns {
    fn of(x: &DeviceMatrix, weights: Option<&[f32]>, intercept: bool) -> Result<Columns> {
        let weights = weights.map(|weights| DeviceVec::from_slice(weights, x.device())).transpose()?;
        let moments = ops::column_moments(&mut x.device().stream(), x, weights.as_ref())?;
        let spread = |(variance, mean): (&f64, &f64)| {
            let square = if intercept { *variance } else { variance + mean * mean };
            if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 }
        };
        let scale = moments.variance.iter().zip(&moments.mean).map(spread).collect();
        let mean = if intercept { moments.mean } else { vec![0.0; x.columns()] };
        Ok(Columns { mean, scale, intercept })
    }

    /// Coefficients and intercepts in the units of the rows. A point has d numbers for each plane, then the intercepts.
    fn planes(&self, point: &[f64], planes: usize) -> (Vec<f64>, Vec<f64>) {
        let d = self.mean.len();
        let (scaled, offsets) = point.split_at(planes * d);
        let coef: Vec<f64> = scaled.iter().enumerate().map(|(at, value)| value / self.scale[at % d]).collect();
        let at_mean = |plane: usize| coef[plane * d..][..d].iter().zip(&self.mean).map(|(a, b)| a * b).sum::<f64>();
        let intercept = offsets.iter().enumerate().map(|(plane, offset)| offset - at_mean(plane)).collect();
        (coef, intercept)
    }

    /// The slope in these units from that in the units of the rows.
    fn slopes(&self, coef: &[f64], intercept: &[f64]) -> Vec<f64> {
        let d = self.mean.len();
        let about = |(at, slope): (usize, &f64)| (slope - self.mean[at % d] * intercept[at / d]) / self.scale[at % d];
        let offsets = intercept.iter().map(|slope| if self.intercept { *slope } else { 0.0 });
        coef.iter().enumerate().map(about).chain(offsets).collect()
    }
}

/// A model fitted by [`LogisticRegression`].
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticRegressionModel {
    params: FittedWith<LogisticRegression>,
    linear: Linear,
    classes: Labels,
    iterations: usize,
    converged: bool,
    losses: Vec<f64>,
}

impl LogisticRegressionModel {
    /// The coefficients: 1×d for two classes (of the log-odds of the second), else k×d.
    pub fn coef(&self) -> &DMatrix<f64> {
        self.linear.coef()
    }

    /// The intercepts, one for each row of the coefficients.
    pub fn intercept(&self) -> &[f64] {
        self.linear.intercept()
    }

    /// Steps of the fit.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the slope came below `tol`.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The probabilities of margins, n×k.
    fn probabilities(&self, margins: &Matrix) -> Result<Matrix> {
        let mut out = Vec::with_capacity(margins.rows() * self.classes.classes());
        for row in 0..margins.rows() {
            let mut shares: Vec<f64> = margins.row(row).iter().copied().map(f64::from).collect();
            softmax(&mut shares, 0);
            match (&shares[..], self.classes.classes()) {
                (_, 1) => shares = vec![1.0],
                ([second], _) => shares = vec![1.0 - second, *second],
                _ => {}
            }
            out.extend(shares.into_iter().map(|share| share as f32));
        }
        Matrix::from_vec(margins.rows(), self.classes.classes(), out)
    }

    /// The class of each row of margins; the lowest of equally likely ones.
    fn winners(&self, margins: &Matrix) -> Result<Labels> {
        let winner = |row: usize| match margins.row(row) {
            [margin] => u32::from(*margin > 0.0),
            row => (0..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best }) as u32,
        };
        self.classes.with_codes((0..margins.rows()).map(winner).collect())
    }
}

impl Predict for LogisticRegressionModel {
    type Output = Labels;
}

impl PredictProba for LogisticRegressionModel {}

impl Decision for LogisticRegressionModel {}

impl Model for LogisticRegressionModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.winners(&self.linear.predict(OP, x)?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.probabilities(&self.linear.predict(OP, x)?).map(Some)
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let margins = self.linear.predict(OP, x)?;
        Ok((self.winners(&margins)?.into(), Some(self.probabilities(&margins)?)))
    }

    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.linear.predict(OP, x).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        FitReport::default().iterations(self.iterations, self.converged).with_curve("train_loss", &self.losses)
    }

    fn text(&self, columns: &InputColumns) -> Option<String> {
        Some(self.linear.equation(&columns.names, self.linear.intercept()))
    }
}

impl Save for LogisticRegressionModel {
    type Estimator = LogisticRegression;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.classes.names())?;
        container.insert("iterations", &[2], vec![self.iterations as u64, u64::from(self.converged)])?;
        container.insert("losses", &[self.losses.len()], self.losses.clone())?;
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<LogisticRegression>, container: &mut Container) -> Result<Self> {
        let names = container.take_strings("class_names")?;
        let progress: Vec<u64> = container.take("iterations", &[2])?;
        let [count] = container.shape("losses")?;
        let losses = container.take("losses", &[count])?;
        let linear = Linear::restore(container)?;
        if names.is_empty() || linear.intercept().len() != planes_of(names.len()) {
            return Err(container.refuse(format!("{} planes for {} classes", linear.intercept().len(), names.len())));
        }
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        let (iterations, converged) = (progress[0] as usize, progress[1] == 1);
        Ok(LogisticRegressionModel { params, linear, classes, iterations, converged, losses })
    }
}
