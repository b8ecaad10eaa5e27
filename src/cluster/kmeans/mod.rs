//! k-means: centres that minimise the sum of squared distances from each row to the nearest of them.

mod init;

pub use init::Init;

use init::costs_of;

use super::clusters::{Clusters, center_clusters, check_clusters, inertia};
use super::cost;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cost::Cost;
use crate::cpu::reduce::argmax;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, Observer, OwnedRows, Predict, Prediction,
    Queries, Reporter, Rows, Save, Transform, parameters,
};
use crate::model_file::Container;
use crate::ops;
use crate::solvers::lloyd::{Clusters as Found, StoppingRule, lloyd};

const OP: &str = "KMeans";

parameters! {
    /// k-means by Lloyd's iterations. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]])?;
    /// let model = KMeans::new(2).seed(42).fit(&x)?;
    /// assert_eq!(model.inertia(), 16.0);
    /// let clusters = model.predict(&Matrix::from_rows(&[[0.0, 0.0], [12.0, 3.0]])?)?;
    /// assert_ne!(clusters[0], clusters[1]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - On the CPU, bounds on the distances save most of the work where that is faster; the result is the same to the
    ///   bit.
    /// - A cluster that loses all its rows takes the row farthest from its centre. Where no row is off its centre
    ///   (fewer distinct rows than clusters) a cluster may stay empty: its centre repeats another.
    /// - A search ends when no label changes, when the centres move by less than `tol`, or after `max_iter` iterations.
    /// - The same seed and device give the same bits.
    pub struct KMeans: clustering("kmeans") -> KMeansModel;
    about "k-means: each row is in the cluster of its nearest centre";
    new(n_clusters: usize);
    {
        /// Number of clusters, k; at most the number of rows.
        n_clusters: usize = 8;
        /// Where the centres start: k-means++, random, splitting, or a .npy file of centres.
        init: Init = Init::KMeansPlusPlus;
        /// Number of searches from different starts, of which the best is kept; none: 10 for random starts, else 1.
        n_init: Option<usize> = None, at_least(1.0);
        /// Maximum number of iterations of a search.
        max_iter: usize = 300, at_least(1.0);
        /// Ends a search when the squared shifts of the centres add up to this times the mean variance of the columns.
        tol: f64 = 1e-4, at_least(0.0);
        /// After a search, how often at most the cheapest centre moves beside the costliest one and the search goes on, while that helps.
        n_shifts: usize = 0;
        /// Seed of the starts.
        seed: u64 = 0;
    }
}

/// Iterations that a search is expected to take.
const EXPECTED_ITERATIONS: usize = 20;

impl Estimator for KMeans {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let searching = cost::iterating(shape, self.n_clusters, self.max_iter.min(EXPECTED_ITERATIONS) as f64);
        let seeding = match self.init {
            Init::KMeansPlusPlus => cost::seeding(shape, self.n_clusters),
            Init::Splitting => cost::iterating(shape, self.n_clusters, 20.0),
            Init::Random | Init::Centers(_) => Cost::default(),
        };
        // However many searches there are, the rows go up once.
        let again = Cost { moved_bytes: 0.0, ..searching + seeding } * (self.searches() - 1) as f64;
        Some(searching + seeding + again)
    }

    /// Costs 3·n·k·d operations an iteration. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the search
    /// with the centres it has.
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<KMeansModel> {
        let x = x.complete(OP)?;
        check_clusters(self.n_clusters, x.rows())?;
        self.init.check(self.n_clusters, x.columns())?;
        let device = x.device().clone();
        let weights = options.weights(OP, x.rows())?;
        let weights = weights.map(|weights| DeviceVec::from_slice(weights, &device)).transpose()?;
        let mut stream = device.stream();
        let search = |reporter: &mut Reporter<'_>| self.search(&mut stream, &x, weights.as_ref(), reporter);
        Ok(KMeansModel { params: self.clone().into(), clusters: options.watched("k-means", search)? })
    }
}

impl KMeans {
    fn searches(&self) -> usize {
        match (&self.init, self.n_init) {
            (Init::Centers(_) | Init::Splitting, _) => 1,
            (Init::Random, None) => 10,
            (Init::KMeansPlusPlus, None) => 1,
            (_, Some(searches)) => searches.max(1),
        }
    }

    fn search(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        weights: Option<&DeviceVec<f32>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Clusters> {
        let tolerance = match self.tol {
            0.0 => 0.0,
            tol => tol * mean_variance(stream, x)?,
        };
        let searches = self.searches();
        let host_weights = weights.map(|weights| weights.to_vec(stream)).transpose()?;
        let mut best: Option<Clusters> = None;
        for number in 0..searches {
            let start = self.init.centers(stream, x, weights, self.n_clusters, (self.seed, number as u32))?;
            let rule = StoppingRule { max_iter: self.max_iter, tolerance };
            let stops = |iterations: usize| {
                let share = iterations as f64 / self.max_iter as f64;
                reporter.report(iterations, None, (number as f64 + share) / searches as f64)
            };
            let (found, course) = lloyd(stream, x, weights, &start, rule, stops)?;
            let (found, inertia) = self.shift(stream, x, (weights, host_weights.as_deref()), found, rule)?;
            if best.as_ref().is_none_or(|best| inertia < best.inertia) {
                let (iterations, converged) = (course.iterations, course.converged);
                best = Some(Clusters { centers: found.centers, labels: found.labels, inertia, iterations, converged });
            }
            if course.stopped {
                break;
            }
        }
        let best = best.ok_or(Error::Stopped { what: "k-means" })?;
        if !best.converged {
            log::warn!("k-means did not converge in {} iterations; raise max_iter or tol", best.iterations);
        }
        Ok(best)
    }
}

impl KMeans {
    /// Moves the centre of the cheapest cluster beside that of the costliest one, and searches on from there; keeps what is better.
    fn shift(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        (weights, host): (Option<&DeviceVec<f32>>, Option<&[f32]>),
        mut found: Found,
        rule: StoppingRule,
    ) -> Result<(Found, f64)> {
        let mut best = inertia(&found.distances, host);
        for _ in 0..self.n_shifts {
            let costs = costs_of(&found, host);
            let least = (0..costs.len()).fold(0, |least, at| if costs[at] < costs[least] { at } else { least });
            let most = argmax(&costs);
            let rows = found.labels.iter().filter(|label| **label as usize == most).count();
            if least == most || rows < 2 {
                break;
            }
            // To the row of the costliest cluster that is farthest from its centre.
            let far = (0..found.labels.len()).filter(|row| found.labels[*row] as usize == most);
            let far = far.fold(None, |far: Option<usize>, row| match far {
                Some(far) if found.distances[far] >= found.distances[row] => Some(far),
                _ => Some(row),
            });
            let Some(far) = far else { break };
            let row = x.rows_at(stream, &[far])?;
            let mut centers = found.centers.clone();
            let d = centers.columns();
            let from = centers.row(most).to_vec();
            let between = row.row(0).iter().zip(from).map(|(far, center)| 0.5 * (far + center));
            centers.as_mut_slice()[least * d..(least + 1) * d]
                .iter_mut()
                .zip(between)
                .for_each(|(to, value)| *to = value);
            let (next, _) = lloyd(stream, x, weights, &centers, rule, |_| Ok(false))?;
            let cost = inertia(&next.distances, host);
            if cost >= best {
                break;
            }
            (found, best) = (next, cost);
        }
        Ok((found, best))
    }
}

/// The mean of the columns' variances: what a tolerance is relative to.
pub(super) fn mean_variance(stream: &mut Stream, x: &DeviceMatrix) -> Result<f64> {
    let moments = ops::column_moments(stream, x, None)?;
    Ok(moments.variance.iter().sum::<f64>() / x.columns() as f64)
}

/// The clusters that [`KMeans`] found.
#[derive(Debug, Clone)]
pub struct KMeansModel {
    params: FittedWith<KMeans>,
    clusters: Clusters,
}

center_clusters!(KMeansModel);

impl Save for KMeansModel {
    type Estimator = KMeans;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.clusters.course())?;
        self.clusters.store(container)
    }

    fn load_fitted(params: FittedWith<KMeans>, container: &mut Container) -> Result<KMeansModel> {
        let course = container.fitted()?;
        Ok(KMeansModel { params, clusters: Clusters::restore(container, course)? })
    }
}
