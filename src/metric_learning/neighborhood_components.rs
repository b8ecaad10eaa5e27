//! Neighbourhood components analysis.

use rayon::prelude::*;

use super::learned::{LearnedMap, LearnedMetric, MetricLearner, fit_map};
use crate::array::{DeviceMatrix, Matrix};
use crate::data::{Labels, Target};
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::estimator::{Estimator, Fit, Reporter, Rows, parameters};
#[cfg(doc)]
use crate::linear::LinearDiscriminantAnalysis;
use crate::ops::{self, Layout};

/// Rows whose distances to all rows are held at a time.
const BLOCK: usize = 256;

parameters! {
    /// Neighbourhood components analysis (Goldberger and others 2004): a linear map that raises the expected number of rows whose random
    /// neighbour, chosen by the softmax of −d, is of their class. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::metric_learning::NeighborhoodComponents;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = NeighborhoodComponents::default().n_components(2).fit(&iris.x, &iris.target)?;
    /// let mapped = model.transform(&iris.x)?;
    /// assert!(KNeighborsClassifier::new(3).fit(&mapped, iris.labels()?)?.score(&mapped, iris.labels()?)? > 0.96);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A step compares all rows with all: 6·n²·p operations, in blocks of rows, so n×n is not stored.
    /// - It starts as scikit-learn does: at the directions of a [`LinearDiscriminantAnalysis`] where the classes have as many, else at
    ///   the principal directions, or at the identity where all columns are kept. Rows on a GPU come to the host.
    pub struct NeighborhoodComponents: supervised_transformer("neighborhood-components") -> NeighborhoodComponentsModel;
    about "a map that makes random neighbours likely to be of the same class";
    {
        /// Number of new columns; none: as many as there are.
        n_components: Option<usize> = None, at_least(1.0);
        /// Maximum number of steps.
        max_iter: usize = 50, at_least(1.0);
        /// Ends when a step lowers the loss by less than this share of it.
        tol: f64 = 1e-5, at_least(0.0);
    }
}

/// A map found by [`NeighborhoodComponents`].
pub type NeighborhoodComponentsModel = LearnedMetric<NeighborhoodComponents>;

impl MetricLearner for NeighborhoodComponents {}

impl Estimator for NeighborhoodComponents {
    fn fit_rows(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<NeighborhoodComponentsModel> {
        fit_map(self, (x, target), options, 0, |x, labels, reporter| {
            let host = x.to_matrix(&mut x.device().stream())?.to(&Device::Cpu)?;
            self.search(&host, labels, reporter)
        })
    }
}

impl NeighborhoodComponents {
    fn search(&self, x: &DeviceMatrix, labels: &Labels, reporter: &mut Reporter<'_>) -> Result<LearnedMap> {
        let mut stream = Device::Cpu.stream();
        let mut map = LearnedMap::start(&mut stream, x, self.n_components)?;
        if map.count() < labels.classes() {
            map.start_apart(x, labels)?;
        }
        let mut stopped = false;
        let gradient = |stream: &mut Stream, z: &DeviceMatrix| neighbor_gradient(stream, z, labels);
        map.descend(&mut stream, x, (self.max_iter, self.tol), None, gradient, |step, value| {
            stopped = reporter.report(step, Some(value), step as f64 / self.max_iter as f64)?;
            Ok(stopped)
        })?;
        map.converged = map.curve.len() <= self.max_iter && !stopped;
        Ok(map)
    }
}

/// −Σ p(i) with p(i) the probability that a random neighbour of row i is of its class, and for each row Σ weight·(z − other) over all
/// pairs: the derivative of the loss by d(i, j) is p(j | i)·([same class] − p(i)).
fn neighbor_gradient(stream: &mut Stream, z: &DeviceMatrix, labels: &Labels) -> Result<(f64, DeviceMatrix)> {
    let (n, p) = (z.rows(), z.columns());
    let codes = labels.codes();
    let mut loss = 0.0;
    // Σ of the weights of a row in both roles, and Σ weight·other.
    let mut totals = vec![0.0_f64; n];
    let mut others = Matrix::zeros(n, p)?.to(&Device::Cpu)?;
    let mut own = vec![0.0_f32; n * p];
    for first in (0..n).step_by(BLOCK) {
        let block = z.range(stream, first..n.min(first + BLOCK))?;
        let mut weights = ops::sq_euclidean(stream, &block, z)?.to_matrix(stream)?;
        let parts: Vec<f64> = weights
            .as_mut_slice()
            .par_chunks_mut(n)
            .enumerate()
            .map(|(at, weights)| {
                let row = first + at;
                let least = (0..n).filter(|j| *j != row).map(|j| weights[j]).fold(f32::INFINITY, f32::min);
                weights.iter_mut().for_each(|d| *d = (least - *d).exp());
                weights[row] = 0.0;
                let sum: f64 = weights.iter().copied().map(f64::from).sum();
                let same = |j: &usize| codes[*j] == codes[row];
                let hits = (0..n).filter(same).map(|j| f64::from(weights[j])).sum::<f64>() / sum;
                for (j, weight) in weights.iter_mut().enumerate() {
                    let share = f64::from(*weight) / sum;
                    *weight = (share * (f64::from(u8::from(same(&j))) - hits)) as f32;
                }
                hits
            })
            .collect();
        loss -= parts.iter().sum::<f64>();
        for (at, row) in weights.as_slice().chunks_exact(n).enumerate() {
            totals[first + at] += row.iter().copied().map(f64::from).sum::<f64>();
            totals.iter_mut().zip(row).for_each(|(total, weight)| *total += f64::from(*weight));
        }
        let weights = weights.to(&Device::Cpu)?;
        let near = ops::gemm(stream, Layout::NN, &weights, z)?;
        own[first * p..first * p + block.rows() * p].copy_from_slice(near.values()?);
        ops::gemm_into(stream, Layout::TN, (1.0, &weights), &block, (1.0, &mut others))?;
    }
    let mut sums = Matrix::zeros(n, p)?;
    let values = z.values()?.iter().zip(&own).zip(others.values()?);
    for (at, (sum, ((z, own), other))) in sums.as_mut_slice().iter_mut().zip(values).enumerate() {
        *sum = (totals[at / p] * f64::from(*z)) as f32 - own - other;
    }
    Ok((loss, sums.to(&Device::Cpu)?))
}
