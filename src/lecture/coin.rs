//! Bayes' rule for a coin.

use crate::error::{Error, Result};
use crate::plot::Figure;

/// What is known of the probability of heads: a Beta distribution, from a prior and the flips since (003 §1.4).
///
/// ```
/// use gristmill::lecture::CoinPosterior;
/// let coin = CoinPosterior::new(1.0, 1.0)?.flipped(7, 3);
/// assert!((coin.mean() - 8.0 / 12.0).abs() < 1e-15);
/// // Fair, or with two heads, at even odds: one tail settles it.
/// assert_eq!(CoinPosterior::probability_of_fair(0.5, 1.0, 3, 0)?, 1.0 / 9.0);
/// assert_eq!(CoinPosterior::probability_of_fair(0.5, 1.0, 3, 1)?, 1.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoinPosterior {
    heads: f64,
    tails: f64,
}

impl CoinPosterior {
    /// A Beta prior: as if so many heads and tails had been seen, both above 0. 1 and 1 is no preference.
    pub fn new(heads: f64, tails: f64) -> Result<CoinPosterior> {
        if heads > 0.0 && tails > 0.0 && (heads + tails).is_finite() {
            return Ok(CoinPosterior { heads, tails });
        }
        Err(Error::param("prior", "two finite numbers above 0", format!("{heads} and {tails}")))
    }

    /// After more flips. The order of flips, and whether they come at once, does not matter.
    pub fn flipped(self, heads: u32, tails: u32) -> CoinPosterior {
        CoinPosterior { heads: self.heads + f64::from(heads), tails: self.tails + f64::from(tails) }
    }

    /// The expected probability of heads, a/(a + b): also the probability that the next flip is heads.
    pub fn mean(&self) -> f64 {
        self.heads / (self.heads + self.tails)
    }

    /// ab/((a + b)²(a + b + 1)).
    pub fn variance(&self) -> f64 {
        let sum = self.heads + self.tails;
        self.heads * self.tails / (sum * sum * (sum + 1.0))
    }

    /// The most probable value, (a − 1)/(a + b − 2): the maximum a posteriori, and with the prior 1, 1 the share of heads.
    /// None where the density has no maximum inside.
    pub fn mode(&self) -> Option<f64> {
        (self.heads > 1.0 && self.tails > 1.0).then(|| (self.heads - 1.0) / (self.heads + self.tails - 2.0))
    }

    /// The probability that a coin is fair rather than one with heads at `other`, by the prior probability that it is fair
    /// and the flips: P(fair)·½ⁿ over the sum of both.
    pub fn probability_of_fair(prior: f64, other: f64, heads: u32, tails: u32) -> Result<f64> {
        for (name, value) in [("prior", prior), ("other", other)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::param(name, "from 0 to 1", value));
            }
        }
        let power = |base: f64, count: u32| base.powi(count as i32);
        let (fair, biased) =
            (prior * power(0.5, heads + tails), (1.0 - prior) * power(other, heads) * power(1.0 - other, tails));
        if fair + biased == 0.0 {
            return Err(Error::param(
                "flips",
                "possible under one of the two coins",
                format!("{heads} heads, {tails} tails"),
            ));
        }
        Ok(fair / (fair + biased))
    }

    /// The density over the probability of heads, its largest value drawn as 1, for each of several states of knowledge.
    pub fn figure(states: &[(&str, CoinPosterior)]) -> Figure {
        let figure = Figure::new()
            .title("What is known of a coin")
            .x_label("probability of heads")
            .y_label("density, of its largest");
        states.iter().fold(figure, |figure, (name, coin)| {
            let log = |p: f64| (coin.heads - 1.0) * p.ln() + (coin.tails - 1.0) * (1.0 - p).ln();
            let places: Vec<f64> = (1..200).map(|at| f64::from(at) / 200.0).collect();
            let most = places.iter().map(|p| log(*p)).fold(f64::NEG_INFINITY, f64::max);
            figure.line(name, places.iter().map(|p| (*p, (log(*p) - most).exp())))
        })
    }
}
