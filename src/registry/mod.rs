//! Every model by its name: what the command line, pipelines, grid search and ensembles choose from.
//!
//! A new model implements [`Estimator`] and [`Fitted`], and gets one line in [`entries`].
//!
//! ```
//! use gristmill::prelude::*;
//! use gristmill::registry;
//! let iris = datasets::iris()?;
//! let estimator = registry::find("kneighbors-classifier")?.estimator().set("n_neighbors", 3.into())?;
//! let model = estimator.fit((&iris.x).into(), &iris.target, Fit::default())?;
//! let again = Model::from_bytes(&model.to_bytes()?)?;
//! assert_eq!(again.predict((&iris.x).into())?, model.predict((&iris.x).into())?);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod any;
mod model;
mod settings;

pub use any::AnyEstimator;
pub use model::Model;
pub use settings::{parse_setting, parse_value};

use crate::cluster::{KMeans, MiniBatchKMeans};
use crate::data::nearest_name;
use crate::ensemble::{
    AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor, ExtraTreesClassifier,
    ExtraTreesRegressor, GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier,
    RandomForestRegressor, StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor,
};
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fitted, Task};
use crate::linear::{LinearRegression, Ridge};
use crate::model::{Container, Persist};
use crate::neighbors::{KNeighborsClassifier, KNeighborsRegressor, LocalOutlierFactor};
use crate::tree::{DecisionTreeClassifier, DecisionTreeRegressor, Id3Classifier};

/// A kind of model.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name: `kneighbors-classifier`.
    pub name: &'static str,
    /// What it is for.
    pub task: Task,
    /// One line on what it does.
    pub about: &'static str,
    /// The name of each parameter and one line on it.
    pub parameters: &'static [(&'static str, &'static str)],
    make: fn() -> AnyEstimator,
    restore: fn(Container) -> Result<Box<dyn Fitted>>,
}

/// Every model there is, in the order of the documentation.
pub fn entries() -> &'static [Entry] {
    const ENTRIES: &[Entry] = &[
        Entry::of::<KMeans>(),
        Entry::of::<MiniBatchKMeans>(),
        Entry::of::<KNeighborsClassifier>(),
        Entry::of::<KNeighborsRegressor>(),
        Entry::of::<LocalOutlierFactor>(),
        Entry::of::<LinearRegression>(),
        Entry::of::<Ridge>(),
        Entry::of::<DecisionTreeClassifier>(),
        Entry::of::<DecisionTreeRegressor>(),
        Entry::of::<Id3Classifier>(),
        Entry::of::<RandomForestClassifier>(),
        Entry::of::<RandomForestRegressor>(),
        Entry::of::<ExtraTreesClassifier>(),
        Entry::of::<ExtraTreesRegressor>(),
        Entry::of::<GradientBoostingClassifier>(),
        Entry::of::<GradientBoostingRegressor>(),
        Entry::of::<AdaBoostClassifier>(),
        Entry::of::<AdaBoostRegressor>(),
        Entry::of::<BaggingClassifier>(),
        Entry::of::<BaggingRegressor>(),
        Entry::of::<VotingClassifier>(),
        Entry::of::<VotingRegressor>(),
        Entry::of::<StackingClassifier>(),
        Entry::of::<StackingRegressor>(),
    ];
    ENTRIES
}

/// Names that have a wrong one as a part, such as `random-forest`, up to which they are told instead of all.
const MOST_MEANT: usize = 6;

/// The model of this name; a wrong name gets the nearest right one, or those that it is a part of.
pub fn find(name: &str) -> Result<&'static Entry> {
    entries().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = || entries().iter().map(|entry| entry.name);
        let part: Vec<&str> = names().filter(|known| !name.is_empty() && known.contains(name)).collect();
        let rule = match (nearest_name(name, names()), part.len()) {
            (Some(near), _) => format!("the name of a model (did you mean {near}?)"),
            (None, 1..=MOST_MEANT) => format!("the name of a model (did you mean {}?)", part.join(" or ")),
            (None, _) => format!("the name of a model: {}", names().collect::<Vec<_>>().join(", ")),
        };
        Error::Param { name: "model", rule, got: format!("{name:?}") }
    })
}

impl Entry {
    const fn of<E: Estimator>() -> Entry {
        Entry {
            name: E::Model::KIND,
            task: E::TASK,
            about: E::ABOUT,
            parameters: E::PARAMETERS,
            make: || AnyEstimator::new(E::default()),
            restore: |container| Ok(Box::new(E::Model::from_container(container)?)),
        }
    }

    /// The model's parameters, each at its default.
    pub fn estimator(&self) -> AnyEstimator {
        (self.make)()
    }

    /// The fitted model of this kind that a container holds.
    pub(crate) fn restore(&self, container: Container) -> Result<Box<dyn Fitted>> {
        (self.restore)(container)
    }
}
