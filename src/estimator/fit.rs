//! The options of a fit.

use std::any::Any;

use super::observer::{Observer, Reporter, Unobserved};
use super::rows::{Rows, borrowed};
use super::shared::Shared;
use super::targets::Targets;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::model_file::TargetShift;

/// Options of a fit: sample weights, validation rows, an observer.
///
/// ```
/// use gristmill::prelude::*;
/// let x = Matrix::from_rows(&[[0.0], [1.0], [9.0]])?;
/// let model = KMeans::new(1).fit_with(&x, Fit::default().sample_weight(&[1.0, 1.0, 0.0]))?;
/// assert_eq!(model.cluster_centers().get(0, 0), 0.5);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Default)]
pub struct Fit<'a> {
    sample_weight: Option<&'a [f32]>,
    validation: Option<(Rows<'a>, ValidationTarget<'a>)>,
    observer: Option<&'a mut dyn Observer>,
    shared: Option<&'a Shared>,
}

/// The targets of validation rows: classes or numbers.
#[derive(Debug, Clone, Copy)]
pub enum ValidationTarget<'a> {
    /// One class for each row.
    Classes(&'a Labels),
    /// One number for each row, or p.
    Numbers(Targets<'a>),
}

borrowed!(
    Labels => ValidationTarget::Classes,
    Matrix => ValidationTarget::Numbers by into,
    [f32] => ValidationTarget::Numbers by into,
    Vec<f32> => ValidationTarget::Numbers by into,
);

impl<'a> Fit<'a> {
    /// How much each row counts: one finite number for each row, at least 0, and not all 0.
    pub fn sample_weight(mut self, weights: &'a [f32]) -> Self {
        self.sample_weight = Some(weights);
        self
    }

    /// Validation rows and their targets. The model does not learn from them: their loss is recorded after each
    /// round, and early stopping goes by it.
    pub fn validation(mut self, x: impl Into<Rows<'a>>, y: impl Into<ValidationTarget<'a>>) -> Self {
        self.validation = Some((x.into(), y.into()));
        self
    }

    /// The validation rows and their targets.
    pub(crate) fn validation_rows(&self) -> Option<(Rows<'a>, ValidationTarget<'a>)> {
        self.validation
    }

    /// The validation targets, numbers, with this subtracted.
    pub(crate) fn moved_validation(&self, shift: &TargetShift) -> Result<Option<Matrix>> {
        match &self.validation {
            Some((rows, ValidationTarget::Numbers(targets))) => {
                shift.subtract_from(&targets.complete("validation", rows.rows())?).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The same with these validation targets, if there are any.
    pub(crate) fn with_validation_targets<'b>(self, targets: Option<&'b Matrix>) -> Fit<'b>
    where
        'a: 'b,
    {
        let validation = match (self.validation, targets) {
            (Some((rows, _)), Some(targets)) => Some((rows, ValidationTarget::Numbers(targets.into()))),
            (validation, _) => validation,
        };
        let observer = self.observer.map(|observer| -> &'b mut dyn Observer { observer });
        Fit { sample_weight: self.sample_weight, validation, observer, shared: self.shared }
    }

    /// An observer, which gets progress reports and may end the fit.
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// What [`Estimator::share_fits`](super::Estimator::share_fits) made for fits on these rows.
    pub fn shared(mut self, shared: &'a Shared) -> Self {
        self.shared = Some(shared);
        self
    }

    /// What was shared, if it is of this type.
    pub(crate) fn shared_work<T: Any + Send + Sync>(&self) -> Option<&'a T> {
        self.shared.and_then(Shared::get)
    }

    /// The weights, checked.
    pub(crate) fn weights(&self, op: &'static str, rows: usize) -> Result<Option<&'a [f32]>> {
        let Some(weights) = self.sample_weight else { return Ok(None) };
        if weights.len() != rows {
            let (expected, got) = (format!("{rows} sample weights, one a row"), format!("{} weights", weights.len()));
            return Err(Error::shape(op, expected, got));
        }
        let rule = || "finite numbers of at least 0, not all 0".to_string();
        if let Some((row, weight)) =
            weights.iter().enumerate().find(|(_, weight)| !(**weight >= 0.0 && weight.is_finite()))
        {
            return Err(Error::param("sample_weight", rule(), format!("{weight} in row {row}")));
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            return Err(Error::param("sample_weight", rule(), "only zeros"));
        }
        Ok(Some(weights))
    }

    /// Refuses weights that the model has no use for, rather than ignore them.
    pub(crate) fn refuse_weights(&self, op: &'static str) -> Result<()> {
        match self.sample_weight {
            None => Ok(()),
            Some(_) => Err(Error::shape(op, "no sample weights, which this model has no use for", "sample weights")),
        }
    }

    /// Runs `job` under the observer.
    pub(crate) fn watched<T>(self, what: &'static str, job: impl FnOnce(&mut Reporter<'_>) -> Result<T>) -> Result<T> {
        match self.observer {
            Some(observer) => job(&mut Reporter::new(what, observer)),
            None => job(&mut Reporter::new(what, &mut Unobserved)),
        }
    }
}

impl std::fmt::Debug for Fit<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let weights = self.sample_weight.map(<[f32]>::len);
        formatter.debug_struct("Fit").field("weights", &weights).field("observed", &self.observer.is_some()).finish()
    }
}
