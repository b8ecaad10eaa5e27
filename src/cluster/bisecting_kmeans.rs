//! k-means that splits one cluster in two at a time.

use serde::{Deserialize, Serialize};

use super::clusters::{Clusters, center_clusters, check_clusters, inertia};
use super::cost;
use super::kmeans::KMeans;
use crate::array::{DeviceVec, Matrix};
use crate::cost::Cost;
use crate::cpu::reduce::argmax;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, Observer, OwnedRows, Predict, Prediction,
    Queries, Reporter, Rows, Save, Transform, parameters,
};
use crate::model_file::Container;
use crate::ops;
use crate::ops::sort::gather_rows::gather_known_rows;

const OP: &str = "BisectingKMeans";

/// Which cluster is split next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BisectingStrategy {
    /// The one of the largest Σ of squared distances.
    #[default]
    BiggestInertia,
    /// The one of the most rows.
    LargestCluster,
}

parameters! {
    /// Bisecting k-means (Steinbach, Karypis and Kumar 2000): all rows are one cluster, and one cluster after the other is split in two by k-means,
    /// until there are k. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::cluster::BisectingKMeans;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0, 1.0], [10.0, 1.0], [3.0, 1.0], [10.0, 0.0], [2.0, 1.0], [10.0, 2.0]])?;
    /// let model = BisectingKMeans::new(2).fit(&x)?;
    /// assert_eq!(model.inertia(), 4.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A split takes the rows of one cluster alone, so all splits together cost about log₂ k passes instead of k: for many clusters it is
    ///   faster than k-means, and somewhat worse.
    /// - Labels are those of the nearest centre in the end, which may differ from the side of a split at the borders.
    /// - A cluster of equal rows is not split: then there are fewer clusters than asked for.
    pub struct BisectingKMeans: clustering("bisecting-kmeans") -> BisectingKMeansModel;
    about "k-means that splits one cluster in two at a time";
    new(n_clusters: usize);
    {
        /// Number of clusters, k; at most the number of rows.
        n_clusters: usize = 8;
        /// Which cluster is split next: biggest_inertia or largest_cluster.
        bisecting_strategy: BisectingStrategy = BisectingStrategy::BiggestInertia;
        /// Number of searches for each split, of which the best is kept.
        n_init: usize = 1, at_least(1.0);
        /// Maximum number of iterations of a split.
        max_iter: usize = 300, at_least(1.0);
        /// Ends a split when the squared shifts of the centres add up to this times the mean variance of the columns.
        tol: f64 = 1e-4, at_least(0.0);
        /// Seed of the starts.
        seed: u64 = 0;
    }
}

/// A cluster on the way.
struct Part {
    rows: Vec<u32>,
    center: Vec<f32>,
    cost: f64,
    /// Whether it was tried and is of equal rows.
    whole: bool,
}

impl Estimator for BisectingKMeans {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let levels = (self.n_clusters.max(2) as f64).log2().ceil();
        Some(cost::iterating(shape, 2, 10.0 * levels * self.n_init as f64))
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<BisectingKMeansModel> {
        let x = x.complete(OP)?;
        check_clusters(self.n_clusters, x.rows())?;
        let weights = options.weights(OP, x.rows())?;
        let search = |reporter: &mut Reporter<'_>| self.search(&x, weights, reporter);
        Ok(BisectingKMeansModel { params: self.clone().into(), clusters: options.watched("k-means", search)? })
    }
}

impl BisectingKMeans {
    fn search(
        &self,
        x: &crate::array::DeviceMatrix,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Clusters> {
        let mut stream = x.device().stream();
        let on_device = weights.map(|weights| DeviceVec::from_slice(weights, x.device())).transpose()?;
        let moments = ops::column_moments(&mut stream, x, on_device.as_ref())?;
        let rows = (0..x.rows() as u32).collect();
        let center = moments.mean.iter().map(|mean| *mean as f32).collect();
        let mut parts = vec![Part { rows, center, cost: f64::INFINITY, whole: false }];
        let (mut iterations, mut stopped) = (0, false);
        while parts.len() < self.n_clusters && !stopped {
            let value = |part: &Part| match (part.whole || part.rows.len() < 2, self.bisecting_strategy) {
                (true, _) => f64::NEG_INFINITY,
                (false, BisectingStrategy::BiggestInertia) => part.cost,
                (false, BisectingStrategy::LargestCluster) => part.rows.len() as f64,
            };
            let values: Vec<f64> = parts.iter().map(value).collect();
            let at = argmax(&values);
            if values[at] == f64::NEG_INFINITY {
                log::warn!("{OP}: {} clusters, since no other has rows that differ", parts.len());
                break;
            }
            let index = DeviceVec::from_slice(&parts[at].rows, x.device())?;
            let own = gather_known_rows(&mut stream, x, &index)?;
            // The search of the halves has a stream of its own.
            stream.flush()?;
            let own_weights: Option<Vec<f32>> =
                weights.map(|weights| parts[at].rows.iter().map(|row| weights[*row as usize]).collect());
            if own_weights.as_ref().is_some_and(|weights| weights.iter().filter(|weight| **weight > 0.0).count() < 2) {
                parts[at].whole = true;
                continue;
            }
            let seed = self.seed.wrapping_add(parts.len() as u64);
            let halves = KMeans::new(2).n_init(self.n_init).max_iter(self.max_iter).tol(self.tol).seed(seed);
            let fit = own_weights.as_ref().map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
            let model = halves.fit_with(&own, fit)?;
            iterations += model.iterations();
            let mut sides = [vec![], vec![]];
            parts[at].rows.iter().zip(model.labels()).for_each(|(row, label)| sides[*label as usize].push(*row));
            if sides.iter().any(Vec::is_empty) || model.cluster_centers().row(0) == model.cluster_centers().row(1) {
                parts[at].whole = true;
                continue;
            }
            let mut costs = [0.0; 2];
            let (_, distances) = ops::assign(&mut stream, &own, &model.cluster_centers().to(x.device())?)?;
            for (row, distance) in distances.to_vec(&mut stream)?.into_iter().enumerate() {
                let weight = own_weights.as_ref().map_or(1.0, |weights| f64::from(weights[row]));
                costs[model.labels()[row] as usize] += weight * f64::from(distance);
            }
            parts.remove(at);
            for (side, rows) in sides.into_iter().enumerate() {
                let center = model.cluster_centers().row(side).to_vec();
                parts.push(Part { rows, center, cost: costs[side], whole: false });
            }
            stopped = reporter.report(parts.len(), None, parts.len() as f64 / self.n_clusters as f64)?;
        }
        let values = parts.iter().flat_map(|part| part.center.clone()).collect();
        let centers = Matrix::from_vec(parts.len(), x.columns(), values)?;
        let (labels, distances) = ops::assign(&mut stream, x, &centers.to(x.device())?)?;
        let (labels, distances) = (labels.to_vec(&mut stream)?, distances.to_vec(&mut stream)?);
        let inertia = inertia(&distances, weights);
        Ok(Clusters { centers, labels, inertia, iterations, converged: !stopped })
    }
}

/// The clusters that [`BisectingKMeans`] found.
#[derive(Debug, Clone)]
pub struct BisectingKMeansModel {
    params: FittedWith<BisectingKMeans>,
    clusters: Clusters,
}

center_clusters!(BisectingKMeansModel);

impl Save for BisectingKMeansModel {
    type Estimator = BisectingKMeans;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.clusters.course())?;
        self.clusters.store(container)
    }

    fn load_fitted(params: FittedWith<BisectingKMeans>, container: &mut Container) -> Result<BisectingKMeansModel> {
        let course = container.fitted()?;
        Ok(BisectingKMeansModel { params, clusters: Clusters::restore(container, course)? })
    }
}
