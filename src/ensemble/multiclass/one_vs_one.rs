//! Every class against every other.

use super::{coded_ensemble, table};
use crate::array::Matrix;
use crate::ensemble::model::EnsembleModel;
use crate::error::Result;
use crate::estimator::{AnyEstimator, parameters};
use crate::linear::LogisticRegression;

parameters! {
    /// Several classes by a classifier for each pair of them, k(k − 1)/2, which sees the rows of these two alone. Each casts a vote;
    /// of classes with equal votes the one whose members are surer together wins.
    ///
    /// ```
    /// use gristmill::ensemble::OneVsOne;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = OneVsOne::default().fit(&iris.x, iris.labels()?)?;
    /// assert!(model.members().len() == 3 && model.score(&iris.x, iris.labels()?)? > 0.94);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct OneVsOne: classifier("one-vs-one") -> OneVsOneModel;
    about "a classifier for each pair of classes, one vote each";
    new(estimator: AnyEstimator);
    {
        /// The classifier of two classes; set its parameters as estimator.NAME.
        estimator: AnyEstimator = AnyEstimator::new(LogisticRegression::default());
    }
}

/// A model fitted by [`OneVsOne`].
pub type OneVsOneModel = EnsembleModel<OneVsOne>;

fn codes(_: &OneVsOne, classes: usize) -> Result<Vec<Vec<i8>>> {
    let pair = |low: usize, high: usize| {
        (0..classes).map(|class| i8::from(class == high) - i8::from(class == low)).collect::<Vec<i8>>()
    };
    let pairs: Vec<Vec<i8>> = (0..classes)
        .flat_map(|high| (0..high).map(move |low| (low, high)))
        .map(|(low, high)| pair(low, high))
        .collect();
    // A single class has no pair.
    Ok(if classes == 1 { vec![vec![1]] } else { pairs })
}

/// Votes, with a third of how sure the members are to part equal ones.
fn values(model: &OneVsOneModel, shares: &[Vec<f64>], rows: usize) -> Result<Matrix> {
    let classes = model.fitted.classes;
    let most = classes as f64;
    table(rows, classes, |row, class| {
        let of = |(sides, shares): (&[i8], &Vec<f64>)| {
            let own = match sides[class] {
                1 => shares[row],
                -1 => 1.0 - shares[row],
                _ => return 0.0,
            };
            let vote = if sides[class] > 0 { own > 0.5 } else { own >= 0.5 };
            f64::from(u8::from(vote)) + own / (3.0 * most)
        };
        model.fitted.members().zip(shares).map(of).sum()
    })
}

coded_ensemble!(OneVsOne -> OneVsOneModel, codes = codes, values = values);
