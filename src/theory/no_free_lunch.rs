//! No free lunch: over all concepts every learner is as good as guessing on rows it has not seen.

use crate::error::{Error, Result};

/// Concepts are enumerated up to this many points.
const MOST_POINTS: usize = 20;
/// Samples of every concept are enumerated up to this many rows.
const MOST_ROWS: usize = 4;

/// How often a learner was right outside its training rows, over all concepts. Whole numbers, so that ½ is exactly ½.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffTraining {
    /// Points that were predicted rightly, summed over all concepts.
    pub right: u64,
    /// All predictions.
    pub predictions: u64,
}

impl OffTraining {
    /// The share that was right.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.predictions as f64
    }
}

/// Lets a learner see the points `training` of each of the 2^|X| concepts on `points` points, and counts how often it is
/// right on the others: in exactly half of all predictions, whatever the learner (003 §3.1).
///
/// `learner` gets the labelled training points and a point to predict. Costs 2^|X|·(|X| − m) calls, |X| at most 20.
///
/// ```
/// use gristmill::theory::off_training_accuracy;
/// let majority = |rows: &[(usize, bool)], _: usize| 2 * rows.iter().filter(|row| row.1).count() > rows.len();
/// assert_eq!(off_training_accuracy(10, &[0, 3, 4, 8], majority)?.accuracy(), 0.5);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn off_training_accuracy(
    points: usize,
    training: &[usize],
    learner: impl Fn(&[(usize, bool)], usize) -> bool,
) -> Result<OffTraining> {
    if points == 0 || points > MOST_POINTS {
        return Err(Error::param("points", format!("from 1 to {MOST_POINTS}: all concepts are tried"), points));
    }
    if let Some(at) = training.iter().find(|at| **at >= points) {
        return Err(Error::param("training", format!("points below {points}"), at));
    }
    let others: Vec<usize> = (0..points).filter(|at| !training.contains(at)).collect();
    if others.is_empty() {
        return Err(Error::param("training", "such that a point is left to predict", "all points"));
    }
    let mut right = 0;
    for concept in 0..1_u64 << points {
        let label = |at: usize| concept >> at & 1 == 1;
        let rows: Vec<(usize, bool)> = training.iter().map(|at| (*at, label(*at))).collect();
        right += others.iter().filter(|at| learner(&rows, **at) == label(**at)).count() as u64;
    }
    Ok(OffTraining { right, predictions: (1 << points) * others.len() as u64 })
}

/// The concept on which a learner does worst, and how bad it is.
#[derive(Debug, Clone, PartialEq)]
pub struct WorstConcept {
    /// The label of each of the 2m points.
    pub concept: Vec<bool>,
    /// The learner's error on it, on average over all samples of m rows.
    pub mean_error: f64,
    /// The share of samples after which its error is 1/8 or more.
    pub probability: f64,
}

/// For any learner there is a concept on 2m points, drawn evenly, on which it errs by 1/8 or more with a probability of
/// 1/7 or more after m rows, although a hypothesis without error exists (000 §6.4.6). Finds it by enumeration, m from 1
/// to 4: 2^(2m)·(2m)^(m+1) calls of the learner, as in [`off_training_accuracy`].
pub fn worst_concept(rows: usize, learner: impl Fn(&[(usize, bool)], usize) -> bool) -> Result<WorstConcept> {
    if rows == 0 || rows > MOST_ROWS {
        return Err(Error::param(
            "rows",
            format!("from 1 to {MOST_ROWS}: all samples of all concepts are tried"),
            rows,
        ));
    }
    let points = 2 * rows;
    let samples = points.pow(rows as u32);
    let mut worst = WorstConcept { concept: vec![], mean_error: -1.0, probability: 0.0 };
    for code in 0..1_usize << points {
        let label = |at: usize| code >> at & 1 == 1;
        let (mut wrong, mut bad) = (0, 0);
        for sample in 0..samples {
            let mut rest = sample;
            let drawn = |_| {
                let at = rest % points;
                rest /= points;
                (at, label(at))
            };
            let seen: Vec<(usize, bool)> = (0..rows).map(drawn).collect();
            let errors = (0..points).filter(|at| learner(&seen, *at) != label(*at)).count();
            wrong += errors;
            bad += usize::from(8 * errors >= points);
        }
        let mean_error = wrong as f64 / (samples * points) as f64;
        if mean_error > worst.mean_error {
            let probability = bad as f64 / samples as f64;
            worst = WorstConcept { concept: (0..points).map(label).collect(), mean_error, probability };
        }
    }
    Ok(worst)
}
