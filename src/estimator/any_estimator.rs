//! An estimator whose type is known only at run time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::any_model::AnyModel;
use super::contract::{
    Abilities, Estimator, FitShape, Learnt, Task, checked_fit, checked_partial_fit, fit_inside, movable,
};
use super::fit::Fit;
use super::parameters::Parameter;
use super::report::RanOn;
use super::rows::{OwnedRows, Rows};
use super::settings;
use super::shared::{Shared, SharedPart};
use crate::cost::Cost;
use crate::data::Target;
use crate::device::Device;
use crate::error::{Error, Result};

/// Under this key an estimator that is a parameter of another says which one it is.
pub(crate) const MODEL: &str = "model";

/// An estimator whose type is known only at run time: one of the [`registry`](crate::registry), or your own
/// [`Estimator`].
///
/// In JSON it is an object of its parameters and its name as `model`, or the name alone for the defaults.
///
/// ```
/// use gristmill::prelude::*;
/// let estimator = AnyEstimator::new(KNeighborsClassifier::new(5)).set("weights", "distance".into())?;
/// assert_eq!(estimator.parameters()?["weights"], "distance");
/// assert!(estimator.set("n_neighbours", 3.into()).unwrap_err().to_string().contains("n_neighbors"));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Clone)]
pub struct AnyEstimator(Arc<dyn Erased>);

impl AnyEstimator {
    /// This estimator without its type.
    pub fn new(estimator: impl Estimator) -> AnyEstimator {
        AnyEstimator(Arc::new(estimator))
    }

    /// Its name: `kneighbors-classifier`.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Its task.
    pub fn task(&self) -> Task {
        self.0.task()
    }

    /// Which rows it takes. One that takes categories takes missing values too: a category that was not fitted is
    /// missing.
    pub fn abilities(&self) -> Abilities {
        let abilities = self.0.abilities();
        Abilities { missing: abilities.missing || abilities.categories, ..abilities }
    }

    /// The parameters by name.
    pub fn parameters(&self) -> Result<Map<String, Value>> {
        self.0.parameters()
    }

    /// Whether there is a parameter of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.help().iter().any(|known| known.name == name)
    }

    /// The same with one parameter set; `estimator.max_depth` sets one of an inner estimator. An unknown name is an
    /// error that suggests the nearest one, and so is a value of another type; whether a number is in range is checked
    /// by `fit`. `10.0` also counts as the integer 10, the text `1,2,3` as a list, and a number as a list of one.
    pub fn set(&self, name: &str, value: Value) -> Result<AnyEstimator> {
        let before = self.parameters()?;
        let set = |value: Value| {
            let mut parameters = before.clone();
            settings::put(self.name(), self.0.help(), &mut parameters, name, value)?;
            self.0.with(parameters).map_err(|error| settings::refused(self.0.help(), name, &error))
        };
        let other = settings::other_form(&value);
        set(value).or_else(|refused| other.and_then(|value| set(value).ok()).ok_or(refused))
    }

    /// An error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        self.0.check()
    }

    /// Whether the columns stand for the rows of the fit, as those of a precomputed kernel matrix do: a part of the rows then
    /// goes with the same part of the columns.
    pub fn is_pairwise(&self) -> bool {
        self.parameters().is_ok_and(|all| all.get("kernel").is_some_and(|kernel| kernel == "precomputed"))
    }

    /// What a fit on rows of this shape takes, as [`Estimator::cost`].
    pub fn cost(&self, shape: &FitShape) -> Option<Cost> {
        self.0.cost(shape)
    }

    /// Learns from `x` and the target, where `x` lives.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, target: &Target, options: Fit<'_>) -> Result<AnyModel> {
        let x = x.into();
        let ran_on = RanOn { name: x.device().info().name, why: "the rows live there".to_string() };
        Ok(self.0.fit(x, target, options)?.ran_on(ran_on))
    }

    /// The same as a part of another model, which remembers the columns for it.
    pub(crate) fn fit_inside<'a>(&self, x: impl Into<Rows<'a>>, target: &Target, options: Fit<'_>) -> Result<AnyModel> {
        self.0.fit_inside(x.into(), target, options)
    }

    /// Learns from `x` and the target, and transforms the same rows, where `x` lives: a step of a pipeline.
    pub fn fit_transform<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        target: &Target,
        options: Fit<'_>,
    ) -> Result<(AnyModel, OwnedRows)> {
        self.0.fit_transform(x.into(), target, options)
    }

    /// What fits of these estimators on parts of the rows have in common, as [`Estimator::share_rows`]; nothing if they are not
    /// of one kind.
    pub fn share_rows<'a>(
        estimators: &[AnyEstimator],
        x: impl Into<Rows<'a>>,
        device: &Device,
    ) -> Result<Option<Shared>> {
        estimators.first().map_or(Ok(None), |first| first.0.share_rows(estimators, x.into(), device))
    }

    /// What fits of these estimators on these rows have in common, as [`Estimator::share_fits`]; nothing if they are not of one
    /// kind.
    pub fn share_fits<'a>(
        estimators: &[AnyEstimator],
        x: impl Into<Rows<'a>>,
        options: &Fit<'_>,
        part: Option<SharedPart<'_>>,
    ) -> Result<Option<Shared>> {
        estimators.first().map_or(Ok(None), |first| first.0.share_fits(estimators, x.into(), options, part))
    }

    /// Learns from one chunk of the rows; goes on from `model`, or begins with `None`. For estimators whose
    /// [`Abilities::chunks`] is set.
    pub fn partial_fit<'a>(
        &self,
        model: Option<AnyModel>,
        x: impl Into<Rows<'a>>,
        target: &Target,
        options: Fit<'_>,
    ) -> Result<AnyModel> {
        self.0.partial_fit(model, x.into(), target, options)
    }
}

impl fmt::Debug for AnyEstimator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The same model with the same parameters.
impl PartialEq for AnyEstimator {
    fn eq(&self, other: &AnyEstimator) -> bool {
        self.name() == other.name() && self.parameters() == other.parameters()
    }
}

impl Serialize for AnyEstimator {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut parameters = self.parameters().map_err(serde::ser::Error::custom)?;
        parameters.insert(MODEL.to_string(), Value::String(self.name().to_string()));
        parameters.serialize(serializer)
    }
}

/// The estimators with their type, if all have the same.
fn of_one_kind<E: Estimator>(estimators: &[AnyEstimator]) -> Option<Vec<&E>> {
    estimators.iter().map(|estimator| (&*estimator.0 as &dyn Any).downcast_ref()).collect()
}

/// An [`Estimator`] without its type.
trait Erased: Any + fmt::Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn task(&self) -> Task;
    fn abilities(&self) -> Abilities;
    fn cost(&self, shape: &FitShape) -> Option<Cost>;
    fn help(&self) -> &'static [Parameter];
    fn check(&self) -> Result<()>;
    fn parameters(&self) -> Result<Map<String, Value>>;
    fn with(&self, parameters: Map<String, Value>) -> std::result::Result<AnyEstimator, serde_json::Error>;
    fn fit(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AnyModel>;
    fn fit_inside(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AnyModel>;
    fn fit_transform(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<(AnyModel, OwnedRows)>;
    fn partial_fit(&self, model: Option<AnyModel>, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AnyModel>;
    fn share_rows(&self, all: &[AnyEstimator], x: Rows<'_>, device: &Device) -> Result<Option<Shared>>;
    fn share_fits(
        &self,
        all: &[AnyEstimator],
        x: Rows<'_>,
        options: &Fit<'_>,
        part: Option<SharedPart<'_>>,
    ) -> Result<Option<Shared>>;
}

impl<E: Estimator> Erased for E {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn task(&self) -> Task {
        super::Parameters::task(self)
    }

    fn abilities(&self) -> Abilities {
        Estimator::abilities(self)
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Estimator::cost(self, shape)
    }

    fn help(&self) -> &'static [Parameter] {
        E::PARAMETERS
    }

    fn check(&self) -> Result<()> {
        super::Parameters::check(self)
    }

    fn parameters(&self) -> Result<Map<String, Value>> {
        match serde_json::to_value(self) {
            Ok(Value::Object(parameters)) => Ok(parameters),
            other => {
                let got = other.map_or_else(|error| error.to_string(), |value| value.to_string());
                Err(Error::param("parameters", "a struct of named fields", got))
            }
        }
    }

    fn with(&self, parameters: Map<String, Value>) -> std::result::Result<AnyEstimator, serde_json::Error> {
        Ok(AnyEstimator::new(E::deserialize(Value::Object(parameters))?))
    }

    fn fit(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AnyModel> {
        Ok(AnyModel::new(checked_fit(self, x, E::Target::of(target)?, options)?))
    }

    fn fit_inside(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AnyModel> {
        Ok(AnyModel::new(fit_inside(self, x, E::Target::of(target)?, options)?))
    }

    fn fit_transform(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<(AnyModel, OwnedRows)> {
        super::Parameters::check(self)?;
        let target = E::Target::of(target)?;
        let (model, rows) = match movable(self, &target)? {
            Some((shift, left)) => {
                let made = self.fit_transform_rows(x, E::Target::of(&left)?, options)?;
                crate::model_file::Persist::remember_shift(&made.0, shift);
                made
            }
            None => self.fit_transform_rows(x, target, options)?,
        };
        Ok((AnyModel::new(model), rows))
    }

    fn partial_fit(&self, model: Option<AnyModel>, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AnyModel> {
        let model = model.map(|model| model.downcast::<E::Model>(E::NAME)).transpose()?;
        checked_partial_fit(self, model, x, E::Target::of(target)?, options).map(AnyModel::new)
    }

    fn share_rows(&self, all: &[AnyEstimator], x: Rows<'_>, device: &Device) -> Result<Option<Shared>> {
        of_one_kind::<E>(all).map_or(Ok(None), |all| E::share_rows(&all, x, device))
    }

    fn share_fits(
        &self,
        all: &[AnyEstimator],
        x: Rows<'_>,
        options: &Fit<'_>,
        part: Option<SharedPart<'_>>,
    ) -> Result<Option<Shared>> {
        of_one_kind::<E>(all).map_or(Ok(None), |all| E::share_fits(&all, x, options, part))
    }
}
