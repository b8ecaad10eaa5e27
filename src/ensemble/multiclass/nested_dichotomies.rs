//! Trees of classifiers (Frank and Kramer 2004).

use super::{coded_ensemble, table};
use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::ensemble::model::EnsembleModel;
use crate::error::Result;
use crate::estimator::{AnyEstimator, parameters};
use crate::linear::LogisticRegression;

/// The random numbers of trees.
const STREAM: u32 = 0x4e44_0001;

parameters! {
    /// Several classes by a random tree of classifiers: each parts the classes of its node into two halves, down to single
    /// classes, k − 1 classifiers in all. The probability of a class is the product of those on the way to it.
    ///
    /// ```
    /// use gristmill::ensemble::NestedDichotomies;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = NestedDichotomies::default().fit(&iris.x, iris.labels()?)?;
    /// assert_eq!(model.members().len(), 2);
    /// let probabilities = model.predict_proba(&iris.x)?;
    /// assert!((probabilities.row(0).iter().sum::<f32>() - 1.0).abs() < 1e-5);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct NestedDichotomies: classifier("nested-dichotomies") -> NestedDichotomiesModel;
    about "a random tree of classifiers, each of which parts some classes in two";
    new(estimator: AnyEstimator);
    {
        /// The classifier of two groups; set its parameters as estimator.NAME.
        estimator: AnyEstimator = AnyEstimator::new(LogisticRegression::default());
        /// Seed of the tree.
        seed: u64 = 0;
    }
}

/// A model fitted by [`NestedDichotomies`].
pub type NestedDichotomiesModel = EnsembleModel<NestedDichotomies>;

fn codes(params: &NestedDichotomies, classes: usize) -> Result<Vec<Vec<i8>>> {
    let mut rng = HostRng::new(params.seed, STREAM);
    let mut order: Vec<usize> = (0..classes).collect();
    for at in (1..classes).rev() {
        let other = rng.below(at + 1);
        order.swap(at, other);
    }
    let mut members = vec![];
    let mut nodes = vec![order];
    while let Some(node) = nodes.pop() {
        if node.len() < 2 {
            continue;
        }
        let (left, right) = node.split_at(node.len() / 2);
        let side = |class: usize| i8::from(right.contains(&class)) - i8::from(left.contains(&class));
        members.push((0..classes).map(side).collect());
        nodes.push(left.to_vec());
        nodes.push(right.to_vec());
    }
    Ok(if classes == 1 { vec![vec![1]] } else { members })
}

fn values(model: &NestedDichotomiesModel, shares: &[Vec<f64>], rows: usize) -> Result<Matrix> {
    table(rows, model.fitted.classes, |row, class| {
        let step = |(sides, shares): (&[i8], &Vec<f64>)| match sides[class] {
            1 => shares[row],
            -1 => 1.0 - shares[row],
            _ => 1.0,
        };
        model.fitted.members().zip(shares).map(step).product()
    })
}

coded_ensemble!(NestedDichotomies -> NestedDichotomiesModel, codes = codes, values = values);
