//! Large margin nearest neighbours.

use rayon::prelude::*;

use super::learned::{LearnedMap, LearnedMetric, MetricLearner, fit_cost, fit_map};
use super::near_rows::{other_classes, same_class};
use crate::array::DeviceMatrix;
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::device::Stream;
use crate::error::Result;
use crate::estimator::{Declared, Estimator, Fit, FitShape, Reporter, Rows, parameters};
use crate::ops::metric_learning::pair_gradient::{MOST_PAIRS, PairLoss, Pairs, pair_gradient};

/// Steps between two searches for impostors.
const STEPS: usize = 10;
const FIRST_STEPS: usize = 3;
/// Impostors of a row that are kept from search to search at most, times those that are searched for.
const KEPT: usize = 2;

parameters! {
    /// Large margin nearest neighbours (Weinberger and Saul 2009): a linear map after which each row is nearer to its k target neighbours, the
    /// nearest of its class at the start, than to any row of another class, by a margin.
    ///
    /// It minimises regularization·Σ d(x, target) + (1 − regularization)·Σ max(0, margin + d(x, target) − d(x, impostor)), d being
    /// squared distances after the map.
    ///
    /// ```
    /// use gristmill::metric_learning::Lmnn;
    /// use gristmill::prelude::*;
    /// let wine = datasets::wine()?;
    /// let x = StandardScaler::default().fit(&wine.x)?.transform(&wine.x)?;
    /// let model = Lmnn::default().fit(&x, &wine.target)?;
    /// let mapped = model.transform(&x)?;
    /// assert_eq!(KNeighborsClassifier::new(3).fit(&mapped, wine.labels()?)?.score(&mapped, wine.labels()?)?, 1.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The margin is in squared units of the columns: scale them first.
    /// - Impostors are searched for by k nearest neighbours every ten steps, at most `max_impostors` a row, and kept; the steps between are those of
    ///   L-BFGS on these triplets. The gradient is two products with the rows and sums over triplets, where the rows live.
    /// - A row without another of its class has no targets and pulls nothing. The loss may rise where new impostors appear.
    pub struct Lmnn: supervised_transformer("lmnn") -> LmnnModel;
    about "a map after which the nearest rows are of the same class, by a margin";
    {
        /// Number of target neighbours of a row, k.
        n_neighbors: usize = 3, from_to(1.0, 50.0);
        /// Number of new columns; none: as many as there are.
        n_components: Option<usize> = None, at_least(1.0);
        /// Weight of the distances to targets; that of the triplets is 1 less this.
        regularization: f64 = 0.5, between(0.0, 1.0);
        /// How much farther rows of other classes must be, squared.
        margin: f64 = 1.0, above(0.0);
        /// Impostors of a row at most, the nearest.
        max_impostors: usize = 30, from_to(1.0, 200.0);
        /// Maximum number of steps.
        max_iter: usize = 50, at_least(1.0);
        /// Ends when the steps between two searches lower the loss by less than this share of it.
        tol: f64 = 1e-3, at_least(0.0);
    }
}

/// A map found by [`Lmnn`].
pub type LmnnModel = LearnedMetric<Lmnn>;

impl MetricLearner for Lmnn {}

impl Estimator for Lmnn {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(fit_cost(shape, self.n_components, self.max_iter, self.max_iter.div_ceil(STEPS) as f64))
    }

    fn fit_rows(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<LmnnModel> {
        fit_map(self, (x, target), options, self.n_neighbors, |x, labels, reporter| self.search(x, labels, reporter))
    }
}

impl Lmnn {
    fn search(&self, x: &DeviceMatrix, labels: &Labels, reporter: &mut Reporter<'_>) -> Result<LearnedMap> {
        let device = x.device().clone();
        let mut stream = device.stream();
        let mut map = LearnedMap::start(&mut stream, x, self.n_components)?;
        let targets = same_class(&mut stream, x, labels, self.n_neighbors)?;
        let share = self.regularization as f32;
        let loss = PairLoss::Triplets { pull: share, push: 1.0 - share, margin: self.margin as f32 };
        let mut impostors: Vec<Vec<u32>> = vec![vec![]; x.rows()];
        let (mut taken, mut stopped) = (0, false);
        while taken < self.max_iter && !stopped && !map.converged {
            let pairs = self.triplets(&mut stream, x, &map, labels, &targets, &mut impostors)?;
            // The first map is far from the last: few steps with the impostors that it has.
            let steps = if taken == 0 { FIRST_STEPS } else { STEPS }.min(self.max_iter - taken);
            let begun = map.curve.len();
            map.descend(
                &mut stream,
                x,
                (steps, 0.0),
                None,
                |stream, z| pair_gradient(stream, z, &pairs, loss),
                |step, value| {
                    stopped =
                        reporter.report(taken + step, Some(value), (taken + step) as f64 / self.max_iter as f64)?;
                    Ok(stopped)
                },
            )?;
            let course = &map.curve[begun..];
            let fell = course[0] - course[course.len() - 1];
            taken += course.len() - 1;
            map.converged = fell <= self.tol * course[0].abs();
        }
        if !map.converged && !stopped {
            log::warn!("{}: not converged after {taken} steps", Self::TYPE);
        }
        Ok(map)
    }

    /// The targets of each row and its impostors: rows of other classes inside the margin of its farthest target, the nearest of them, and those of
    /// the searches before, which would come back if they were let go.
    fn triplets(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        map: &LearnedMap,
        labels: &Labels,
        targets: &[u32],
        impostors: &mut [Vec<u32>],
    ) -> Result<Pairs> {
        let z = map.apply(stream, x)?;
        let (n, k, m) = (x.rows(), self.n_neighbors, self.max_impostors);
        let found = other_classes(stream, &z, labels, m)?;
        let host = z.to_matrix(stream)?;
        let square =
            |a: usize, b: usize| -> f32 { host.row(a).iter().zip(host.row(b)).map(|(a, b)| (a - b) * (a - b)).sum() };
        let most = (KEPT * m).min(MOST_PAIRS - k.min(MOST_PAIRS));
        impostors.par_iter_mut().enumerate().for_each(|(row, list)| {
            let own = &targets[row * k..(row + 1) * k];
            let farthest = own.iter().map(|target| square(row, *target as usize)).fold(0.0_f32, f32::max);
            let inside =
                |at: &usize| found.squares[*at] < farthest + self.margin as f32 && found.rows[*at] as usize != row;
            list.extend((row * m..(row + 1) * m).filter(inside).map(|at| found.rows[at]));
            list.sort_unstable();
            list.dedup();
            if list.len() > most {
                list.sort_by(|a, b| square(row, *a as usize).total_cmp(&square(row, *b as usize)));
                list.truncate(most);
            }
        });
        // As many places as the longest list needs.
        let width = impostors.iter().map(Vec::len).max().unwrap_or(0) + k;
        let mut others = Vec::with_capacity(n * width);
        for (row, list) in impostors.iter().enumerate() {
            others.extend_from_slice(&targets[row * k..(row + 1) * k]);
            others.extend_from_slice(list);
            others.resize((row + 1) * width, row as u32);
        }
        Pairs::new(stream.device(), n, (k, width), others)
    }
}
