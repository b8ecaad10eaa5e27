//! The losses side by side: their values, what they estimate, and their pictures.
//!
//! A loss decides what the best prediction is. Of numbers: the mean for squares, the median for absolute values, the mode
//! as the power goes to 0. Of two classes, by the probability η of the first: its log-odds, its probability, or only
//! which class is likelier. `docs/losses.md` has the table.

use super::check::{positive, share};
use crate::error::{Error, Result};
use crate::plot::Figure;

/// A loss of a margin t = y·f(x), the target y being −1 or +1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarginLoss {
    /// 1 if t ≤ 0, else 0.
    ZeroOne,
    /// (1 − t)².
    Squared,
    /// max(0, 1 − t).
    Hinge,
    /// max(0, 1 − t)².
    SquaredHinge,
    /// max(0, −t).
    Perceptron,
    /// ln(1 + e^−t): the cross-entropy of the probability 1/(1 + e^−f), in nats.
    Logistic,
    /// e^−t.
    Exponential,
}

impl MarginLoss {
    /// Every one.
    pub const ALL: [MarginLoss; 7] = [
        MarginLoss::ZeroOne,
        MarginLoss::Squared,
        MarginLoss::Hinge,
        MarginLoss::SquaredHinge,
        MarginLoss::Perceptron,
        MarginLoss::Logistic,
        MarginLoss::Exponential,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            MarginLoss::ZeroOne => "0-1",
            MarginLoss::Squared => "squared",
            MarginLoss::Hinge => "hinge",
            MarginLoss::SquaredHinge => "squared hinge",
            MarginLoss::Perceptron => "perceptron",
            MarginLoss::Logistic => "logistic",
            MarginLoss::Exponential => "exponential",
        }
    }

    /// The loss at margin t.
    pub fn value(self, margin: f64) -> f64 {
        let short = (1.0 - margin).max(0.0);
        match self {
            MarginLoss::ZeroOne => f64::from(u8::from(margin <= 0.0)),
            MarginLoss::Squared => (1.0 - margin) * (1.0 - margin),
            MarginLoss::Hinge => short,
            MarginLoss::SquaredHinge => short * short,
            MarginLoss::Perceptron => (-margin).max(0.0),
            // Without overflow for very negative margins.
            MarginLoss::Logistic => (-margin).max(0.0) + (-margin.abs()).exp().ln_1p(),
            MarginLoss::Exponential => (-margin).exp(),
        }
    }

    /// The expected loss of a score where the class is +1 with probability `eta`.
    pub fn risk(self, score: f64, eta: f64) -> f64 {
        eta * self.value(score) + (1.0 - eta) * self.value(-score)
    }

    /// The score of least expected loss, for `eta` strictly between 0 and 1: the log-odds (logistic), half of them
    /// (exponential), 2η − 1 (squares), the likelier class as ±1 (hinge; 0-1, for which any score of that sign does), and
    /// 0 for the perceptron's, which a score of 0 always satisfies. Where both classes are as likely it is 0, but 1 for the 0-1
    /// loss, to which a score of 0 is wrong either way.
    ///
    /// ```
    /// use gristmill::theory::MarginLoss;
    /// assert!((MarginLoss::Logistic.minimiser(0.8)? - 4_f64.ln()).abs() < 1e-12);
    /// assert_eq!(MarginLoss::Hinge.minimiser(0.8)?, 1.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn minimiser(self, eta: f64) -> Result<f64> {
        if !(eta > 0.0 && eta < 1.0) {
            return Err(Error::param("eta", "above 0 and below 1", eta));
        }
        let log_odds = (eta / (1.0 - eta)).ln();
        Ok(match self {
            MarginLoss::ZeroOne if eta == 0.5 => 1.0,
            MarginLoss::Hinge if eta == 0.5 => 0.0,
            MarginLoss::ZeroOne | MarginLoss::Hinge => log_odds.signum(),
            MarginLoss::Squared | MarginLoss::SquaredHinge => 2.0 * eta - 1.0,
            MarginLoss::Perceptron => 0.0,
            MarginLoss::Logistic => log_odds,
            MarginLoss::Exponential => 0.5 * log_odds,
        })
    }

    /// All of them over the margin from −1.5 to 2, as the notes draw them (000 §1.7).
    pub fn figure() -> Figure {
        let figure = Figure::new().title("Losses of a margin").x_label("margin y·f(x)").y_label("loss");
        MarginLoss::ALL.into_iter().fold(figure, |figure, loss| {
            figure.line(
                loss.name(),
                (0..=350).map(|at| (-1.5 + f64::from(at) / 100.0, loss.value(-1.5 + f64::from(at) / 100.0))),
            )
        })
    }
}

/// −Σ q ln p of a target distribution q and a prediction p, both over the same classes, in nats. Least, and the entropy of
/// q, where p = q: with one class certain it is −ln of its probability. Infinite where p is 0 and q is not.
pub fn cross_entropy(target: &[f64], predicted: &[f64]) -> Result<f64> {
    if target.len() != predicted.len() || target.is_empty() {
        return Err(Error::shape(
            "cross_entropy",
            format!("{} probabilities, one at least", target.len()),
            predicted.len(),
        ));
    }
    target.iter().chain(predicted).try_for_each(|value| share("probabilities", *value).map(drop))?;
    let term = |(q, p): (&f64, &f64)| if *q > 0.0 { -q * p.ln() } else { 0.0 };
    Ok(target.iter().zip(predicted).map(term).sum())
}

/// |target − prediction|^q: Minkowski's loss. Squared for q = 2, absolute for q = 1, 0-1 as q goes to 0.
pub fn minkowski(error: f64, power: f64) -> f64 {
    error.abs().powf(power)
}

/// The number of least Σ |value − c|^q: the mean for q = 2, the median for q = 1 (midway between the two middle ones of
/// an even number), the middle of the range as q grows, and one of the values for q below 1, as it goes to 0 the
/// commonest. O(n) a step of halving from q = 1 on, O(n²) below.
///
/// ```
/// use gristmill::theory::minkowski_minimiser;
/// let values = [1.0, 1.0, 2.0, 4.0, 12.0];
/// assert!((minkowski_minimiser(&values, 2.0)? - 4.0).abs() < 1e-9);
/// assert!((minkowski_minimiser(&values, 1.0)? - 2.0).abs() < 1e-9);
/// assert_eq!(minkowski_minimiser(&values, 1e-3)?, 1.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn minkowski_minimiser(values: &[f64], power: f64) -> Result<f64> {
    positive("power", power)?;
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return Err(Error::shape("minkowski_minimiser", "finite numbers, one at least", values.len()));
    }
    if power < 1.0 {
        // Between two values the sum is concave, so that its least is at one of them.
        let sum = |centre: f64| values.iter().map(|value| minkowski(value - centre, power)).sum::<f64>();
        let least = values
            .iter()
            .map(|value| (sum(*value), *value))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        return Ok(least.map_or(f64::NAN, |(_, value)| value));
    }
    // Convex: the two ends of where its slope is 0, and midway between them.
    let pull =
        |centre: f64| values.iter().map(|value| (value - centre).signum() * slope(value - centre, power)).sum::<f64>();
    let end = |is_left: &dyn Fn(f64) -> bool| {
        let fold = |start: f64, pick: fn(f64, f64) -> f64| values.iter().copied().fold(start, pick);
        let (mut low, mut high) = (fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max));
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if is_left(pull(middle)) { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    };
    Ok(f64::midpoint(end(&|pull| pull > 0.0), end(&|pull| pull >= 0.0)))
}

/// |error|^(q − 1), 0 for no error.
fn slope(error: f64, power: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error.abs().powf(power - 1.0) }
}

/// Minkowski's losses over the error from −2 to 2, for several powers.
pub fn minkowski_figure(powers: &[f64]) -> Figure {
    let figure = Figure::new().title("Minkowski's losses").x_label("target − prediction").y_label("loss");
    powers.iter().fold(figure, |figure, power| {
        let point = |at: i32| (f64::from(at) / 100.0, minkowski(f64::from(at) / 100.0, *power));
        figure.line(&format!("q = {power}"), (-200..=200).map(point))
    })
}
