//! Parameters whose kind is known only at run time.

use std::fmt;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::model::Model;
use super::settings;
use crate::data::Target;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, Fitted, Rows, Task};
use crate::model::Persist;

/// Under this key an estimator that is a parameter of another says which one it is.
pub(super) const MODEL: &str = "model";

/// The parameters of any model: those of the registry, or your own [`Estimator`].
///
/// As JSON it is an object of the parameters with the model's name as `model`, or the name alone for the defaults.
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
    /// These parameters.
    pub fn new(estimator: impl Estimator) -> AnyEstimator {
        AnyEstimator(Arc::new(estimator))
    }

    /// The name of the model: `kneighbors-classifier`.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// What it is for.
    pub fn task(&self) -> Task {
        self.0.task()
    }

    /// Whether rows may have missing values.
    pub fn takes_missing(&self) -> bool {
        self.0.takes_missing()
    }

    /// Whether columns may be categorical.
    pub fn takes_categories(&self) -> bool {
        self.0.takes_categories()
    }

    /// The parameters by name.
    pub fn parameters(&self) -> Result<Map<String, Value>> {
        self.0.parameters()
    }

    /// Whether there is a parameter of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.help().iter().any(|(known, _)| *known == name)
    }

    /// The same with one parameter set; `estimator.max_depth` sets one of an estimator inside. A wrong name gets the
    /// nearest right one, and a value of another type is an error; whether a number is in range is checked by `fit`.
    /// `10.0` is taken for the whole number 10 and the text `1,2,3` for a list, where those are wanted.
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

    /// Learns from `x` and the target, where `x` lives.
    pub fn fit(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<Model> {
        Ok(Model::new(self.0.fit(x, target, options)?))
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

impl<'de> Deserialize<'de> for AnyEstimator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<AnyEstimator, D::Error> {
        let (name, settings) = match Value::deserialize(deserializer)? {
            Value::String(name) => (name, Map::new()),
            Value::Object(mut settings) => match settings.remove(MODEL) {
                Some(Value::String(name)) => (name, settings),
                _ => return Err(D::Error::custom("an estimator inside another needs the name of its model")),
            },
            other => return Err(D::Error::custom(format!("expected the name of a model, got {other}"))),
        };
        let mut estimator = super::find(&name).map_err(D::Error::custom)?.estimator();
        for (name, value) in settings {
            estimator = estimator.set(&name, value).map_err(D::Error::custom)?;
        }
        Ok(estimator)
    }
}

/// An [`Estimator`] without its type.
trait Erased: fmt::Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn task(&self) -> Task;
    fn takes_missing(&self) -> bool;
    fn takes_categories(&self) -> bool;
    fn help(&self) -> &'static [(&'static str, &'static str)];
    fn parameters(&self) -> Result<Map<String, Value>>;
    fn with(&self, parameters: Map<String, Value>) -> std::result::Result<AnyEstimator, serde_json::Error>;
    fn fit(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<Box<dyn Fitted>>;
}

impl<E: Estimator> Erased for E {
    fn name(&self) -> &'static str {
        E::Model::KIND
    }

    fn task(&self) -> Task {
        E::TASK
    }

    fn takes_missing(&self) -> bool {
        E::TAKES_MISSING || Estimator::takes_categories(self)
    }

    fn takes_categories(&self) -> bool {
        Estimator::takes_categories(self)
    }

    fn help(&self) -> &'static [(&'static str, &'static str)] {
        E::PARAMETERS
    }

    fn parameters(&self) -> Result<Map<String, Value>> {
        match serde_json::to_value(self) {
            Ok(Value::Object(parameters)) => Ok(parameters),
            other => {
                let got = other.map_or_else(|error| error.to_string(), |value| value.to_string());
                Err(Error::Param { name: "parameters", rule: "a struct of named fields".to_string(), got })
            }
        }
    }

    fn with(&self, parameters: Map<String, Value>) -> std::result::Result<AnyEstimator, serde_json::Error> {
        Ok(AnyEstimator::new(E::deserialize(Value::Object(parameters))?))
    }

    fn fit(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(self.fit_target(x, target, options)?))
    }
}
