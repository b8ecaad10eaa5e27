//! Each class against all others.

use serde::{Deserialize, Serialize};

use super::{coded_ensemble, table};
use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::ensemble::model::EnsembleModel;
use crate::error::Result;
use crate::estimator::{AnyEstimator, Prediction, Rows, parameters};
use crate::linear::LogisticRegression;

/// The random numbers of decisions.
const STREAM: u32 = 0x4f56_0001;

/// Which of the classes that say yes wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestDecision {
    /// The surest.
    #[default]
    Largest,
    /// A random one of those above ½; the surest where there is none.
    Random,
}

parameters! {
    /// Several classes by a classifier for each, against the others.
    ///
    /// ```
    /// use gristmill::ensemble::OneVsRest;
    /// use gristmill::linear::LinearSvc;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = OneVsRest::new(AnyEstimator::new(LinearSvc::default())).fit(&iris.x, iris.labels()?)?;
    /// assert_eq!(model.members().len(), 3);
    /// assert!(model.score(&iris.x, iris.labels()?)? > 0.94);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct OneVsRest: classifier("one-vs-rest") -> OneVsRestModel;
    about "a classifier for each class against the others";
    new(estimator: AnyEstimator);
    {
        /// The classifier of two classes; set its parameters as estimator.NAME.
        estimator: AnyEstimator = AnyEstimator::new(LogisticRegression::default());
        /// Which of the classes that say yes wins: largest or random.
        decide: RestDecision = RestDecision::Largest;
        /// Seed of random decisions.
        seed: u64 = 0;
    }
}

/// A model fitted by [`OneVsRest`].
pub type OneVsRestModel = EnsembleModel<OneVsRest>;

fn codes(_: &OneVsRest, classes: usize) -> Result<Vec<Vec<i8>>> {
    let sides = |own: usize| (0..classes).map(|class| if class == own { 1 } else { -1 }).collect();
    // Of two classes the second says all.
    Ok(if classes == 2 { vec![sides(1)] } else { (0..classes).map(sides).collect() })
}

fn values(model: &OneVsRestModel, shares: &[Vec<f64>], rows: usize) -> Result<Matrix> {
    let classes = model.fitted.classes;
    table(rows, classes, |row, class| match shares {
        [second] if classes == 2 => {
            if class == 1 {
                second[row]
            } else {
                1.0 - second[row]
            }
        }
        _ => shares.get(class).map_or(0.0, |shares| shares[row]),
    })
}

fn predicted(model: &OneVsRestModel, x: Rows<'_>) -> Result<Option<Prediction>> {
    if model.params.decide == RestDecision::Largest {
        return Ok(None);
    }
    let values = values(model, &super::all_shares(model, x)?, x.rows())?;
    let mut rng = HostRng::new(model.params.seed, STREAM);
    let pick = |row: usize| {
        let drawn = rng.uniform();
        let row = values.row(row);
        let yes: Vec<usize> = (0..row.len()).filter(|class| row[*class] > 0.5).collect();
        match yes.len() {
            0 => (0..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best }) as u32,
            count => yes[((drawn * count as f64) as usize).min(count - 1)] as u32,
        }
    };
    let codes = (0..values.rows()).map(pick).collect();
    Ok(Some(model.classes.with_codes(codes)?.into()))
}

coded_ensemble!(OneVsRest -> OneVsRestModel, codes = codes, values = values, predicted = predicted);
