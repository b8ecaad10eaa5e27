//! The small learners of a first lecture: what goes wrong, and why better ones are needed.
//!
//! | estimator | what it shows |
//! |---|---|
//! | [`Memoriser`] | no training error and no use: it knows the rows that it has seen |
//! | [`RandomCircles`] | the best of many random guesses: low training error can be luck |
//! | [`ShapeClassifier`] | an ellipse or a rectangle by gradient steps, whose number can be cross-validated |
//! | [`QuantisedRegressor`] | regression as classification: intervals of the target are classes |
//! | [`CoinPosterior`] | Bayes' rule for a coin: prior, flips, posterior |
//!
//! ```
//! use gristmill::datasets::notes;
//! use gristmill::lecture::Memoriser;
//! use gristmill::prelude::*;
//! let (seen, new) = (notes::rectangle(50, 0)?, notes::rectangle(50, 1)?);
//! let model = Memoriser::default().fit(&seen.x, seen.labels()?)?;
//! assert_eq!(model.score(&seen.x, seen.labels()?)?, 1.0);
//! assert!(model.score(&new.x, new.labels()?)? < 0.7); // the first class, whatever the row
//! # Ok::<(), gristmill::Error>(())
//! ```

mod circles;
mod coin;
mod memoriser;
mod quantised;
mod shapes;

pub use circles::{RandomCircles, RandomCirclesModel};
pub use coin::CoinPosterior;
pub use memoriser::{Memoriser, MemoriserModel};
pub use quantised::{BinEdges, QuantisedPrediction, QuantisedRegressor, QuantisedRegressorModel};
pub use shapes::{Shape, ShapeClassifier, ShapeClassifierModel};

use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::Rows;

/// The rows on the host, complete, with a class for each.
fn classified(op: &'static str, x: Rows<'_>, y: &Labels) -> Result<Matrix> {
    x.complete(op)?;
    let x = x.on_host()?;
    if x.rows() != y.len() || y.is_empty() {
        let expected = "at least one row, and a class for each".to_string();
        return Err(Error::shape(op, expected, format!("{} rows, {} classes", x.rows(), y.len())));
    }
    Ok(x)
}

/// The code of each label among these classes; one that no class has where the name is another.
fn codes_among(classes: &Labels, labels: &Labels) -> Vec<u32> {
    let code = |name: &String| classes.names().iter().position(|own| own == name).map_or(u32::MAX, |code| code as u32);
    let codes: Vec<u32> = labels.names().iter().map(code).collect();
    labels.codes().iter().map(|own| codes[*own as usize]).collect()
}
