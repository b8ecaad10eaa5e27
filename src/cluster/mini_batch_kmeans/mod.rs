//! k-means on small batches of rows, for data that is large or arrives in pieces.

mod on_device;
mod step;

use on_device::DeviceCenters;
use serde::{Deserialize, Serialize};
use step::{Batch, EarlyStopping, Step};

use super::clusters::{Clusters, center_clusters, check_clusters, inertia};
use super::cost;
use super::kmeans::Init;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cost::Cost;
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, Observer, OwnedRows, Predict,
    Prediction, Queries, Reporter, Rows, Save, Transform, checked_partial_fit, parameters,
};
use crate::model_file::Container;
use crate::ops;
use crate::ops::sort::gather_rows::gather_known_rows;

const OP: &str = "MiniBatchKMeans";
/// The streams of random numbers: which rows make a batch, and where lost centres go.
const STREAM_BATCHES: u32 = 0x6d62_0000;
const STREAM_REASSIGN: u32 = 0x6d62_0001;

parameters! {
    /// k-means on mini-batches (Sculley 2010). Names and defaults are scikit-learn's.
    ///
    /// `fit` draws batches from a matrix; `partial_fit` takes one batch after the other, for data that does not fit
    /// into memory.
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
    pub struct MiniBatchKMeans: clustering("mini-batch-kmeans") -> MiniBatchKMeansModel;
    about "k-means on small batches of rows, for large data";
    new(n_clusters: usize);
    {
        /// Number of clusters, k.
        n_clusters: usize = 8;
        /// Where the centres start: k-means++, random, or a .npy file of centres.
        init: Init = Init::KMeansPlusPlus;
        /// Maximum number of passes over the data, counted by rows drawn.
        max_iter: usize = 100, at_least(1.0);
        /// Number of rows of a batch.
        batch_size: usize = 1024, at_least(1.0);
        /// Ends when the smoothed shift of the centres is below this times the mean variance of the columns; 0 turns it
        /// off.
        tol: f64 = 0.0, at_least(0.0);
        /// Ends after so many batches without a better smoothed inertia; none turns it off.
        max_no_improvement: Option<usize> = Some(10);
        /// Number of rows among which the start is chosen; none: three batches, or 3·k if that is more.
        init_size: Option<usize> = None;
        /// Centres with less than this share of the weight of the heaviest centre are moved to a random row.
        reassignment_ratio: f64 = 0.01, at_least(0.0);
        /// Seed of the start and the batches.
        seed: u64 = 0;
    }
}

/// Batches at most between two looks at a GPU.
const LOOK_BATCHES: usize = 8;
/// Times that a search is expected to have seen each row when it stops.
const EXPECTED_PASSES: usize = 3;

impl Estimator for MiniBatchKMeans {
    /// A GPU is asked after every few batches.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let passes = self.max_iter.min(EXPECTED_PASSES) as f64;
        let syncs = passes * (shape.rows as f64 / (self.batch_size * LOOK_BATCHES) as f64).ceil();
        Some(Cost { syncs, ..cost::iterating(shape, self.n_clusters, passes) })
    }

    fn abilities(&self) -> Abilities {
        Abilities { chunks: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<MiniBatchKMeansModel> {
        let x = x.complete(OP)?;
        self.check_rows(&x)?;
        let weights = options.weights(OP, x.rows())?;
        let mut stream = x.device().stream();
        options.watched("mini-batch k-means", |reporter| self.search(&mut stream, &x, weights, reporter))
    }

    /// One step on a batch of any size, where it lives: from `None` the start is chosen among its rows, of which there
    /// must be k at least.
    fn partial_fit_rows(
        &self,
        model: Option<MiniBatchKMeansModel>,
        x: Rows<'_>,
        _: (),
        options: Fit<'_>,
    ) -> Result<MiniBatchKMeansModel> {
        let x = x.complete(OP)?;
        let mut stream = x.device().stream();
        let mut model = match model {
            Some(model) if model.cluster_centers().columns() == x.columns() => model,
            Some(model) => {
                let expected = format!("{} columns, as in the batches before", model.cluster_centers().columns());
                return Err(Error::shape(OP, expected, format!("{} columns", x.columns())));
            }
            None => {
                self.check_rows(&x)?;
                let start = self.init.centers(&mut stream, &x, None, self.n_clusters, (self.seed, 0))?;
                MiniBatchKMeansModel::start(self, start)
            }
        };
        let batch = Batch { x: &x, weights: options.weights(OP, x.rows())?, ratio: self.reassignment_ratio };
        let mut rng = HostRng::new(self.seed, STREAM_REASSIGN.wrapping_add(2 * model.iterations() as u32));
        match DeviceCenters::new(&mut stream, &model)? {
            None => {
                step::step(&mut stream, &batch, &mut model, &mut rng)?;
            }
            Some(mut centers) => {
                centers.run(&mut stream, &[batch], (&mut model, &mut rng), |_| Ok(false))?;
                centers.finish(&mut stream, &mut model)?;
            }
        }
        Ok(model)
    }
}

impl MiniBatchKMeans {
    /// One step on a batch of any size, where it lives; goes on from `model`, or begins with `None`.
    pub fn partial_fit<'a>(
        &self,
        model: Option<MiniBatchKMeansModel>,
        batch: impl Into<Rows<'a>>,
    ) -> Result<MiniBatchKMeansModel> {
        self.partial_fit_with(model, batch, Fit::default())
    }

    /// The same with sample weights or an observer.
    pub fn partial_fit_with<'a>(
        &self,
        model: Option<MiniBatchKMeansModel>,
        batch: impl Into<Rows<'a>>,
        options: Fit<'_>,
    ) -> Result<MiniBatchKMeansModel> {
        checked_partial_fit(self, model, batch.into(), (), options)
    }

    fn check_rows(&self, x: &DeviceMatrix) -> Result<()> {
        check_clusters(self.n_clusters, x.rows())?;
        self.init.check(self.n_clusters, x.columns())
    }

    fn search(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<MiniBatchKMeansModel> {
        let mut rng = HostRng::new(self.seed, STREAM_BATCHES);
        let mut model = MiniBatchKMeansModel::start(self, self.start(stream, x, weights, &mut rng)?);
        let mut reassigned = HostRng::new(self.seed, STREAM_REASSIGN);
        let mut stopping = EarlyStopping::new(stream, x, self)?;
        let batch_rows = self.batch_size.min(x.rows());
        let steps = (self.max_iter.saturating_mul(x.rows()) / batch_rows).max(1);
        let mut number = 0;
        let mut ends = |step: &Step| -> Result<(bool, bool)> {
            let ends = stopping.ends(number, step, batch_rows);
            number += 1;
            let asked = !ends && reporter.report(number, Some(step.inertia), number as f64 / steps as f64)?;
            Ok((ends, ends || asked))
        };
        let mut draw = |stream: &mut Stream| Drawn::new(stream, (x, weights), batch_rows, &mut rng);
        match DeviceCenters::new(stream, &model)? {
            None => {
                for _ in 0..steps {
                    let drawn = draw(stream)?;
                    let step = step::step(stream, &drawn.batch(self), &mut model, &mut reassigned)?;
                    let (converged, last) = ends(&step)?;
                    model.clusters.converged = converged;
                    if last {
                        break;
                    }
                }
            }
            Some(mut centers) => {
                let (mut waiting, mut made, mut at_once, mut converged) = (Vec::new(), 0, 1, false);
                while made < steps {
                    let count = at_once.min(steps - made);
                    while waiting.len() < count {
                        waiting.push(draw(stream)?);
                    }
                    let batches: Vec<_> = waiting[..count].iter().map(|drawn| drawn.batch(self)).collect();
                    let progress = centers.run(stream, &batches, (&mut model, &mut reassigned), |step| {
                        let (ends, last) = ends(step)?;
                        converged = ends;
                        Ok(last)
                    })?;
                    if progress.ended {
                        break;
                    }
                    made += progress.made;
                    // Where centres are moved about, few batches are made in vain.
                    at_once = if progress.made < count { 1 } else { LOOK_BATCHES.min(2 * at_once) };
                    waiting.drain(..progress.made);
                }
                model.clusters.converged = converged;
                centers.finish(stream, &mut model)?;
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

/// Rows that were drawn for a batch, with their weights.
struct Drawn {
    rows: DeviceMatrix,
    weights: Option<Vec<f32>>,
}

impl Drawn {
    fn new(
        stream: &mut Stream,
        (x, weights): (&DeviceMatrix, Option<&[f32]>),
        count: usize,
        rng: &mut HostRng,
    ) -> Result<Drawn> {
        let rows: Vec<usize> = (0..count).map(|_| rng.below(x.rows())).collect();
        let weights = weights.map(|all| rows.iter().map(|row| all[*row]).collect());
        Ok(Drawn { rows: gather(stream, x, &rows)?, weights })
    }

    fn batch(&self, params: &MiniBatchKMeans) -> Batch<'_> {
        Batch { x: &self.rows, weights: self.weights.as_deref(), ratio: params.reassignment_ratio }
    }
}

/// These rows as a matrix of their own.
fn gather(stream: &mut Stream, x: &DeviceMatrix, rows: &[usize]) -> Result<DeviceMatrix> {
    let index: Vec<u32> = rows.iter().map(|row| *row as u32).collect();
    let index = DeviceVec::from_slice(&index, stream.device())?;
    gather_known_rows(stream, x, &index)
}

/// The clusters that [`MiniBatchKMeans`] found so far. After `partial_fit` there are no labels and no inertia.
#[derive(Debug, Clone)]
pub struct MiniBatchKMeansModel {
    params: FittedWith<MiniBatchKMeans>,
    clusters: Clusters,
    /// Σ of the weights of the rows that each centre has had.
    weights: Vec<f64>,
    since_reassignment: usize,
}

center_clusters!(MiniBatchKMeansModel);

impl MiniBatchKMeansModel {
    fn start(params: &MiniBatchKMeans, centers: Matrix) -> MiniBatchKMeansModel {
        let weights = vec![0.0; centers.rows()];
        let clusters = Clusters { centers, labels: vec![], inertia: 0.0, iterations: 0, converged: false };
        MiniBatchKMeansModel { params: params.clone().into(), clusters, weights, since_reassignment: 0 }
    }

    /// Labels and inertia of all rows.
    fn label(&mut self, stream: &mut Stream, x: &DeviceMatrix, weights: Option<&[f32]>) -> Result<()> {
        let (labels, distances) = ops::assign(stream, x, &self.clusters.centers.to(stream.device())?)?;
        self.clusters.labels = labels.to_vec(stream)?;
        self.clusters.inertia = inertia(&distances.to_vec(stream)?, weights);
        Ok(())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct BatchCourse {
    #[serde(flatten)]
    course: super::clusters::Course,
    since_reassignment: usize,
}

impl Save for MiniBatchKMeansModel {
    type Estimator = MiniBatchKMeans;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (course, since_reassignment) = (self.clusters.course(), self.since_reassignment);
        container.set_fitted(&BatchCourse { course, since_reassignment })?;
        container.insert("weights", &[self.weights.len()], self.weights.clone())?;
        self.clusters.store(container)
    }

    fn load_fitted(params: FittedWith<MiniBatchKMeans>, container: &mut Container) -> Result<MiniBatchKMeansModel> {
        let BatchCourse { course, since_reassignment } = container.fitted()?;
        let clusters = Clusters::restore(container, course)?;
        let weights = container.take("weights", &[clusters.centers.rows()])?;
        Ok(MiniBatchKMeansModel { params, clusters, weights, since_reassignment })
    }
}
