//! What makes a node impure.

use serde::{Deserialize, Serialize};

/// What a split of a classification tree reduces: the impurity C of a node whose classes have the shares p.
///
/// ```
/// use gristmill::tree::Criterion;
/// // Nine days to play and five not to (Quinlan 1986).
/// assert!((Criterion::Entropy.impurity(&[9.0, 5.0]) - 0.940286).abs() < 1e-6);
/// assert!((Criterion::Gini.impurity(&[9.0, 5.0]) - 90.0 / 196.0).abs() < 1e-12);
/// assert!((Criterion::Misclassification.impurity(&[9.0, 5.0]) - 5.0 / 14.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// 1 − Σ p²: the probability that two rows of the node differ in class.
    #[default]
    Gini,
    /// −Σ p·log₂ p, in bits: the information gain. Also read as `log_loss`.
    #[serde(alias = "log_loss")]
    Entropy,
    /// 1 − max p: the 0-1 loss of the node's majority. Many splits gain nothing by it; the tree is then deeper.
    Misclassification,
}

impl Criterion {
    /// The impurity of a node with these weights of its classes, none of them negative; exactly 0 where at most one is
    /// above 0.
    pub fn impurity(self, weights: &[f64]) -> f64 {
        // Of one class it is 0 exactly, whatever the logarithm of its weight was rounded to.
        if weights.iter().filter(|weight| **weight > 0.0).count() < 2 {
            return 0.0;
        }
        let total: f64 = weights.iter().sum();
        let impurity = match self {
            Criterion::Gini => 1.0 - weights.iter().map(|weight| (weight / total) * (weight / total)).sum::<f64>(),
            Criterion::Entropy => {
                log2(total) - weights.iter().map(|weight| self_information(*weight)).sum::<f64>() / total
            }
            Criterion::Misclassification => 1.0 - weights.iter().copied().fold(0.0, f64::max) / total,
        };
        impurity.max(0.0)
    }
}

/// What a split of a regression tree reduces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegressionCriterion {
    /// The variance of the node's targets: their mean is its value. Of several outputs, the mean of the variances.
    #[default]
    SquaredError,
    /// The mean distance of the node's targets from their median, which is its value: outliers count less. Every node
    /// sorts its rows by every feature, which takes longer. Of several outputs, the mean of the distances.
    AbsoluteError,
}

/// w·log₂ w, and 0 for 0.
#[inline]
pub(super) fn self_information(weight: f64) -> f64 {
    if weight > 0.0 { weight * log2(weight) } else { 0.0 }
}

/// The logarithm to base 2 of a positive normal number, within 2⁻⁵² of itself or of 1.
///
/// Our own, because the system's differs in its last bits from one platform to the next, and a tree must not.
#[inline]
pub fn log2(x: f64) -> f64 {
    const MANTISSA_BITS: u32 = 52;
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.to_bits();
    // The exponent counts from √½·2ᵏ, so that the mantissa lies around 1.
    let exponent = ((bits + (ONE - ROOT_HALF)) >> MANTISSA_BITS) as i64 - 1023;
    let mantissa = f64::from_bits(bits.wrapping_sub((exponent as u64) << MANTISSA_BITS));
    // ln m = 2·artanh((m − 1)/(m + 1)), where |s| ≤ 0.172: the next term is below 2⁻⁵⁵.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let mut series = 0.0;
    for term in (0..11).rev() {
        series = series * z + 1.0 / f64::from(2 * term + 1);
    }
    exponent as f64 + 2.0 * std::f64::consts::LOG2_E * (s * series)
}
