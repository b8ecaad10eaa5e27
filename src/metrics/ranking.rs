//! Scores of a ranking: how well the rows of one class are put before those of the other.

use super::check::{Weighted, Weights, finite, same_rows};
use crate::data::Labels;
use crate::error::{Error, Result};

/// False and true positive rates as the threshold falls, from (0, 0) to (1, 1).
#[derive(Debug, Clone, PartialEq)]
pub struct RocCurve {
    /// The share of negative rows that score at least the threshold.
    pub false_positive_rate: Vec<f64>,
    /// The share of positive rows that score at least the threshold.
    pub true_positive_rate: Vec<f64>,
    /// Descending; the first is infinite, as no row reaches it.
    pub thresholds: Vec<f64>,
    auc: f64,
}

impl RocCurve {
    /// The area under the curve, of all its points.
    pub fn auc(&self) -> f64 {
        self.auc
    }
}

/// Precision and recall at every threshold, ascending, closed by precision 1 at recall 0.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionRecallCurve {
    /// Of the rows that score at least the threshold, the share that is positive; one more than thresholds.
    pub precision: Vec<f64>,
    /// Of the positive rows, the share that scores at least the threshold; one more than thresholds.
    pub recall: Vec<f64>,
    /// The distinct scores, ascending.
    pub thresholds: Vec<f64>,
}

/// The ROC curve of `scores`, one a row, for the class that comes last of the two that `y` has.
///
/// Rows with equal scores are one step. Points on a straight line between their neighbours are left out, as
/// scikit-learn does. `O(n log n)`.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let y = Labels::from_names(&["no", "no", "yes", "yes"]);
/// let curve = metrics::roc_curve(&y, &[0.1, 0.4, 0.35, 0.8])?;
/// assert_eq!(curve.false_positive_rate, [0.0, 0.0, 0.5, 0.5, 1.0]);
/// assert_eq!(curve.true_positive_rate, [0.0, 0.5, 0.5, 1.0, 1.0]);
/// assert_eq!(curve.auc(), 0.75);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn roc_curve<'a>(y: impl Into<Weighted<'a, Labels>>, scores: &[f32]) -> Result<RocCurve> {
    let steps = Steps::new("roc_curve", y.into(), scores)?;
    let (positives, negatives) = (steps.positives(), steps.negatives());
    let mut curve = RocCurve {
        false_positive_rate: vec![0.0],
        true_positive_rate: vec![0.0],
        thresholds: vec![f64::INFINITY],
        auc: steps.auc(),
    };
    let all = &steps.0;
    let bends =
        |sum: fn(&Step) -> f64, at: usize| sum(&all[at + 1]) - sum(&all[at]) != sum(&all[at]) - sum(&all[at - 1]);
    for (at, step) in all.iter().enumerate() {
        let inner = at > 0 && at + 1 < all.len();
        if inner && !bends(|step| step.hits, at) && !bends(|step| step.alarms, at) {
            continue;
        }
        curve.false_positive_rate.push(step.alarms / negatives);
        curve.true_positive_rate.push(step.hits / positives);
        curve.thresholds.push(step.threshold);
    }
    Ok(curve)
}

/// The area under the ROC curve: the probability that a positive row scores above a negative one, ties counting half.
///
/// The positive class is the last of the two that `y` has. `O(n log n)`.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let y = Labels::from_names(&["no", "no", "yes", "yes"]);
/// assert_eq!(metrics::roc_auc(&y, &[0.1, 0.4, 0.35, 0.8])?, 0.75);
/// assert_eq!(metrics::roc_auc(&y, &[0.5, 0.5, 0.5, 0.5])?, 0.5);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "roc_auc_score")]
pub fn roc_auc<'a>(y: impl Into<Weighted<'a, Labels>>, scores: &[f32]) -> Result<f64> {
    Ok(Steps::new("roc_auc", y.into(), scores)?.auc())
}

/// Precision against recall of `scores`, one a row, for the class that comes last of the two that `y` has.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let y = Labels::from_names(&["no", "no", "yes", "yes"]);
/// let curve = metrics::precision_recall_curve(&y, &[0.1, 0.4, 0.35, 0.8])?;
/// assert_eq!(curve.recall, [1.0, 1.0, 0.5, 0.5, 0.0]);
/// assert_eq!(curve.precision[2..], [0.5, 1.0, 1.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn precision_recall_curve<'a>(y: impl Into<Weighted<'a, Labels>>, scores: &[f32]) -> Result<PrecisionRecallCurve> {
    let steps = Steps::new("precision_recall_curve", y.into(), scores)?;
    let ascending = || steps.0.iter().rev();
    Ok(PrecisionRecallCurve {
        precision: ascending().map(Step::precision).chain([1.0]).collect(),
        recall: ascending().map(|step| step.hits / steps.positives()).chain([0.0]).collect(),
        thresholds: ascending().map(|step| step.threshold).collect(),
    })
}

/// The precision at each threshold, weighted by the recall gained there: the area under the steps of
/// [`precision_recall_curve`].
///
/// ```
/// use gristmill::{Labels, metrics};
/// let y = Labels::from_names(&["no", "no", "yes", "yes"]);
/// assert!((metrics::average_precision(&y, &[0.1, 0.4, 0.35, 0.8])? - 0.8333333).abs() < 1e-7);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "average_precision_score")]
pub fn average_precision<'a>(y: impl Into<Weighted<'a, Labels>>, scores: &[f32]) -> Result<f64> {
    let steps = Steps::new("average_precision", y.into(), scores)?;
    let mut found = 0.0;
    let gain = |step: &Step| {
        let gained = step.hits - found;
        found = step.hits;
        gained * step.precision()
    };
    Ok(steps.0.iter().map(gain).sum::<f64>() / steps.positives())
}

/// What lies at or above one of the distinct scores.
struct Step {
    threshold: f64,
    /// Weight of the positive rows.
    hits: f64,
    /// Weight of the negative rows.
    alarms: f64,
}

impl Step {
    fn precision(&self) -> f64 {
        self.hits / (self.hits + self.alarms)
    }
}

/// The steps of the distinct scores, descending; never empty, and the last has rows of both classes.
struct Steps(Vec<Step>);

impl Steps {
    fn new(op: &'static str, y: Weighted<'_, Labels>, scores: &[f32]) -> Result<Steps> {
        let Weighted { y, weights } = y;
        let rows = same_rows(op, y.len(), scores.len())?;
        finite(scores)?;
        let weights = Weights::new(op, rows, weights)?;
        let positive = positive_class(op, y)?;
        // A row without weight is no step.
        let mut order: Vec<usize> = (0..rows).filter(|row| weights.at(*row) > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let mut steps: Vec<Step> = vec![];
        let (mut hits, mut alarms) = (0.0, 0.0);
        for row in order {
            let threshold = scores[row] as f64;
            if y.codes()[row] == positive {
                hits += weights.at(row)
            } else {
                alarms += weights.at(row)
            };
            match steps.last_mut() {
                // Zero and minus zero are the same score.
                Some(step) if step.threshold == threshold => (step.hits, step.alarms) = (hits, alarms),
                _ => steps.push(Step { threshold, hits, alarms }),
            }
        }
        if hits == 0.0 || alarms == 0.0 {
            return Err(Error::param("weights", "above zero for some row of each class", "one class without weight"));
        }
        Ok(Steps(steps))
    }

    fn positives(&self) -> f64 {
        self.0.last().map_or(0.0, |step| step.hits)
    }

    fn negatives(&self) -> f64 {
        self.0.last().map_or(0.0, |step| step.alarms)
    }

    /// By the trapezoid rule, which counts ties half.
    fn auc(&self) -> f64 {
        let (mut hits, mut alarms, mut area) = (0.0, 0.0, 0.0);
        for step in &self.0 {
            area += (step.alarms - alarms) * (step.hits + hits) / 2.0;
            (hits, alarms) = (step.hits, step.alarms);
        }
        area / (self.positives() * self.negatives())
    }
}

/// The code of the last of the two classes that have rows.
fn positive_class(op: &'static str, y: &Labels) -> Result<u32> {
    let counts = y.counts();
    let occurring: Vec<usize> = (0..counts.len()).filter(|class| counts[*class] > 0).collect();
    match occurring[..] {
        [_, positive] => Ok(positive as u32),
        _ => Err(Error::shape(op, "rows of exactly two classes", format!("{} classes", occurring.len()))),
    }
}
