//! Least squares on targets of 0 and 1.

use super::classifier::{FitOutcome, LinearClassifier, LinearClassifierModel, Shown, planes_of};
use super::{Ridge, refuse_empty};
use crate::array::Matrix;
use crate::data::{ClassWeight, Labels};
use crate::error::Result;
use crate::estimator::{Abilities, Declared, Estimator, Fit, Rows, Targets, parameters};

parameters! {
    /// Least squares classification: a plane for each class, fitted to 1 for the rows of the class and 0 for the others; the
    /// largest wins. For two classes that is one plane, the difference.
    ///
    /// ```
    /// use gristmill::linear::LeastSquaresClassifier;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = LeastSquaresClassifier::default().fit(&iris.x, iris.labels()?)?;
    /// assert!(model.score(&iris.x, iris.labels()?)? > 0.8);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - One solve, as for `Ridge`, and its accuracy, on any device and for sparse rows.
    /// - Rows far on the right side of a boundary pull it all the same, and of three classes in a row the middle one is
    ///   lost: its plane is flat. Logistic regression has neither failure.
    pub struct LeastSquaresClassifier: classifier("least-squares-classifier") -> LeastSquaresClassifierModel;
    about "classes by least squares on targets of 0 and 1";
    {
        /// Strength of the L2 penalty on the coefficients.
        alpha: f64 = 0.0, at_least(0.0);
        /// Whether there is an intercept.
        fit_intercept: bool = true;
        /// Weights of classes: none, balanced, or an object of weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
    }
}

/// A model fitted by [`LeastSquaresClassifier`].
pub type LeastSquaresClassifierModel = LinearClassifierModel<LeastSquaresClassifier>;

impl LinearClassifier for LeastSquaresClassifier {
    const EXTRAS: &'static [(&'static str, Shown)] = &[];
}

impl Estimator for LeastSquaresClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<LeastSquaresClassifierModel> {
        refuse_empty(Self::TYPE, x)?;
        let weights = self.class_weight.row_weights(y, options.weights(Self::TYPE, x.rows())?)?;
        let weights: Option<Vec<f32>> = weights.map(|weights| weights.iter().map(|weight| *weight as f32).collect());
        let planes = planes_of(y.classes());
        let own = |row: usize, plane: usize| match planes {
            // The difference of both: 1 for the second class, −1 for the first.
            1 => 2.0 * y.codes()[row] as f32 - 1.0,
            _ => f32::from(u8::from(y.codes()[row] as usize == plane)),
        };
        let targets = (0..y.len() * planes).map(|at| own(at / planes, at % planes)).collect();
        let targets = Matrix::from_vec(y.len(), planes, targets)?;
        let options = weights.as_ref().map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
        let ridge = Ridge::new(self.alpha).fit_intercept(self.fit_intercept);
        let fitted = ridge.fit_rows(x, Targets::Many(&targets), options)?;
        let coef = fitted.coef().transpose();
        let fit = FitOutcome { iterations: 1, converged: true, extras: vec![] };
        LinearClassifierModel::new(self, coef.as_slice(), fitted.intercept().to_vec(), y, fit)
    }
}
