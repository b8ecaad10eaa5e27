//! Scores of predicted classes.

use super::check::Weighted;
use super::confusion_counts::{ConfusionCounts, share};
use crate::data::Labels;
use crate::error::Result;

/// How the scores of the classes become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// The mean over the classes: rare ones count as much as common ones.
    Macro,
    /// Of all rows together, which for classes that exclude each other is the accuracy.
    Micro,
    /// The mean over the classes, each weighted by the number of its rows.
    Weighted,
}

/// The scores of one class, from [`class_scores`].
#[derive(Debug, Clone, PartialEq)]
pub struct ClassScore {
    /// The class's name.
    pub class: String,
    /// Of the rows that were predicted to be of the class, the share that is of it; 0 if there are none.
    pub precision: f64,
    /// Of the rows of the class, the share that was found; 0 if there is none.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Rows that truly are of the class, or the sum of their weights.
    pub support: f64,
}

/// The share of rows whose class was predicted right.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let (y, predicted) = (Labels::from(&[3_u32, 5, 5, 7][..]), Labels::from(&[3_u32, 5, 7, 7][..]));
/// assert_eq!(metrics::accuracy(&y, &predicted)?, 0.75);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "accuracy_score")]
pub fn accuracy<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels) -> Result<f64> {
    Ok(ConfusionCounts::new("accuracy", y.into(), predicted)?.accuracy())
}

/// The mean recall of the classes that occur in `y`: 1/k for guessing, however common one class is.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let (y, predicted) = (Labels::from(&[0_u32, 0, 0, 1][..]), Labels::from(&[0_u32, 0, 0, 0][..]));
/// assert_eq!(metrics::balanced_accuracy(&y, &predicted)?, 0.5);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "balanced_accuracy_score")]
pub fn balanced_accuracy<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels) -> Result<f64> {
    let counts = ConfusionCounts::new("balanced_accuracy", y.into(), predicted)?;
    let recalls: Vec<f64> = counts
        .hits
        .iter()
        .zip(&counts.truth)
        .filter(|(_, truth)| **truth > 0.0)
        .map(|(hits, all)| hits / all)
        .collect();
    Ok(recalls.iter().sum::<f64>() / recalls.len() as f64)
}

/// Precision: of the rows that were predicted to be of a class, the share that is of it; averaged over the classes.
///
/// ```
/// use gristmill::{Labels, metrics::{self, Average}};
/// let (y, predicted) = (Labels::from(&[0_u32, 0, 1, 1][..]), Labels::from(&[0_u32, 1, 1, 1][..]));
/// assert!((metrics::precision(&y, &predicted, Average::Macro)? - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-12);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "precision_score")]
pub fn precision<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels, average: Average) -> Result<f64> {
    Ok(averaged(&ConfusionCounts::new("precision", y.into(), predicted)?, average, |score| score.precision))
}

/// Recall: of the rows of a class, the share that was found; averaged over the classes.
///
/// ```
/// use gristmill::{Labels, metrics::{self, Average}};
/// let (y, predicted) = (Labels::from(&[0_u32, 0, 1, 1][..]), Labels::from(&[0_u32, 1, 1, 1][..]));
/// assert_eq!(metrics::recall(&y, &predicted, Average::Macro)?, 0.75);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "recall_score")]
pub fn recall<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels, average: Average) -> Result<f64> {
    Ok(averaged(&ConfusionCounts::new("recall", y.into(), predicted)?, average, |score| score.recall))
}

/// F1: the harmonic mean of precision and recall of a class; averaged over the classes.
///
/// ```
/// use gristmill::{Labels, metrics::{self, Average}};
/// let (y, predicted) = (Labels::from(&[0_u32, 0, 1, 1][..]), Labels::from(&[0_u32, 1, 1, 1][..]));
/// assert!((metrics::f1(&y, &predicted, Average::Macro)? - (2.0 / 3.0 + 4.0 / 5.0) / 2.0).abs() < 1e-12);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "f1_score")]
pub fn f1<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels, average: Average) -> Result<f64> {
    Ok(averaged(&ConfusionCounts::new("f1", y.into(), predicted)?, average, |score| score.f1))
}

/// Precision, recall, F1 and support of every class, in the order of the classes.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let y = Labels::from_names(&["lily", "rose", "rose"]);
/// let scores = metrics::class_scores(&y, &Labels::from_names(&["lily", "rose", "lily"]))?;
/// assert_eq!((scores[0].class.as_str(), scores[0].precision, scores[0].recall), ("lily", 0.5, 1.0));
/// assert_eq!((scores[1].class.as_str(), scores[1].precision, scores[1].recall), ("rose", 1.0, 0.5));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn class_scores<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels) -> Result<Vec<ClassScore>> {
    Ok(scores_of(&ConfusionCounts::new("class_scores", y.into(), predicted)?))
}

/// Matthews' correlation of targets and predictions, for any number of classes: 1 is perfect, 0 no better than chance.
///
/// ```
/// use gristmill::{Labels, metrics};
/// let y = Labels::from(&[0_u32, 1, 1, 0][..]);
/// assert_eq!(metrics::matthews_corrcoef(&y, &y)?, 1.0);
/// assert_eq!(metrics::matthews_corrcoef(&y, &Labels::from(&[1_u32, 0, 0, 1][..]))?, -1.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn matthews_corrcoef<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels) -> Result<f64> {
    let counts = ConfusionCounts::new("matthews_corrcoef", y.into(), predicted)?;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (truth, predicted, n) = (&counts.truth, &counts.predicted, counts.total);
    let covariance = counts.hits.iter().sum::<f64>() * n - dot(truth, predicted);
    let variances = (n * n - dot(truth, truth)) * (n * n - dot(predicted, predicted));
    // One class throughout on either side: nothing to correlate with.
    Ok(if variances <= 0.0 { 0.0 } else { covariance / variances.sqrt() })
}

pub(super) fn scores_of(counts: &ConfusionCounts) -> Vec<ClassScore> {
    let score = |(class, name): (usize, &String)| {
        let (hits, truth, predicted) = (counts.hits[class], counts.truth[class], counts.predicted[class]);
        let (precision, recall) = (share(hits, predicted), share(hits, truth));
        ClassScore { class: name.clone(), precision, recall, f1: share(2.0 * hits, truth + predicted), support: truth }
    };
    counts.classes.iter().enumerate().map(score).collect()
}

fn averaged(counts: &ConfusionCounts, average: Average, score: impl Fn(&ClassScore) -> f64) -> f64 {
    average_of(&scores_of(counts), counts, average, score)
}

pub(super) fn average_of(
    scores: &[ClassScore],
    counts: &ConfusionCounts,
    average: Average,
    score: impl Fn(&ClassScore) -> f64,
) -> f64 {
    match average {
        Average::Macro => scores.iter().map(&score).sum::<f64>() / scores.len() as f64,
        // Every row has one class and one prediction, so all three scores are the same share.
        Average::Micro => counts.accuracy(),
        Average::Weighted => scores.iter().map(|class| class.support * score(class)).sum::<f64>() / counts.total,
    }
}
