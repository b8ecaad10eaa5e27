//! Many voters: the probability that a majority is right, the variance of a mean of members that are alike, and Breiman's
//! bound on the error of a forest.

use super::binomial::at_most;
use crate::error::{Error, Result};
use crate::theory::check::{at_least_one, first, positive, share, zero_or_more};

/// The probability that more than half of `voters` independent voters are right, each with probability `accuracy`. A tie
/// of an even number is no majority.
///
/// ```
/// use gristmill::theory::voting;
/// assert!((voting::majority(100, 0.6)? - 0.9729).abs() < 5e-5);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn majority(voters: u64, accuracy: f64) -> Result<f64> {
    at_least_one("voters", voters)?;
    // At most (n − 1)/2 of them wrong, rounded down.
    at_most((voters - 1) / 2, voters, 1.0 - share("accuracy", accuracy)?)
}

/// The least odd number of voters whose majority is right with probability `wanted` (Condorcet). Conditions: each is
/// right with a probability above ½.
pub fn voters_for(accuracy: f64, wanted: f64) -> Result<u64> {
    if !(accuracy > 0.5 && accuracy <= 1.0) {
        return Err(Error::param("accuracy", "above 0.5 and at most 1", accuracy));
    }
    if !(wanted > 0.0 && wanted < 1.0) {
        return Err(Error::param("wanted", "above 0 and below 1", wanted));
    }
    let enough = |pairs: u64| majority(2 * pairs + 1, accuracy).is_ok_and(|right| right >= wanted);
    let pairs = first(0, enough).ok_or_else(|| Error::param("accuracy", "further above 0.5", accuracy))?;
    Ok(2 * pairs + 1)
}

/// ρσ² + (1 − ρ)σ²/B: the variance of the mean of B members of variance σ² and pairwise correlation ρ.
///
/// ```
/// use gristmill::theory::voting;
/// assert_eq!(voting::correlated_mean(4.0, 0.25, 3)?, 2.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn correlated_mean(variance: f64, correlation: f64, members: u64) -> Result<f64> {
    let members = at_least_one("members", members)?;
    // So many members cannot all be less alike than this.
    let least = if members > 1.0 { -1.0 / (members - 1.0) } else { -1.0 };
    if !(least..=1.0).contains(&correlation) {
        return Err(Error::param("correlation", format!("from {least} to 1 for {members} members"), correlation));
    }
    let variance = zero_or_more("variance", variance)?;
    Ok(correlation * variance + (1.0 - correlation) * variance / members)
}

/// The number of members from which on the variance of their mean is at most `wanted`, which must be above ρσ².
pub fn members_for(variance: f64, correlation: f64, wanted: f64) -> Result<u64> {
    let (variance, correlation) = (positive("variance", variance)?, share("correlation", correlation)?);
    let left = wanted - correlation * variance;
    if left.is_nan() || left <= 0.0 {
        let rule = format!("above ρσ² = {}, which no number of members passes", correlation * variance);
        return Err(Error::param("wanted", rule, wanted));
    }
    Ok((((1.0 - correlation) * variance / left).ceil() as u64).max(1))
}

/// ρ̄(1 − s²)/s²: what the error of a forest of many trees does not pass, by their mean correlation ρ̄ and strength s
/// (Breiman 2001, theorem 2.3). Above 1 it says nothing.
///
/// Conditions: trees drawn independently of each other given the rows; s, the mean margin, above 0.
pub fn breiman(correlation: f64, strength: f64) -> Result<f64> {
    let square = strength_square(strength)?;
    Ok(share("correlation", correlation)? * (1.0 - square) / square)
}

/// The correlation up to which Breiman's bound is at most `error`.
pub fn correlation_for(error: f64, strength: f64) -> Result<f64> {
    let square = strength_square(strength)?;
    if square == 1.0 {
        return Ok(1.0);
    }
    Ok((share("error", error)? * square / (1.0 - square)).min(1.0))
}

fn strength_square(strength: f64) -> Result<f64> {
    if strength > 0.0 && strength <= 1.0 {
        return Ok(strength * strength);
    }
    Err(Error::param("strength", "above 0 and at most 1", strength))
}
