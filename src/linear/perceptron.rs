//! Rosenblatt's perceptron.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::classifier::{FitOutcome, LinearClassifier, LinearClassifierModel, Shown, planes_of};
use super::host_rows::{HostRows, each_row};
use crate::cpu::linear::margin_gradient::exact::EachRow;
use crate::cpu::random::permutation::permutation;
use crate::cpu::vectorised;
use crate::data::{ClassWeight, Labels};
use crate::error::Result;
use crate::estimator::{Abilities, Declared, Estimator, Fit, Rows, parameters};

/// The random numbers of orders; each pass has the next stream.
const STREAM: u32 = 0x5045_0000;

/// In which order a perceptron looks at the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowOrder {
    /// One after the other, pass after pass.
    #[default]
    Cyclic,
    /// Each pass in an order of its own.
    Random,
}

parameters! {
    /// The perceptron: begins at 0, and adds y·x for each row with y·margin ≤ 0, until a pass makes no mistake. Several classes have a
    /// plane each, against the others.
    ///
    /// ```
    /// use gristmill::linear::Perceptron;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, -1.5]])?;
    /// let y = Labels::from_names(&["up", "up", "down", "down"]);
    /// let model = Perceptron::default().fit(&x, &y)?;
    /// assert!(model.converged() && model.predict(&x)? == y);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Rows that a plane separates with margin γ, of length R at most: no more than (R/γ)² mistakes in any order, then the fit
    ///   ends by itself. `mistakes` in the report counts them.
    /// - Rows that no plane separates: in cyclic order the planes come back to where they were, and the fit ends there; `cycle` in the
    ///   report is the number of passes between. `average` gives the mean of all planes on the way, which suits such rows.
    /// - The weight of a row multiplies what it adds, with the class's; 0 leaves it out. Sparse rows cost what is not zero in them.
    pub struct Perceptron: classifier("perceptron") -> PerceptronModel;
    about "a plane that moves for each row it gets wrong";
    {
        /// The order of the rows: cyclic or random.
        order: RowOrder = RowOrder::Cyclic;
        /// Whether the mean of the planes after each row is taken.
        average: bool = false;
        /// Whether there is an intercept.
        fit_intercept: bool = true;
        /// Weights of classes: none, balanced, or an object of weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
        /// Maximum number of passes over the rows.
        max_iter: usize = 1000, at_least(1.0);
        /// Seed of the random orders.
        seed: u64 = 0;
    }
}

/// A model fitted by [`Perceptron`].
pub type PerceptronModel = LinearClassifierModel<Perceptron>;

impl LinearClassifier for Perceptron {
    const EXTRAS: &'static [(&'static str, Shown)] =
        &[("mistakes", Shown::Number), ("cycle", Shown::Number), ("mistakes_a_pass", Shown::Curve)];
}

impl PerceptronModel {
    /// Rows that moved a plane, over all passes.
    pub fn mistakes(&self) -> u64 {
        self.fit.extra("mistakes").map_or(0, |count| count[0] as u64)
    }

    /// Passes after which the planes come back to where they were, if they do.
    pub fn cycle(&self) -> Option<u64> {
        self.fit.extra("cycle").map(|passes| passes[0] as u64)
    }
}

/// A plane on its way, and Σ of (rows seen before)·(what was added), of which the average follows.
#[derive(Clone)]
struct Plane {
    w: Vec<f64>,
    b: f64,
    early: Vec<f64>,
    early_b: f64,
    seen: f64,
    done: bool,
}

impl Perceptron {
    /// One pass over rows with a side, −1 or 1, and a weight; returns the mistakes.
    #[inline(always)]
    fn pass<R: EachRow>(&self, x: R, order: &[u32], side: impl Fn(usize) -> (f64, f64), plane: &mut Plane) -> usize {
        let mut mistakes = 0;
        for row in order {
            let row = *row as usize;
            let (y, weight) = side(row);
            if y * (x.dot(row, &plane.w) + plane.b) <= 0.0 {
                mistakes += 1;
                let y = weight * y;
                x.add(row, y, &mut plane.w);
                plane.b += if self.fit_intercept { y } else { 0.0 };
                if self.average {
                    x.add(row, y * plane.seen, &mut plane.early);
                    plane.early_b += if self.fit_intercept { y * plane.seen } else { 0.0 };
                }
            }
            plane.seen += 1.0;
        }
        mistakes
    }
}

impl Estimator for Perceptron {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<PerceptronModel> {
        let rows = HostRows::new(Self::TYPE, x)?;
        let weights = self.class_weight.row_weights(y, options.weights(Self::TYPE, rows.rows())?)?;
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
        let counted: Vec<u32> = (0..rows.rows() as u32).filter(|row| weight(*row as usize) > 0.0).collect();
        let (planes, d) = (planes_of(y.classes()), rows.columns());
        let start =
            Plane { w: vec![0.0; d], b: 0.0, early: vec![0.0; d], early_b: 0.0, seen: 0.0, done: y.classes() == 1 };
        let mut states = vec![start; planes];
        let mut been: HashMap<u64, usize> = HashMap::new();
        let (mut passes, mut curve, mut cycle) = (0, vec![], vec![]);
        options.watched("perceptron", |reporter| {
            while passes < self.max_iter && states.iter().any(|plane| !plane.done) {
                let order = match self.order {
                    RowOrder::Cyclic => counted.clone(),
                    RowOrder::Random => {
                        let places = permutation(self.seed, STREAM.wrapping_add(passes as u32), counted.len() as u32);
                        places.into_iter().map(|place| counted[place as usize]).collect()
                    }
                };
                let of_plane = |(at, plane): (usize, &mut Plane)| {
                    if plane.done {
                        return 0;
                    }
                    let own = |row: usize| match planes {
                        1 => y.codes()[row] == 1,
                        _ => y.codes()[row] as usize == at,
                    };
                    let side = |row: usize| (if own(row) { 1.0 } else { -1.0 }, weight(row));
                    let mistakes = each_row!(&rows, x => vectorised!(self.pass(x, &order, side, plane)));
                    plane.done = mistakes == 0;
                    mistakes
                };
                let mistakes: Vec<usize> = states.par_iter_mut().enumerate().map(of_plane).collect();
                passes += 1;
                let mistakes: usize = mistakes.into_iter().sum();
                curve.push(mistakes as f64);
                if reporter.report(passes, Some(mistakes as f64), passes as f64 / self.max_iter as f64)? {
                    break;
                }
                if self.order == RowOrder::Cyclic && mistakes > 0 {
                    let mut hasher = DefaultHasher::new();
                    for plane in &states {
                        plane.w.iter().chain([&plane.b]).for_each(|value| value.to_bits().hash(&mut hasher));
                    }
                    if let Some(before) = been.insert(hasher.finish(), passes) {
                        cycle.push((passes - before) as f64);
                        break;
                    }
                }
            }
            Ok(())
        })?;
        let converged = states.iter().all(|plane| plane.done);
        let mut coef = vec![];
        let mut intercept = vec![];
        for plane in &states {
            let share = if self.average && plane.seen > 0.0 { 1.0 / plane.seen } else { 0.0 };
            coef.extend(plane.w.iter().zip(&plane.early).map(|(w, early)| w - share * early));
            intercept.push(plane.b - share * plane.early_b);
        }
        let fit = FitOutcome { iterations: passes, converged, extras: vec![] };
        let mistakes = vec![curve.iter().sum()];
        let fit = fit.with("mistakes", mistakes).with("cycle", cycle).with("mistakes_a_pass", curve);
        LinearClassifierModel::new(self, &coef, intercept, y, fit)
    }
}
