//! k-means on small batches of rows, for data that is large or arrives in pieces.

mod model;
mod step;

pub use model::MiniBatchKMeansModel;

use serde::{Deserialize, Serialize};
use step::{Batch, Patience};

use super::kmeans::{Init, check_clusters, positive};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, Reporter, Rows, Task};
use crate::ops;

/// The streams of random numbers: which rows make a batch, and where lost centres go.
const STREAM_BATCHES: u32 = 0x6d62_0000;
const STREAM_REASSIGN: u32 = 0x6d62_0001;

/// k-means on mini-batches (Sculley 2010). Names and defaults are scikit-learn's.
///
/// `fit` draws batches from data that is there; `partial_fit` takes one batch after the other from data that does not
/// fit anywhere.
///
/// ```
/// use gristmill::prelude::*;
/// let params = MiniBatchKMeans::new(2).seed(1);
/// let first = Matrix::from_rows(&[[0.0], [1.0], [10.0], [11.0]])?;
/// let second = Matrix::from_rows(&[[0.5], [10.5]])?;
/// let model = params.partial_fit(None, &first)?;
/// let model = params.partial_fit(Some(model), &second)?;
/// let clusters = model.predict(&second)?;
/// assert_ne!(clusters[0], clusters[1]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MiniBatchKMeans {
    /// Number of clusters, k. Default 8.
    pub n_clusters: usize,
    /// Where the centres start. Default [`Init::KMeansPlusPlus`].
    pub init: Init,
    /// Passes over the data at most, in numbers of rows drawn. Default 100.
    pub max_iter: usize,
    /// Rows of a batch. Default 1024.
    pub batch_size: usize,
    /// Ends when the smoothed shift of the centres is below this times the mean variance of the columns; 0 turns this
    /// off. Default 0.
    pub tol: f64,
    /// Ends after so many batches without a better smoothed inertia; `None` turns this off. Default 10.
    pub max_no_improvement: Option<usize>,
    /// Rows that the start is chosen among; `None`: three batches, or 3·k if that is more.
    pub init_size: Option<usize>,
    /// A centre with less than this share of the heaviest centre's weight is moved to a random row. Default 0.01.
    pub reassignment_ratio: f64,
    /// Decides the start and the batches. Default 0.
    pub seed: u64,
}

impl Default for MiniBatchKMeans {
    fn default() -> MiniBatchKMeans {
        MiniBatchKMeans {
            n_clusters: 8,
            init: Init::KMeansPlusPlus,
            max_iter: 100,
            batch_size: 1024,
            tol: 0.0,
            max_no_improvement: Some(10),
            init_size: None,
            reassignment_ratio: 0.01,
            seed: 0,
        }
    }
}

impl MiniBatchKMeans {
    /// Mini-batch k-means with k clusters.
    pub fn new(n_clusters: usize) -> MiniBatchKMeans {
        MiniBatchKMeans { n_clusters, ..MiniBatchKMeans::default() }
    }

    /// Sets where the centres start.
    pub fn init(mut self, init: Init) -> MiniBatchKMeans {
        self.init = init;
        self
    }

    /// Sets the largest number of passes.
    pub fn max_iter(mut self, max_iter: usize) -> MiniBatchKMeans {
        self.max_iter = max_iter;
        self
    }

    /// Sets the rows of a batch.
    pub fn batch_size(mut self, batch_size: usize) -> MiniBatchKMeans {
        self.batch_size = batch_size;
        self
    }

    /// Sets the tolerance.
    pub fn tol(mut self, tol: f64) -> MiniBatchKMeans {
        self.tol = tol;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> MiniBatchKMeans {
        self.seed = seed;
        self
    }

    /// Finds the clusters of the rows of `x` (n×d), where `x` lives.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<MiniBatchKMeansModel> {
        self.fit_with(x, Fit::default())
    }

    /// The same with sample weights or an observer.
    pub fn fit_with<'a>(&self, x: impl Into<Rows<'a>>, options: Fit<'_>) -> Result<MiniBatchKMeansModel> {
        let x = x.into().complete("MiniBatchKMeans")?;
        self.check(&x)?;
        let weights = options.weights("MiniBatchKMeans", x.rows())?;
        let mut stream = x.device().stream();
        options.watched("mini-batch k-means", |watch| self.search(&mut stream, &x, weights, watch))
    }

    /// One step on a batch of any size, where it lives: from `None` the start is chosen among its rows, of which there
    /// must be k at least; else the model goes on.
    pub fn partial_fit<'a>(
        &self,
        model: Option<MiniBatchKMeansModel>,
        batch: impl Into<Rows<'a>>,
    ) -> Result<MiniBatchKMeansModel> {
        let x = batch.into().complete("MiniBatchKMeans")?;
        let mut stream = x.device().stream();
        let mut model = match model {
            Some(model) if model.cluster_centers().columns() == x.columns() => model,
            Some(model) => {
                let expected = format!("{} columns, as in the batches before", model.cluster_centers().columns());
                let got = format!("{} columns", x.columns());
                return Err(Error::Shape { op: "MiniBatchKMeans", expected, got });
            }
            None => {
                self.check(&x)?;
                let start = self.init.centers(&mut stream, &x, None, self.n_clusters, (self.seed, 0))?;
                MiniBatchKMeansModel::start(start)
            }
        };
        let batch = Batch { x: &x, weights: None, ratio: self.reassignment_ratio };
        let mut rng = HostRng::new(self.seed, STREAM_REASSIGN.wrapping_add(2 * model.iterations() as u32));
        step::step(&mut stream, &batch, &mut model, &mut rng)?;
        Ok(model)
    }

    fn check(&self, x: &DeviceMatrix) -> Result<()> {
        check_clusters(self.n_clusters, x.rows())?;
        positive("max_iter", self.max_iter)?;
        positive("batch_size", self.batch_size)?;
        for (name, value) in [("tol", self.tol), ("reassignment_ratio", self.reassignment_ratio)] {
            if !(value >= 0.0 && value.is_finite()) {
                let rule = "a finite number of at least 0".to_string();
                return Err(Error::Param { name, rule, got: value.to_string() });
            }
        }
        self.init.check(self.n_clusters, x.columns())
    }

    fn search(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        weights: Option<&[f32]>,
        watch: &mut Reporter<'_>,
    ) -> Result<MiniBatchKMeansModel> {
        let mut rng = HostRng::new(self.seed, STREAM_BATCHES);
        let mut model = MiniBatchKMeansModel::start(self.start(stream, x, weights, &mut rng)?);
        let mut reassigned = HostRng::new(self.seed, STREAM_REASSIGN);
        let mut patience = Patience::new(stream, x, self)?;
        let batch_rows = self.batch_size.min(x.rows());
        let steps = (self.max_iter.saturating_mul(x.rows()) / batch_rows).max(1);
        for number in 0..steps {
            let rows: Vec<usize> = (0..batch_rows).map(|_| rng.below(x.rows())).collect();
            let drawn = gather(stream, x, &rows)?;
            let weights: Option<Vec<f32>> = weights.map(|all| rows.iter().map(|row| all[*row]).collect());
            let batch = Batch { x: &drawn, weights: weights.as_deref(), ratio: self.reassignment_ratio };
            let step = step::step(stream, &batch, &mut model, &mut reassigned)?;
            let ends = patience.ends(number, &step, batch_rows);
            if ends || watch.report(number + 1, Some(step.inertia), (number + 1) as f64 / steps as f64)? {
                model.converged = ends;
                break;
            }
        }
        model.label(stream, x, weights)?;
        Ok(model)
    }

    /// The start, chosen among some of the rows.
    fn start(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        weights: Option<&[f32]>,
        rng: &mut HostRng,
    ) -> Result<Matrix> {
        let wanted = self.init_size.unwrap_or((3 * self.batch_size).max(3 * self.n_clusters)).max(self.n_clusters);
        let rows = rng.distinct(wanted, x.rows());
        let sample = gather(stream, x, &rows)?;
        let weights: Option<Vec<f32>> = weights.map(|all| rows.iter().map(|row| all[*row]).collect());
        let weights = weights.map(|weights| DeviceVec::from_slice(&weights, stream.device())).transpose()?;
        self.init.centers(stream, &sample, weights.as_ref(), self.n_clusters, (self.seed, 0))
    }
}

/// These rows as a matrix of their own.
fn gather(stream: &mut Stream, x: &DeviceMatrix, rows: &[usize]) -> Result<DeviceMatrix> {
    let index: Vec<u32> = rows.iter().map(|row| *row as u32).collect();
    let index = DeviceVec::from_slice(&index, stream.device())?;
    ops::gather_rows(stream, x, &index)
}

impl crate::estimator::Parameters for MiniBatchKMeans {
    type Model = MiniBatchKMeansModel;
    type Target<'a> = ();
    const NAME: &'static str = "mini-batch-kmeans";
    const ABOUT: &'static str = "k-means on small batches of rows, for large data";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter { name: "n_clusters", help: "number of clusters" },
        crate::estimator::Parameter { name: "init", help: "k-means++, random, or a .npy file of centres" },
        crate::estimator::Parameter { name: "max_iter", help: "passes over the data at most" },
        crate::estimator::Parameter { name: "batch_size", help: "rows of a batch" },
        crate::estimator::Parameter {
            name: "tol",
            help: "ends when the smoothed shift of the centres is below this; 0 turns it off",
        },
        crate::estimator::Parameter {
            name: "max_no_improvement",
            help: "ends after so many batches without improvement; null turns it off",
        },
        crate::estimator::Parameter {
            name: "init_size",
            help: "rows that the start is chosen among; null: three batches",
        },
        crate::estimator::Parameter {
            name: "reassignment_ratio",
            help: "centres with less than this share of the heaviest one's weight are moved",
        },
        crate::estimator::Parameter { name: "seed", help: "decides the start and the batches" },
    ];
    const TASK: Task = Task::Clustering;
}

impl Estimator for MiniBatchKMeans {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { chunks: true, ..Default::default() }
    }

    fn partial_fit_rows(
        &self,
        model: Option<MiniBatchKMeansModel>,
        x: Rows<'_>,
        _target: Self::Target<'_>,
        _options: Fit<'_>,
    ) -> Result<MiniBatchKMeansModel> {
        self.partial_fit(model, x)
    }

    fn fit_rows(&self, x: Rows<'_>, _target: Self::Target<'_>, options: Fit<'_>) -> Result<MiniBatchKMeansModel> {
        self.fit_with(x, options)
    }
}
