//! A distribution over planes instead of one plane.

use nalgebra::DMatrix;

use super::predict::Linear;
use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FittedWith, InputColumns, Model, Observer, Predict, Prediction, Rows, Save,
    Targets, parameters,
};
use crate::linalg::{Cholesky, Triangle, solve_triangular};
use crate::model_file::Container;

const OP: &str = "BayesianLinearRegression";
/// Random numbers of the planes that are drawn.
const STREAM: u32 = 0x6c69_6e65;
/// Rows that are turned into f64 together.
const BLOCK: usize = 1024;

parameters! {
    /// Bayesian linear regression: a normal prior over the coefficients, of mean 0 and variance `prior_variance`, and targets
    /// with normal noise of variance `noise_variance` give a normal posterior, `S⁻¹ = I/τ² + ΦᵀΦ/σ²` and `m = S·Φᵀt/σ²`. The
    /// intercept is a coefficient as the others, with the same prior.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[-0.5], [0.2], [0.9]])?;
    /// let y = [-0.55, -0.2, 0.15]; // −0.3 + 0.5·x
    /// let bayes = BayesianLinearRegression::default().noise_variance(0.04).prior_variance(0.5);
    /// let all = bayes.fit(&x, &y)?;
    /// let mut one_by_one = bayes.fit(&x.select(&[0])?, &y[..1])?;
    /// one_by_one.update(&x.select(&[1, 2])?, &y[1..])?;
    /// assert!((all.coef()[(0, 0)] - one_by_one.coef()[(0, 0)]).abs() < 1e-12);
    /// let (mean, variance) = all.predict_with_variance(&x)?;
    /// assert!((mean.get(0, 0) + 0.5).abs() < 0.1 && variance.get(0, 0) > 0.04);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The mean is ridge regression without an intercept of its own, `alpha = noise_variance/prior_variance`; predictions are
    ///   those of the mean.
    /// - Rows may come in parts, by `update` or `partial_fit`, in any order: the posterior is that of all of them.
    /// - n·d² operations in f64 on the host. A weight counts as so many rows. Several outputs share the covariance.
    pub struct BayesianLinearRegression: regressor("bayesian-linear-regression") -> BayesianLinearRegressionModel;
    about "a normal posterior over planes: predictions with their variance, learnt in parts";
    {
        /// Variance of the noise of the targets.
        noise_variance: f64 = 1.0, above(0.0);
        /// Variance of the prior of each coefficient; the mean of the prior is 0.
        prior_variance: f64 = 1.0, above(0.0);
        /// Whether there is an intercept.
        fit_intercept: bool = true;
    }
}

impl Estimator for BayesianLinearRegression {
    fn abilities(&self) -> Abilities {
        // The prior is about 0, so targets are not moved.
        Abilities { sparse: true, chunks: true, fixed_zero: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<BayesianLinearRegressionModel> {
        self.partial_fit_rows(None, x, y, options)
    }

    fn partial_fit_rows(
        &self,
        model: Option<BayesianLinearRegressionModel>,
        x: Rows<'_>,
        y: Targets<'_>,
        options: Fit<'_>,
    ) -> Result<BayesianLinearRegressionModel> {
        let y = y.complete(OP, x.rows())?;
        let weights = options.weights(OP, x.rows())?;
        let mut model = match model {
            Some(model) => model,
            None => self.prior(x.column_info().1, y.columns())?,
        };
        model.learn(x, &y, weights)?;
        Ok(model)
    }
}

impl BayesianLinearRegression {
    /// The prior as a model, before any rows: d columns and p outputs.
    pub fn prior(&self, columns: usize, outputs: usize) -> Result<BayesianLinearRegressionModel> {
        let size = columns + usize::from(self.fit_intercept);
        if columns == 0 || outputs == 0 {
            return Err(Error::shape(OP, "at least one column and one output", format!("{columns} and {outputs}")));
        }
        let precision = DMatrix::identity(size, size) / self.prior_variance;
        let information = DMatrix::zeros(size, outputs);
        let linear = Linear::new(DMatrix::zeros(outputs, columns), vec![0.0; outputs])?;
        Ok(BayesianLinearRegressionModel { params: self.clone().into(), precision, information, linear, rows: 0 })
    }
}

/// A model fitted by [`BayesianLinearRegression`]: the posterior.
#[derive(Debug, Clone, PartialEq)]
pub struct BayesianLinearRegressionModel {
    params: FittedWith<BayesianLinearRegression>,
    /// S⁻¹, of the coefficients and then the intercept.
    precision: DMatrix<f64>,
    /// S⁻¹·m, one column for each output.
    information: DMatrix<f64>,
    /// The mean.
    linear: Linear,
    /// How many were seen.
    rows: usize,
}

impl BayesianLinearRegressionModel {
    /// The posterior after more rows; the order does not matter.
    pub fn update<'a, 'b>(&mut self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<()> {
        let x = x.into();
        let y = y.into().complete(OP, x.rows())?;
        self.learn(x, &y, None)
    }

    /// The mean of the coefficients, p×d.
    pub fn coef(&self) -> &DMatrix<f64> {
        self.linear.coef()
    }

    /// The mean of the intercepts; zeros without one.
    pub fn intercept(&self) -> &[f64] {
        self.linear.intercept()
    }

    /// The covariance of the coefficients, and of the intercept after them if there is one: S, the same for each output.
    pub fn covariance(&self) -> Result<DMatrix<f64>> {
        Cholesky::factor(&self.precision)?.inverse()
    }

    /// Rows that were learnt from.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The logarithm of the density of the posterior of one output at coefficients, and the intercept after them.
    pub fn log_density(&self, output: usize, coefficients: &[f64]) -> Result<f64> {
        let size = self.precision.nrows();
        if coefficients.len() != size {
            return Err(Error::shape(OP, format!("{size} coefficients"), coefficients.len()));
        }
        let away = DMatrix::from_column_slice(size, 1, coefficients) - self.mean(output);
        let distance = (away.transpose() * &self.precision * &away)[(0, 0)];
        let determinant = Cholesky::factor(&self.precision)?.log_determinant();
        Ok(0.5 * (determinant - distance - size as f64 * (2.0 * std::f64::consts::PI).ln()))
    }

    /// The mean and the variance of a target at each row, n×p: N(mᵀφ, σ² + φᵀSφ). The second term falls towards 0 with more
    /// rows. n·d² operations.
    pub fn predict_with_variance<'a>(&self, x: impl Into<Rows<'a>>) -> Result<(Matrix, Matrix)> {
        let x = x.into();
        let mean = self.linear.predict(OP, x)?;
        let factor = Cholesky::factor(&self.precision)?;
        let mut variances = Vec::with_capacity(x.rows() * mean.columns());
        self.for_blocks(x, |_, block| {
            // φᵀSφ = ‖L⁻¹φ‖² with S⁻¹ = L·Lᵀ.
            for column in factor.solve_lower(&block.transpose())?.column_iter() {
                let variance = self.params.noise_variance + column.norm_squared();
                variances.extend(std::iter::repeat_n(variance, mean.columns()));
            }
            Ok(())
        })?;
        let variance = Matrix::from_f64(x.rows(), mean.columns(), &variances)?;
        Ok((mean, variance))
    }

    /// Planes drawn from the posterior of one output: a row for each, with the d coefficients, and the intercept after them if
    /// there is one.
    pub fn sample_planes(&self, output: usize, count: usize, seed: u64) -> Result<DMatrix<f64>> {
        let size = self.precision.nrows();
        let random = Philox::new(seed, STREAM);
        let normals = DMatrix::from_fn(size, count, |i, j| f64::from(random.normal((j * size + i) as u64)));
        // Cov(L⁻ᵀz) = (L·Lᵀ)⁻¹ = S.
        let factor = Cholesky::factor(&self.precision)?;
        let mut planes = solve_triangular(&factor.lower(), Triangle::LowerTransposed, &normals)?;
        let mean = self.mean(output);
        planes.column_iter_mut().for_each(|mut plane| plane += mean.column(0));
        Ok(planes.transpose())
    }

    /// The mean of one output, the intercept last.
    fn mean(&self, output: usize) -> DMatrix<f64> {
        let own = self.linear.coef().row(output);
        let intercept = self.params.fit_intercept.then_some(self.linear.intercept()[output]);
        DMatrix::from_iterator(self.precision.nrows(), 1, own.iter().copied().chain(intercept))
    }

    fn learn(&mut self, x: Rows<'_>, y: &Matrix, weights: Option<&[f32]>) -> Result<()> {
        let (outputs, noise) = (self.linear.intercept().len(), self.params.noise_variance);
        if y.columns() != outputs {
            return Err(Error::shape(OP, format!("{outputs} outputs, as in the rows before"), y.columns()));
        }
        let (mut precision, mut information) = (self.precision.clone(), self.information.clone());
        self.for_blocks(x, |first, mut block| {
            let mut targets = DMatrix::from_fn(block.nrows(), outputs, |row, at| f64::from(y.get(first + row, at)));
            if let Some(weights) = weights {
                for row in 0..block.nrows() {
                    let root = f64::from(weights[first + row]).sqrt();
                    block.row_mut(row).scale_mut(root);
                    targets.row_mut(row).scale_mut(root);
                }
            }
            precision += block.tr_mul(&block) / noise;
            information += block.tr_mul(&targets) / noise;
            Ok(())
        })?;
        let mean = Cholesky::factor(&precision)?.solve(&information)?;
        let columns = self.linear.coef().ncols();
        let intercept = match self.params.fit_intercept {
            true => mean.row(columns).iter().copied().collect(),
            false => vec![0.0; outputs],
        };
        self.linear = Linear::new(mean.rows(0, columns).transpose(), intercept)?;
        (self.precision, self.information) = (precision, information);
        self.rows += y.rows();
        Ok(())
    }

    /// Calls `work` with the number of the first row and the rows in f64, with a column of ones if there is an intercept.
    fn for_blocks(&self, x: Rows<'_>, mut work: impl FnMut(usize, DMatrix<f64>) -> Result<()>) -> Result<()> {
        let columns = self.linear.coef().ncols();
        if x.column_info().1 != columns {
            let expected = format!("{columns} columns, as in the rows before");
            return Err(Error::shape(OP, expected, format!("{} columns", x.column_info().1)));
        }
        let block = |first: usize, values: &[f32]| {
            let rows =
                DMatrix::from_row_iterator(values.len() / columns, columns, values.iter().map(|v| f64::from(*v)));
            (first, if self.params.fit_intercept { rows.insert_column(columns, 1.0) } else { rows })
        };
        if let Rows::Sparse(x) = x {
            for first in (0..x.rows()).step_by(BLOCK) {
                let rows: Vec<usize> = (first..x.rows().min(first + BLOCK)).collect();
                let (first, rows) = block(first, x.select(&rows)?.to_dense()?.as_slice());
                work(first, rows)?;
            }
            return Ok(());
        }
        let x = x.complete(OP)?;
        x.for_host_rows(&mut x.device().stream(), BLOCK, |range, values| {
            for (at, values) in values.chunks(BLOCK * columns).enumerate() {
                let (first, rows) = block(range.start + at * BLOCK, values);
                work(first, rows)?;
            }
            Ok(())
        })
    }
}

impl Predict for BayesianLinearRegressionModel {
    type Output = Matrix;
}

impl Model for BayesianLinearRegressionModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.linear.predict(OP, x)?.into())
    }

    fn report(&self) -> FitReport {
        let errors =
            self.covariance().map(|found| found.diagonal().iter().map(|value| value.sqrt()).collect::<Vec<f64>>());
        let report = FitReport::default().with_number("rows", self.rows as f64);
        match errors {
            Ok(errors) => report.with_row("standard_deviations", errors),
            Err(_) => report,
        }
    }

    fn text(&self, columns: &InputColumns) -> Option<String> {
        Some(self.linear.equation(&columns.names, self.intercept()))
    }
}

impl Save for BayesianLinearRegressionModel {
    type Estimator = BayesianLinearRegression;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (size, outputs) = self.information.shape();
        container.insert("precision", &[size, size], self.precision.as_slice().to_vec())?;
        container.insert("information", &[outputs, size], self.information.as_slice().to_vec())?;
        container.insert("rows", &[1], vec![self.rows as u64])?;
        self.linear.store(container)
    }

    fn load_fitted(
        params: FittedWith<BayesianLinearRegression>,
        container: &mut Container,
    ) -> Result<BayesianLinearRegressionModel> {
        let linear = Linear::restore(container)?;
        let (outputs, columns) = linear.coef().shape();
        let size = columns + usize::from(params.fit_intercept);
        let precision: Vec<f64> = container.take("precision", &[size, size])?;
        let information: Vec<f64> = container.take("information", &[outputs, size])?;
        let rows = container.take::<u64>("rows", &[1])?[0];
        let precision = DMatrix::from_vec(size, size, precision);
        if Cholesky::factor(&precision).is_err() {
            return Err(container.refuse("a precision that is not positive definite"));
        }
        let information = DMatrix::from_vec(size, outputs, information);
        Ok(BayesianLinearRegressionModel { params, precision, information, linear, rows: rows as usize })
    }
}
