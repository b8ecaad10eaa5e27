//! A fitted model whose type is known only at run time.

use std::any::Any;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use super::align::{AlignedRows, Queries, align};
use super::model::{Model, Prediction};
use super::observer::{Observer, Unobserved};
use super::report::{FitReport, RanOn};
use super::rows::Input;
use crate::array::Matrix;
use crate::data::Target;
use crate::error::{Error, Result};
use crate::metrics;
use crate::model_file::add_to_expected;

/// A fitted model of any kind, pipelines and transformers among them: what
/// [`AnyEstimator::fit`](super::AnyEstimator::fit) returns and what can be loaded without knowing what a file holds
/// (`AnyModel::load`). Cheap to clone.
#[derive(Debug, Clone)]
pub struct AnyModel {
    model: Arc<dyn Model>,
    ran_on: Option<RanOn>,
}

impl AnyModel {
    /// A fitted model without its type.
    pub fn new(model: impl Model) -> AnyModel {
        AnyModel { model: Arc::new(model), ran_on: None }
    }

    /// The same with where it was fitted.
    pub(crate) fn ran_on(mut self, ran_on: RanOn) -> AnyModel {
        self.ran_on = Some(ran_on);
        self
    }

    /// The model itself, if it is of this type.
    ///
    /// ```
    /// use gristmill::cluster::KMeansModel;
    /// use gristmill::prelude::*;
    /// let model = AnyEstimator::new(KMeans::new(3)).fit(&datasets::iris()?.x, &Target::None, Fit::default())?;
    /// assert_eq!(model.downcast_ref::<KMeansModel>().map(|model| model.cluster_centers().rows()), Some(3));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn downcast_ref<M: Model>(&self) -> Option<&M> {
        (self.model.as_ref() as &dyn Any).downcast_ref()
    }

    /// The model itself; there must be no other clone of it.
    pub(super) fn downcast<M: Model>(self, op: &'static str) -> Result<M> {
        let unfit = |got: &str| Error::shape(op, "a model of this kind, of which there is no clone", got);
        let kind = self.kind();
        let model = self.model.into_any().downcast::<M>().map_err(|_| unfit(kind))?;
        Arc::into_inner(model).ok_or_else(|| unfit("a model that has a clone"))
    }

    /// Writes the model file. An old file of that name stays until the new one is complete.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.container()?.save(path)
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.container()?.to_bytes()
    }

    /// The rows in the form that was fitted.
    fn align<'a>(&self, x: impl Into<Queries<'a>>) -> Result<AlignedRows<'a>> {
        align(self.model.fitted_columns(), x.into())
    }

    /// The prediction for each row of `x`, computed where `x` lives.
    pub fn predict<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Prediction> {
        self.predict_with(x, &mut Unobserved)
    }

    /// The same, reported to an observer.
    pub fn predict_with<'a>(&self, x: impl Into<Queries<'a>>, observer: &mut dyn Observer) -> Result<Prediction> {
        self.model.predict_rows(self.align(x)?.rows(), observer)?.moved_back(self.target_shift())
    }

    /// The probability of each class for each row of `x`, n×k; nothing for a model that gives none.
    pub fn predict_proba<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Option<Matrix>> {
        self.model.predict_proba_rows(self.align(x)?.rows())
    }

    /// Predictions and, where the model gives them, probabilities, in one pass over the rows.
    pub fn predict_both<'a>(
        &self,
        x: impl Into<Queries<'a>>,
        observer: &mut dyn Observer,
    ) -> Result<(Prediction, Option<Matrix>)> {
        let (prediction, probabilities) = self.model.predict_both_rows(self.align(x)?.rows(), observer)?;
        Ok((prediction.moved_back(self.target_shift())?, probabilities))
    }

    /// The decision function of each row of `x`, n×k; nothing for a model that has none.
    pub fn decision_function<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Option<Matrix>> {
        self.model.decision_rows(self.align(x)?.rows())
    }

    /// The transformed rows of `x`, where `x` lives; an error for a model that transforms no rows.
    pub fn transform<'a, X: Input<'a>>(&self, x: X) -> Result<X::Owned> {
        X::owned(self.kind(), self.model.transform_rows(self.align(x)?.rows())?)
    }

    /// The logarithm of the density of each row of `x`; nothing for a model that has none.
    pub fn score_samples<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Option<Vec<f64>>> {
        self.model.score_samples_rows(self.align(x)?.rows())
    }

    /// Σ of the squared distances from the rows of `x` to the nearest centres; nothing for a model without centres.
    pub fn inertia<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Option<f64>> {
        self.model.inertia_rows(self.align(x)?.rows())
    }

    /// The score of the predictions, larger is better: accuracy for classes, R² for numbers; an error for other models.
    pub fn score<'a>(&self, x: impl Into<Queries<'a>>, target: &Target) -> Result<f64> {
        score(self.kind(), &self.predict(x)?, target)
    }

    /// What each column adds to each row's prediction (Shapley values): a matrix n×(d + 1) for each output, with what
    /// is expected of any row in the last column; nothing for a model that has none.
    pub fn shapley_values<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Option<Vec<Matrix>>> {
        let found = self.model.contributions(self.align(x)?.rows())?;
        found.map(|found| add_to_expected(self.target_shift(), found)).transpose()
    }

    /// The names of the columns it was fitted on; none where the rows had none.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = AnyModel::new(KMeans::new(3).fit(&iris.x)?);
    /// assert_eq!(model.column_names().unwrap()[0], "sepal_length");
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn column_names(&self) -> Option<&[String]> {
        self.model.fitted_columns().and_then(|columns| columns.names())
    }

    /// The report of the fit.
    pub fn report(&self) -> FitReport {
        FitReport { device: self.ran_on.clone(), ..self.model.report() }
    }
}

/// What a model is asked without rows ([`Model::classes`], [`Model::text`], …), and its kind and container.
impl Deref for AnyModel {
    type Target = dyn Model;

    fn deref(&self) -> &dyn Model {
        self.model.as_ref()
    }
}

/// How good predictions are: accuracy for classes, R² for numbers.
pub(crate) fn score(op: &'static str, prediction: &Prediction, target: &Target) -> Result<f64> {
    match prediction {
        Prediction::Numbers(numbers) => metrics::r2_score_columns(target.values()?, numbers),
        Prediction::Classes(labels) => metrics::accuracy(target.labels()?, labels),
        _ => Err(super::model::unable(op, "predictions that a target can be compared with")),
    }
}
