//! Decision trees by the length of their description: with probability 1 − δ the error of a tree of n nodes is at most
//! √(((n + 1)·log₂(d + 3) + log₂(2/δ))/2m) above its training error (000 §4.1.10).
//!
//! Conditions: m rows drawn independently from one distribution, d questions that a node can ask, fixed before the rows
//! are seen. It holds for trees of every size at once. The notes print "probability δ" where 1 − δ is meant.

use super::SampleSize;
use crate::error::Result;
use crate::theory::check::{at_least_one, inside, zero_or_more};

/// √(((n + 1)·log₂(d + 3) + log₂(2/δ))/2m). Above 1 it says nothing.
///
/// ```
/// use gristmill::theory::tree;
/// assert!((tree::gap(7, 2, 1000, 0.05)? - 0.10931).abs() < 5e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn gap(nodes: u64, questions: u64, rows: u64, delta: f64) -> Result<f64> {
    let bits = bits(nodes, questions)? + (2.0 / inside("delta", delta)?).log2();
    Ok((bits / (2.0 * at_least_one("rows", rows)?)).sqrt())
}

/// Rows after which the gap is at most ε.
pub fn sample_size(nodes: u64, questions: u64, epsilon: f64, delta: f64) -> Result<SampleSize> {
    let epsilon = inside("epsilon", epsilon)?;
    let bits = bits(nodes, questions)? + (2.0 / inside("delta", delta)?).log2();
    Ok(SampleSize { exact: bits / (2.0 * epsilon * epsilon) })
}

/// 2·2^((n + 1)·log₂(d + 3) − 2mε²), at most 1: the probability that a tree of n nodes has a gap above ε.
pub fn delta(nodes: u64, questions: u64, rows: u64, epsilon: f64) -> Result<f64> {
    let epsilon = zero_or_more("epsilon", epsilon)?;
    Ok((1.0 + bits(nodes, questions)? - 2.0 * at_least_one("rows", rows)? * epsilon * epsilon).exp2().min(1.0))
}

/// (n + 1)·log₂(d + 3): bits that describe a tree.
fn bits(nodes: u64, questions: u64) -> Result<f64> {
    Ok((at_least_one("nodes", nodes)? + 1.0) * (questions as f64 + 3.0).log2())
}
