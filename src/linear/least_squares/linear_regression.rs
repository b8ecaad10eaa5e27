//! Least squares without a penalty.

use nalgebra::DMatrix;

use super::fit::{Fitted, Penalty, fit_f64, fit_rows, products_cost};
use super::statistics::{Statistics, linear_report};
use crate::cost::Cost;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FitShape, FittedWith, Prediction, Rows, Save, Targets, parameters};
use crate::linear::predict::{Linear, linear_model};
use crate::model_file::Container;

const OP: &str = "LinearRegression";

parameters! {
    /// Ordinary least squares. Names and defaults are scikit-learn's; see the [module](crate::linear) for the method.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]])?;
    /// let model = LinearRegression::default().fit(&x, &[4.0, 3.0, 14.0, 10.0])?; // 1 + 2·a + 3·b
    /// assert!((model.coef()[(0, 0)] - 2.0).abs() < 1e-12 && (model.coef()[(0, 1)] - 3.0).abs() < 1e-12);
    /// assert!((model.intercept()[0] - 1.0).abs() < 1e-12);
    /// assert_eq!(model.predict(&x)?.as_slice(), [4.0, 3.0, 14.0, 10.0]);
    /// assert_eq!(model.rank(), 2);
    /// let errors = model.statistics().and_then(|found| found.standard_errors(0));
    /// assert!(errors.is_some_and(|errors| errors.len() == 2 && errors[0] < 1e-6)); // the targets are exact
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - One row, or constant columns only: the coefficients are 0 and the intercept is the mean of the targets.
    /// - Fewer rows than columns, or dependent columns: the shortest of all solutions, and a
    ///   [`rank`](LinearRegressionModel::rank) below the number of columns.
    /// - Missing values, too few targets and targets that are not finite are errors.
    pub struct LinearRegression: regressor("linear-regression") -> LinearRegressionModel;
    about "ordinary least squares";
    {
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
    }
}

impl Estimator for LinearRegression {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(products_cost(shape))
    }

    /// About n·d² operations; some 10·d·n² where there are no more rows than columns.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<LinearRegressionModel> {
        Ok(self.model(fit_rows((OP, "linear regression"), x, y, self.penalty(), options)?))
    }
}

impl LinearRegression {
    /// Fits f64 rows, n×d, to their targets, n×p, on the host: what f32 would round away is kept.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use nalgebra::DMatrix;
    /// let x = DMatrix::from_row_slice(3, 1, &[1e8, 1e8 + 1.0, 1e8 + 2.0]); // all the same in f32
    /// let model = LinearRegression::default().fit_f64(&x, &DMatrix::from_row_slice(3, 1, &[1.0, 2.0, 3.0]))?;
    /// assert!((model.coef()[(0, 0)] - 1.0).abs() < 1e-12);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn fit_f64(&self, x: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<LinearRegressionModel> {
        Ok(self.model(fit_f64(OP, x, y, self.penalty())?))
    }

    fn model(&self, fitted: Fitted) -> LinearRegressionModel {
        let Fitted { linear, rank, singular_values, statistics } = fitted;
        LinearRegressionModel { params: self.clone().into(), linear, rank, singular_values, statistics }
    }

    fn penalty(&self) -> Penalty {
        Penalty { alpha: 0.0, intercept: self.fit_intercept, statistics: true }
    }
}

/// A model fitted by [`LinearRegression`].
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRegressionModel {
    params: FittedWith<LinearRegression>,
    linear: Linear,
    rank: usize,
    singular_values: Option<Vec<f64>>,
    statistics: Option<Statistics>,
}

linear_model!(LinearRegressionModel, linear_report);

impl LinearRegressionModel {
    /// How many columns are independent of each other, and of the intercept if there is one; of sparse rows with more
    /// than 2048 columns that vary, the most that there can be.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The min(n, d) singular values of the centred rows, descending; `None` where they were not needed, in large
    /// tables.
    pub fn singular_values(&self) -> Option<&[f64]> {
        self.singular_values.as_deref()
    }

    /// How certain the coefficients are: standard errors, covariance, leverage, condition. `None` above 1024 columns.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_ref()
    }
}

impl Save for LinearRegressionModel {
    type Estimator = LinearRegression;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("rank", &[1], vec![self.rank as u64])?;
        // Singular values that are known are at least one.
        let values = self.singular_values.clone().unwrap_or_default();
        container.insert("singular_values", &[values.len()], values)?;
        if let Some(statistics) = &self.statistics {
            statistics.store(container)?;
        }
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<LinearRegression>, container: &mut Container) -> Result<LinearRegressionModel> {
        let linear = Linear::restore(container)?;
        let rank = container.take::<u64>("rank", &[1])?[0];
        let [count] = container.shape("singular_values")?;
        let values: Vec<f64> = container.take("singular_values", &[count])?;
        let columns = linear.coef().ncols();
        if rank > columns as u64 || count > columns || values.iter().any(|value| *value < 0.0) {
            return Err(container.refuse(format!("rank {rank} and {count} singular values of {columns} columns")));
        }
        let singular_values = (count > 0).then_some(values);
        let statistics = Statistics::restore(container, linear.coef().shape())?;
        Ok(LinearRegressionModel { params, linear, rank: rank as usize, singular_values, statistics })
    }
}
