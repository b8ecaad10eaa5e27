//! Ridge regression that chooses its penalty by leaving rows out.

use super::fit::{Penalty, Problem, products_cost};
use super::spectrum::{Decomposed, Kept, check_alphas};
use super::{condense, normal};
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FitShape, FittedWith, Prediction, Rows, Save, Targets, parameters,
};
use crate::linear::predict::{Linear, linear_model};
use crate::model_file::Container;

const OP: &str = "RidgeCv";

parameters! {
    /// [`Ridge`](super::Ridge) with the penalty of the least error of leaving each row out, exactly and for all penalties from
    /// one factorisation. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let data = datasets::diabetes()?;
    /// let model = RidgeCv::default().alphas(vec![1e-3, 0.1, 10.0]).fit(&data.x, data.values()?)?;
    /// assert_eq!(model.leave_one_out_errors().len(), 3);
    /// assert_eq!(model.alpha(), 0.1);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The products of the columns are made once; then 2·n·d·(d + 2·L) operations for the errors of L penalties.
    /// - The coefficients are those of [`Ridge`](super::Ridge) with the chosen penalty.
    /// - Of several outputs the mean error decides. Weights count in the fit and in the error.
    /// - Sparse rows may have up to 2048 columns that vary.
    pub struct RidgeCv: regressor("ridge-cv") -> RidgeCvModel;
    about "ridge regression that chooses its penalty by leaving rows out";
    {
        /// The penalties to choose from.
        alphas: Vec<f64> = vec![0.1, 1.0, 10.0];
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
    }
}

impl Estimator for RidgeCv {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(products_cost(shape))
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<RidgeCvModel> {
        check_alphas(&self.alphas)?;
        if x.rows() < 2 {
            return Err(Error::shape(OP, "at least two rows, to leave one out", x.rows()));
        }
        let alpha = self.alphas.iter().copied().fold(f64::INFINITY, f64::min);
        let penalty = Penalty { alpha, intercept: self.fit_intercept, statistics: false };
        let decomposed = Decomposed::new(OP, x, y, penalty, &options)?;
        let errors = decomposed.leave_one_out(&self.alphas, self.fit_intercept)?;
        let chosen = (0..errors.len()).fold(0, |best, at| if errors[at] < errors[best] { at } else { best });
        let linear = self.refit(decomposed, self.alphas[chosen], options)?;
        Ok(RidgeCvModel { params: self.clone().into(), linear, chosen, errors })
    }
}

impl RidgeCv {
    /// The plane for the chosen penalty: large tables are corrected in f64, as those of Ridge are.
    fn refit(&self, decomposed: Decomposed<'_>, alpha: f64, options: Fit<'_>) -> Result<Linear> {
        let Decomposed { spectrum, kept, weights, .. } = decomposed;
        if let Kept::Dense { x, y, products } = kept {
            let penalty = Penalty { alpha, intercept: self.fit_intercept, statistics: false };
            let problem = Problem { x: &x, y: &y, weights, penalty };
            let mut stream = x.device().stream();
            let found = options.watched("ridge", |watch| match products {
                Some(products) => normal::solve_products(&mut stream, &problem, products, watch),
                None => Ok(None),
            })?;
            let found = found.map_or_else(|| condense::solve(&mut stream, &problem), Ok)?;
            return Linear::new(found.coef.transpose(), found.intercept);
        }
        let path = spectrum.path(&[alpha]);
        Linear::new(path.coef(0).clone(), path.intercept(0).to_vec())
    }
}

/// A model fitted by [`RidgeCv`].
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeCvModel {
    params: FittedWith<RidgeCv>,
    linear: Linear,
    chosen: usize,
    errors: Vec<f64>,
}

linear_model!(RidgeCvModel, report);

fn report(model: &RidgeCvModel) -> FitReport {
    FitReport::default().with_number("alpha", model.alpha()).with_curve("loo_error", &model.errors)
}

impl RidgeCvModel {
    /// The penalty with the least error.
    pub fn alpha(&self) -> f64 {
        self.params.alphas[self.chosen]
    }

    /// The mean squared error of leaving each row out, for each penalty.
    pub fn leave_one_out_errors(&self) -> &[f64] {
        &self.errors
    }
}

impl Save for RidgeCvModel {
    type Estimator = RidgeCv;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("chosen", &[1], vec![self.chosen as u64])?;
        container.insert("loo_errors", &[self.errors.len()], self.errors.clone())?;
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<RidgeCv>, container: &mut Container) -> Result<RidgeCvModel> {
        let chosen = container.take::<u64>("chosen", &[1])?[0];
        let errors = container.take("loo_errors", &[params.alphas.len()])?;
        let linear = Linear::restore(container)?;
        if chosen as usize >= params.alphas.len() {
            return Err(container.refuse(format!("penalty {chosen} of {}", params.alphas.len())));
        }
        Ok(RidgeCvModel { params, linear, chosen: chosen as usize, errors })
    }
}
