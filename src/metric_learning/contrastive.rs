//! A metric from pairs: rows of a class near each other, rows of different classes far apart.

use super::learned::{LearnedMap, LearnedMetric, MetricLearner, fit_cost, fit_map};
use super::near_rows::nearest;
use crate::array::DeviceMatrix;
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, FitShape, Reporter, Rows, parameters};
use crate::ops::metric_learning::pair_gradient::{PairLoss, Pairs, pair_gradient};

parameters! {
    /// A linear map learnt from pairs: Σ max(0, d(x, same class) − alpha) + negative_weight·Σ max(0, beta − d(x, other class)), where d are
    /// squared distances after the map, over the pairs of each row with its `n_neighbors` nearest rows.
    ///
    /// ```
    /// use gristmill::metric_learning::ContrastiveMetric;
    /// use gristmill::prelude::*;
    /// let wine = datasets::wine()?;
    /// let x = StandardScaler::default().fit(&wine.x)?.transform(&wine.x)?;
    /// let mapped = ContrastiveMetric::default().fit(&x, &wine.target)?.transform(&x)?;
    /// assert!(KNeighborsClassifier::new(3).fit(&mapped, wine.labels()?)?.score(&mapped, wine.labels()?)? > 0.98);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Without margins the loss has no minimum: `beta` must be above `alpha`. They are in squared units of the columns, and follow the rows if they are
    ///   not given.
    /// - `regularization` keeps the map near its start: with 0 a few pairs of other classes may bend it until it is worse than no map.
    /// - The pairs are chosen anew `rounds` times, by the distances after the map so far; the steps between are those of L-BFGS.
    /// - The gradient is two products with the rows and sums over pairs, where the rows live.
    pub struct ContrastiveMetric: supervised_transformer("contrastive-metric") -> ContrastiveMetricModel;
    about "a map from pairs of rows of the same and of different classes";
    {
        /// Number of nearest rows of each row that make pairs with it.
        n_neighbors: usize = 10, from_to(1.0, 256.0);
        /// Number of new columns; none: as many as there are.
        n_components: Option<usize> = None, at_least(1.0);
        /// Rows of a class may be so far apart, squared; none: half of the mean over the first pairs.
        alpha: Option<f64> = None, at_least(0.0);
        /// Rows of different classes must be so far apart, squared; none: twice the mean over the first pairs.
        beta: Option<f64> = None, above(0.0);
        /// Weight of the pairs of different classes; none: so that they count as much as those of the same class.
        negative_weight: Option<f64> = None, above(0.0);
        /// Weight of the squared distance of the map from its start, in units of the squared distances of the first pairs.
        regularization: f64 = 3.0, at_least(0.0);
        /// How often the pairs are chosen.
        rounds: usize = 5, at_least(1.0);
        /// Maximum number of steps, of all rounds.
        max_iter: usize = 100, at_least(1.0);
        /// A round ends when a step lowers the loss by less than this share of it.
        tol: f64 = 1e-4, at_least(0.0);
    }
}

/// A map found by [`ContrastiveMetric`].
pub type ContrastiveMetricModel = LearnedMetric<ContrastiveMetric>;

impl MetricLearner for ContrastiveMetric {}

impl Estimator for ContrastiveMetric {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(fit_cost(shape, self.n_components, self.max_iter, self.rounds as f64))
    }

    fn fit_rows(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<ContrastiveMetricModel> {
        if let (Some(alpha), Some(beta)) = (self.alpha, self.beta)
            && beta <= alpha
        {
            return Err(Error::param("beta", format!("above alpha, {alpha}"), beta));
        }
        fit_map(self, (x, target), options, self.n_neighbors, |x, labels, reporter| self.search(x, labels, reporter))
    }
}

impl ContrastiveMetric {
    fn search(&self, x: &DeviceMatrix, labels: &Labels, reporter: &mut Reporter<'_>) -> Result<LearnedMap> {
        let device = x.device().clone();
        let mut stream = device.stream();
        let mut map = LearnedMap::start(&mut stream, x, self.n_components)?;
        let start = map.components.clone();
        let mut first = None;
        let (mut taken, mut stopped) = (0, false);
        for round in 0..self.rounds {
            let left = self.max_iter - taken;
            let steps = left.div_ceil(self.rounds - round).min(left);
            if steps == 0 || stopped {
                break;
            }
            let (pairs, own) = self.pairs(&mut stream, x, &map, labels)?;
            // Margins and the unit of the penalty are those of the first pairs.
            let (loss, unit) = *first.get_or_insert(own);
            let penalty = self.regularization * unit / map.count() as f64;
            let begun = map.curve.len();
            map.descend(
                &mut stream,
                x,
                (steps, self.tol),
                Some((penalty, &start)),
                |stream, z| pair_gradient(stream, z, &pairs, loss),
                |step, value| {
                    stopped =
                        reporter.report(taken + step, Some(value), (taken + step) as f64 / self.max_iter as f64)?;
                    Ok(stopped)
                },
            )?;
            taken += map.curve.len() - begun - 1;
            map.converged = map.curve.len() - begun - 1 < steps && !stopped;
        }
        Ok(map)
    }

    /// The nearest rows of each row, those of its class first, and the loss with margins in their unit.
    fn pairs(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        map: &LearnedMap,
        labels: &Labels,
    ) -> Result<(Pairs, (PairLoss, f64))> {
        let z = map.apply(stream, x)?;
        let (n, k) = (x.rows(), self.n_neighbors);
        let all: Vec<u32> = (0..n as u32).collect();
        let found = nearest(stream, &z, &all, &all, k, true)?;
        let same = |row: usize, other: u32| labels.codes()[row] == labels.codes()[other as usize];
        let list = |row: usize, own: bool| -> Vec<u32> {
            let near = found.rows[row * k..(row + 1) * k].iter().copied();
            near.filter(|other| same(row, *other) == own).collect()
        };
        let count = |own: bool| (0..n).map(|row| list(row, own).len()).sum::<usize>();
        let total = found.squares.iter().copied().map(f64::from).sum::<f64>();
        let mean = total / found.squares.len() as f64;
        let mean = if mean > 0.0 { mean } else { 1.0 };
        // A given margin stays below or above the other one, which is then not the mean's.
        let near = self.alpha.unwrap_or(0.5 * mean.min(self.beta.unwrap_or(mean)));
        let far = self.beta.unwrap_or(2.0 * mean.max(near));
        let push = self.negative_weight.unwrap_or(count(true).max(1) as f64 / count(false).max(1) as f64);
        let loss = PairLoss::Pairs { push: push as f32, near: near as f32, far: far as f32 };
        // As many places as the longest lists need.
        let longest = |own: bool| (0..n).map(|row| list(row, own).len()).max().unwrap_or(0);
        let (pulls, pushes) = (longest(true), longest(false));
        let mut others = Vec::with_capacity(n * (pulls + pushes));
        for row in 0..n {
            for (own, places) in [(true, pulls), (false, pushes)] {
                let mut list = list(row, own);
                list.resize(places, row as u32);
                others.extend(list);
            }
        }
        Ok((Pairs::new(stream.device(), n, (pulls, pulls + pushes), others)?, (loss, total)))
    }
}
