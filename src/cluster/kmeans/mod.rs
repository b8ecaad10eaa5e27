//! k-means: centres that minimise the sum of squared distances from each row to the nearest of them.

mod init;
mod model;

pub use init::Init;
pub use model::KMeansModel;
pub(super) use model::{distances_to, inertia, nearest, restore_clusters, store_clusters};

use serde::{Deserialize, Serialize};

use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, Reporter, Rows, Task};
use crate::ops;
use crate::solvers::lloyd::{StoppingRule, lloyd};

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
/// - On the CPU, bounds on the distances skip most of the work where that wins; the result is the same to the bit.
/// - A cluster that loses all its rows takes the row farthest from its centre. Where no row is off its centre (fewer
///   distinct rows than clusters) a cluster may stay empty: its centre repeats another.
/// - It stops when no label changes, then when the centres move by less than `tol`, then after `max_iter` iterations.
/// - The same seed and device give the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KMeans {
    /// Number of clusters, k; at least 1, at most the number of rows. Default 8.
    pub n_clusters: usize,
    /// Where the centres start. Default [`Init::KMeansPlusPlus`].
    pub init: Init,
    /// Searches from different starts, of which the best is kept; `None`: 10 for random starts, else 1.
    pub n_init: Option<usize>,
    /// Iterations of one search at most. Default 300.
    pub max_iter: usize,
    /// A search ends when the squared shifts of the centres add up to this times the mean variance of the columns.
    /// Default 1e-4.
    pub tol: f64,
    /// Decides the random starts. Default 0.
    pub seed: u64,
}

impl Default for KMeans {
    fn default() -> KMeans {
        KMeans { n_clusters: 8, init: Init::KMeansPlusPlus, n_init: None, max_iter: 300, tol: 1e-4, seed: 0 }
    }
}

impl KMeans {
    /// k-means with k clusters.
    pub fn new(n_clusters: usize) -> KMeans {
        KMeans { n_clusters, ..KMeans::default() }
    }

    /// Sets where the centres start.
    pub fn init(mut self, init: Init) -> KMeans {
        self.init = init;
        self
    }

    /// Sets how many searches are made.
    pub fn n_init(mut self, n_init: usize) -> KMeans {
        self.n_init = Some(n_init);
        self
    }

    /// Sets the largest number of iterations.
    pub fn max_iter(mut self, max_iter: usize) -> KMeans {
        self.max_iter = max_iter;
        self
    }

    /// Sets the tolerance.
    pub fn tol(mut self, tol: f64) -> KMeans {
        self.tol = tol;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> KMeans {
        self.seed = seed;
        self
    }

    /// Finds the clusters of the rows of `x` (n×d), where `x` lives. Costs 3·n·k·d operations an iteration.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<KMeansModel> {
        self.fit_with(x, Fit::default())
    }

    /// The same with sample weights or an observer. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the search
    /// with the centres it has.
    pub fn fit_with<'a>(&self, x: impl Into<Rows<'a>>, options: Fit<'_>) -> Result<KMeansModel> {
        let x = x.into().complete("KMeans")?;
        self.check(&x)?;
        let device = x.device().clone();
        let weights = options.weights("KMeans", x.rows())?;
        let weights = weights.map(|weights| DeviceVec::from_slice(weights, &device)).transpose()?;
        let mut stream = device.stream();
        options.watched("k-means", |watch| self.search(&mut stream, &x, weights.as_ref(), watch))
    }

    fn check(&self, x: &DeviceMatrix) -> Result<()> {
        check_clusters(self.n_clusters, x.rows())?;
        positive("max_iter", self.max_iter)?;
        positive("n_init", self.n_init.unwrap_or(1))?;
        if !(self.tol >= 0.0 && self.tol.is_finite()) {
            let rule = "a finite number of at least 0".to_string();
            return Err(Error::Param { name: "tol", rule, got: self.tol.to_string() });
        }
        self.init.check(self.n_clusters, x.columns())
    }

    fn search(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        weights: Option<&DeviceVec<f32>>,
        watch: &mut Reporter<'_>,
    ) -> Result<KMeansModel> {
        let tolerance = match self.tol {
            0.0 => 0.0,
            tol => tol * mean_variance(stream, x)?,
        };
        let searches = match (&self.init, self.n_init) {
            (Init::Centers(_), _) => 1,
            (Init::Random, None) => 10,
            (Init::KMeansPlusPlus, None) => 1,
            (_, Some(searches)) => searches,
        };
        let host_weights = weights.map(|weights| weights.to_vec(stream)).transpose()?;
        let mut best: Option<KMeansModel> = None;
        for number in 0..searches {
            let start = self.init.centers(stream, x, weights, self.n_clusters, (self.seed, number as u32))?;
            let rule = StoppingRule { max_iter: self.max_iter, tolerance };
            let stops = |iterations: usize| {
                let share = iterations as f64 / self.max_iter as f64;
                watch.report(iterations, None, (number as f64 + share) / searches as f64)
            };
            let (clusters, course) = lloyd(stream, x, weights, &start, rule, stops)?;
            let model = KMeansModel::new(clusters, host_weights.as_deref(), course);
            if best.as_ref().is_none_or(|best| model.inertia() < best.inertia()) {
                best = Some(model);
            }
            if course.stopped {
                break;
            }
        }
        let model = best.ok_or(Error::Stopped { what: "k-means" })?;
        if !model.converged() {
            log::warn!("k-means did not converge in {} iterations; raise max_iter or tol", model.iterations());
        }
        Ok(model)
    }
}

impl crate::estimator::Parameters for KMeans {
    type Model = KMeansModel;
    type Target<'a> = ();
    const NAME: &'static str = "kmeans";
    const ABOUT: &'static str = "k clusters, each row in the one with the nearest centre (Lloyd)";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter { name: "n_clusters", help: "number of clusters" },
        crate::estimator::Parameter { name: "init", help: "k-means++, random, or a .npy file of centres" },
        crate::estimator::Parameter {
            name: "n_init",
            help: "searches from different starts; null: 10 for random starts, else 1",
        },
        crate::estimator::Parameter { name: "max_iter", help: "iterations of a search at most" },
        crate::estimator::Parameter {
            name: "tol",
            help: "ends when the centres move by less than this, relative to the variance",
        },
        crate::estimator::Parameter { name: "seed", help: "decides the random starts" },
    ];
    const TASK: Task = Task::Clustering;
}

impl Estimator for KMeans {
    fn fit_rows(&self, x: Rows<'_>, _target: Self::Target<'_>, options: Fit<'_>) -> Result<KMeansModel> {
        self.fit_with(x, options)
    }
}

/// The mean of the columns' variances: what a tolerance is relative to.
pub(super) fn mean_variance(stream: &mut Stream, x: &DeviceMatrix) -> Result<f64> {
    let moments = ops::column_moments(stream, x, None)?;
    Ok(moments.variance.iter().sum::<f64>() / x.columns() as f64)
}

/// Refuses a number of clusters that cannot be.
pub(super) fn check_clusters(n_clusters: usize, rows: usize) -> Result<()> {
    if n_clusters == 0 || n_clusters > rows {
        let rule = format!("from 1 to the number of rows, {rows}");
        return Err(Error::Param { name: "n_clusters", rule, got: n_clusters.to_string() });
    }
    Ok(())
}

/// Refuses 0.
pub(super) fn positive(name: &'static str, value: usize) -> Result<()> {
    match value {
        0 => Err(Error::Param { name, rule: "at least 1".to_string(), got: "0".to_string() }),
        _ => Ok(()),
    }
}
