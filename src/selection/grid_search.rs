//! The best parameters among given ones.

use serde_json::Value;

use super::search::{Candidates, Parameters, Search};
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;

/// Tries every combination of parameters on every fold, and fits the best one on all rows.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, GridSearch};
/// let iris = datasets::iris()?;
/// let search = GridSearch::new(Pipeline::new(KNeighborsClassifier::default()))
///     .parameter("n_neighbors", [1, 5, 15])
///     .parameter("weights", ["uniform", "distance"]);
/// let found = search.fit(&iris, &Folds::stratified(5))?;
/// assert_eq!(found.candidates.len(), 6);
/// assert!(found.best().to_string().starts_with("n_neighbors="), "{}", found.best()); // …, weights=uniform: 0.98 ± 0.01
/// let predicted = found.model.predict(&iris.x)?;
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "GridSearchCV")]
pub type GridSearch = Search<Grid>;

/// The values to try of each parameter.
#[derive(Debug, Clone, Default)]
pub struct Grid(Vec<(String, Vec<Value>)>);

impl GridSearch {
    /// A search over no parameters yet: it tries the pipeline as it is.
    pub fn new(pipeline: Pipeline) -> GridSearch {
        Search { pipeline, candidates: Grid::default() }
    }

    /// Adds a parameter of the model with the values to try: numbers, or texts as on the command line (`"rbf(gamma=0.1)"` for a
    /// kernel). `estimator.max_depth` is one of an estimator inside.
    pub fn parameter<V: Into<Value>>(mut self, name: &str, values: impl IntoIterator<Item = V>) -> GridSearch {
        self.candidates.0.push((name.to_string(), values.into_iter().map(Into::into).collect()));
        self
    }
}

impl Candidates for Grid {
    /// Every combination of the values, the last parameter changing fastest.
    fn parameters(&self) -> Result<Vec<Parameters>> {
        let mut found: Vec<Parameters> = vec![vec![]];
        for (name, values) in &self.0 {
            if values.is_empty() {
                return Err(Error::param("grid", "parameters with a value at least", format!("no value for {name}")));
            }
            let with = |known: &Parameters, value: &Value| {
                let mut parameters = known.clone();
                parameters.push((name.clone(), value.clone()));
                parameters
            };
            found = found.iter().flat_map(|known| values.iter().map(move |value| with(known, value))).collect();
        }
        Ok(found)
    }
}
