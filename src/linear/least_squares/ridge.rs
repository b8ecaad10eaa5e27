//! Least squares with a penalty on the squares of the coefficients.

use nalgebra::DMatrix;

use super::fit::{Penalty, fit_f64, fit_rows, products_cost};
use super::spectrum::{Decomposed, RidgePath, check_alphas};
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitShape, FittedWith, Parameters, Prediction, Rows, Save, Targets, parameters,
};
use crate::linear::predict::{Linear, linear_model};
use crate::model_file::Container;

const OP: &str = "Ridge";

parameters! {
    /// Ridge regression: least squares plus `alpha·‖coef‖²`; the intercept has no penalty. Names and defaults are
    /// scikit-learn's; see the [module](crate::linear) for the method.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0]])?;
    /// let model = Ridge::new(2.0).fit(&x, &[1.0, 3.0, 5.0])?;
    /// assert!((model.coef()[(0, 0)] - 1.0).abs() < 1e-15); // half of the slope: the squares of x add up to 2 as well
    /// assert!((model.intercept()[0] - 2.0).abs() < 1e-15);
    /// assert_eq!(model.predict(&x)?.as_slice(), [2.0, 3.0, 4.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - `alpha` 0 gives what [`LinearRegression`](super::LinearRegression) gives, to the bit.
    /// - With any other `alpha` there is one solution, also where columns depend on each other or outnumber the rows.
    /// - Missing values, too few targets, targets that are not finite and a negative `alpha` are errors.
    pub struct Ridge: regressor("ridge") -> RidgeModel;
    about "least squares with an L2 penalty on the coefficients";
    new(alpha: f64);
    {
        /// Strength of the L2 penalty on the coefficients.
        alpha: f64 = 1.0, at_least(0.0);
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
    }
}

impl Ridge {
    /// Fits f64 rows, n×d, to their targets, n×p, on the host: what f32 would round away is kept.
    pub fn fit_f64(&self, x: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<RidgeModel> {
        self.check()?;
        Ok(RidgeModel { params: self.clone().into(), linear: fit_f64(OP, x, y, self.penalty())?.linear })
    }

    /// The coefficients for every one of the penalties `alphas`, from one factorisation: little more than one fit. The
    /// parameter `alpha` is not used.
    ///
    /// Large tables: to about 1e-7·κ of the products plus the penalty, where a single fit is corrected in f64.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0]])?;
    /// let path = Ridge::default().path(&x, &[1.0, 3.0, 5.0], &[2.0, 6.0], Fit::default())?;
    /// assert!((path.coef(0)[(0, 0)] - 1.0).abs() < 1e-12 && (path.coef(1)[(0, 0)] - 0.5).abs() < 1e-12);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn path<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        alphas: &[f64],
        options: Fit<'_>,
    ) -> Result<RidgePath> {
        check_alphas(alphas)?;
        let smallest = alphas.iter().copied().fold(f64::INFINITY, f64::min);
        let decomposed =
            Decomposed::new(OP, x.into(), y.into(), Penalty { alpha: smallest, ..self.penalty() }, &options)?;
        Ok(decomposed.spectrum.path(alphas))
    }

    /// Least squares with coefficients of at most this length: the penalty that makes them as long is found by bisection,
    /// and is the `alpha` of the model; 0 where least squares alone is short enough. Of several outputs the length of all
    /// coefficients together is bounded.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0]])?;
    /// let model = Ridge::default().fit_constrained(&x, &[1.0, 3.0, 5.0], 0.5, Fit::default())?;
    /// assert!((model.coef()[(0, 0)] - 0.5).abs() < 1e-9 && (model.alpha() - 6.0).abs() < 1e-6);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn fit_constrained<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        norm: f64,
        options: Fit<'_>,
    ) -> Result<RidgeModel> {
        if !(norm > 0.0 && norm.is_finite()) {
            return Err(Error::param("norm", "a finite number above 0", norm));
        }
        let (x, y) = (x.into(), y.into());
        let decomposed = Decomposed::new(OP, x, y, Penalty { alpha: 0.0, ..self.penalty() }, &options)?;
        self.clone().alpha(decomposed.spectrum.alpha_of_norm(norm)).fit_with(x, y, options)
    }

    fn penalty(&self) -> Penalty {
        Penalty { alpha: self.alpha, intercept: self.fit_intercept, statistics: false }
    }
}

impl Estimator for Ridge {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(products_cost(shape))
    }

    /// About n·d² operations; some 10·d·n² where there are no more rows than columns.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<RidgeModel> {
        let found = fit_rows((OP, "ridge"), x, y, self.penalty(), options)?;
        Ok(RidgeModel { params: self.clone().into(), linear: found.linear })
    }
}

/// A model fitted by [`Ridge`].
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeModel {
    params: FittedWith<Ridge>,
    linear: Linear,
}

linear_model!(RidgeModel);

impl RidgeModel {
    /// The penalty.
    pub fn alpha(&self) -> f64 {
        self.params.alpha
    }
}

impl Save for RidgeModel {
    type Estimator = Ridge;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<Ridge>, container: &mut Container) -> Result<RidgeModel> {
        Ok(RidgeModel { params, linear: Linear::restore(container)? })
    }
}
