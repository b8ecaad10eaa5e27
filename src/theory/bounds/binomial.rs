//! The exact probability that a model with error ε makes few errors on n rows: Σ_{k=0}^{⌊ηn⌋} C(n, k) ε^k (1−ε)^(n−k).
//!
//! Conditions: the rows are independent and had no part in choosing the model. The sum starts at 0 errors and includes
//! ⌊ηn⌋; the notes print it from 1, and their program stops one short (000 §1.6).

use crate::error::{Error, Result};
use crate::theory::check::{at_least_one, falls_to, first, first_until, inside, share};

/// The probability that a model with error ε makes at most ⌊ηn⌋ errors on n rows. O(n).
///
/// ```
/// use gristmill::theory::binomial;
/// assert!((binomial::delta(100, 0.01, 0.02)? - 0.40327).abs() < 5e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn delta(rows: u64, observed: f64, epsilon: f64) -> Result<f64> {
    at_least_one("rows", rows)?;
    at_most(errors(rows, share("observed", observed)?), rows, share("epsilon", epsilon)?)
}

/// How far the error can be above the observed rate η: the largest ε whose probability of so few errors is still δ,
/// less η. The exact upper confidence limit of Clopper and Pearson; O(60·n).
pub fn gap(rows: u64, observed: f64, delta: f64) -> Result<f64> {
    at_least_one("rows", rows)?;
    let (count, delta) = (errors(rows, share("observed", observed)?), inside("delta", delta)?);
    if count >= rows {
        return Ok(1.0 - observed);
    }
    let tail = |epsilon: f64| at_most(count, rows, epsilon).unwrap_or(0.0);
    Ok(falls_to(delta, (count as f64 / rows as f64, 1.0), tail) - observed)
}

/// The least number of rows on which a model with error ε shows a rate of η or less with probability δ at most.
///
/// Conditions: η < ε; else no number of rows is enough. The probability falls while ⌊ηn⌋ stays and jumps up where it
/// grows, so a larger number of rows can again be a little above δ.
pub fn sample_size(observed: f64, epsilon: f64, delta: f64) -> Result<u64> {
    let (observed, epsilon, delta) =
        (share("observed", observed)?, inside("epsilon", epsilon)?, inside("delta", delta)?);
    if observed >= epsilon {
        return Err(Error::param("observed", format!("below epsilon, {epsilon}"), observed));
    }
    let too_close = || Error::param("epsilon", "further above observed", epsilon);
    let holds = |rows: u64| at_most(errors(rows, observed), rows, epsilon).is_ok_and(|tail| tail <= delta);
    // The numbers of rows with so many errors allowed: within them the probability falls.
    let stretch = |count: u64| {
        let last = first(1, |rows| errors(rows, observed) > count).map(|next| next - 1);
        (first(1, |rows| errors(rows, observed) >= count).unwrap_or(1), last)
    };
    let enough = |count: u64| stretch(count).1.is_none_or(holds);
    match first(0, enough).map(stretch) {
        Some((from, Some(last))) => Ok(first_until(from, last, holds)),
        Some((from, None)) => first(from, holds).ok_or_else(too_close),
        None => Err(too_close()),
    }
}

/// ⌊ηn⌋, but 29 for 0.29·100, which is 28.999999999999996 in binary.
fn errors(rows: u64, observed: f64) -> u64 {
    let product = observed * rows as f64;
    let nearest = product.round();
    if (product - nearest).abs() <= 1e-12 * rows as f64 { nearest as u64 } else { product as u64 }
}

/// ln C(n, k), summed over the k factors. O(min(k, n − k)).
pub fn ln_choose(all: u64, chosen: u64) -> f64 {
    let chosen = chosen.min(all.saturating_sub(chosen));
    (1..=chosen).map(|at| ((all - chosen + at) as f64 / at as f64).ln()).sum()
}

/// The probability of at most `successes` in `trials` independent trials that succeed with `probability`. O(trials).
///
/// ```
/// use gristmill::theory::binomial;
/// assert!((binomial::at_most(1, 3, 0.5)? - 0.5).abs() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn at_most(successes: u64, trials: u64, probability: f64) -> Result<f64> {
    if !(0.0..=1.0).contains(&probability) {
        return Err(Error::param("probability", "from 0 to 1", probability));
    }
    if successes >= trials || probability == 0.0 {
        return Ok(1.0);
    }
    if probability == 1.0 {
        return Ok(0.0);
    }
    // Every term as a multiple of the largest, which is known without factorials: only ratios of neighbours are used.
    let odds = probability / (1.0 - probability);
    let mode = (((trials as f64 + 1.0) * probability) as u64).min(trials);
    let (mut below, mut above) = (0.0, 0.0);
    let mut count = |at: u64, term: f64| if at <= successes { below += term } else { above += term };
    count(mode, 1.0);
    let mut term = 1.0_f64;
    for at in mode + 1..=trials {
        term *= (trials - at + 1) as f64 / at as f64 * odds;
        count(at, term);
        if term == 0.0 {
            break;
        }
    }
    let mut term = 1.0_f64;
    for at in (0..mode).rev() {
        term *= (at + 1) as f64 / ((trials - at) as f64 * odds);
        count(at, term);
        if term == 0.0 {
            break;
        }
    }
    Ok(below / (below + above))
}
