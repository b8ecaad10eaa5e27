//! Error-correcting output codes (Dietterich and Bakiri 1995).

use super::{coded_ensemble, table};
use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::ensemble::model::EnsembleModel;
use crate::error::Result;
use crate::estimator::{AnyEstimator, parameters};
use crate::linear::LogisticRegression;

/// The random numbers of codes.
const STREAM: u32 = 0x4f43_0001;
/// Draws of a member that parts no classes, or parts them as one before, at most.
const DRAWS: usize = 100;

parameters! {
    /// Several classes by random codes: each member parts the classes at random into two groups, and the class whose code is
    /// nearest to what the members say wins, so that some of them may err. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::ensemble::OutputCodes;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = OutputCodes::default().code_size(3.0).fit(&iris.x, iris.labels()?)?;
    /// assert!(model.score(&iris.x, iris.labels()?)? > 0.6);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct OutputCodes: classifier("output-codes") -> OutputCodesModel;
    about "classifiers that part the classes into random groups";
    new(estimator: AnyEstimator);
    {
        /// The classifier of two groups; set its parameters as estimator.NAME.
        estimator: AnyEstimator = AnyEstimator::new(LogisticRegression::default());
        /// Members for each class.
        code_size: f64 = 1.5, above(0.0);
        /// Seed of the codes.
        seed: u64 = 0;
    }
}

/// A model fitted by [`OutputCodes`].
pub type OutputCodesModel = EnsembleModel<OutputCodes>;

fn codes(params: &OutputCodes, classes: usize) -> Result<Vec<Vec<i8>>> {
    let count = ((classes as f64 * params.code_size) as usize).max(1);
    let mut rng = HostRng::new(params.seed, STREAM);
    let mut members: Vec<Vec<i8>> = vec![];
    for _ in 0..count {
        let mut drawn: Vec<i8> = vec![];
        for _ in 0..DRAWS {
            drawn = (0..classes).map(|_| if rng.uniform() < 0.5 { -1 } else { 1 }).collect();
            let parts = classes == 1 || drawn.iter().any(|side| *side != drawn[0]);
            let mirrored: Vec<i8> = drawn.iter().map(|side| -side).collect();
            if parts && !members.contains(&drawn) && !members.contains(&mirrored) {
                break;
            }
        }
        members.push(drawn);
    }
    Ok(members)
}

/// One less the mean distance between a class's code and what the members say, both from 0 to 1.
fn values(model: &OutputCodesModel, shares: &[Vec<f64>], rows: usize) -> Result<Matrix> {
    let count = shares.len().max(1) as f64;
    table(rows, model.fitted.classes, |row, class| {
        let off = |(sides, shares): (&[i8], &Vec<f64>)| {
            let wanted = f64::from(u8::from(sides[class] > 0));
            (wanted - shares[row]).powi(2)
        };
        1.0 - model.fitted.members().zip(shares).map(off).sum::<f64>() / count
    })
}

coded_ensemble!(OutputCodes -> OutputCodesModel, codes = codes, values = values);
