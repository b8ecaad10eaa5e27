//! k-means in the space of a kernel.

mod search;

use serde::{Deserialize, Serialize};

use self::search::{Assignment, Course, Search, nearest};
use super::expansion::KernelExpansion;
use super::gram_operator::{GramOperator, fits_whole};
use super::{Gamma, Kernel};
use crate::array::DeviceMatrix;
use crate::cost::Cost;
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, Predict, Prediction, Reporter, Rows, Save,
    parameters,
};
use crate::model_file::Container;

const OP: &str = "KernelKMeans";
/// The stream of random numbers for starts is that of k-means, so that both start at the same rows.
const STREAM: u32 = 0x6b6d_0000;
/// Iterations of a search that a cost is told for.
const EXPECTED_ITERATIONS: usize = 15;

/// Where the centres of a [`KernelKMeans`] start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelInit {
    /// At rows drawn in proportion to their squared distance from the centres there are; the best of 2 + ⌊ln k⌋ draws.
    #[default]
    #[serde(rename = "k-means++")]
    KMeansPlusPlus,
    /// At k different rows.
    #[serde(rename = "random")]
    Random,
}

parameters! {
    /// k-means in the space of a kernel: each row is in the cluster whose mean of φ is nearest to its own φ. With a Gaussian
    /// it finds rings and moons, which no centre in the plane can.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::{Kernel, KernelKMeans};
    /// let rings = datasets::circles(200, 0.02, 0.3, 1)?;
    /// let model = KernelKMeans::new(2).kernel(Kernel::rbf(4.0)).n_init(10).fit(&rings.x)?;
    /// let score = gristmill::metrics::adjusted_rand_score(rings.labels()?.codes(), model.labels())?;
    /// assert_eq!(score, 1.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - ‖φ(x) − μ‖² = k(x, x) − 2·Σᵢ k(x, xᵢ)·hᵢ + Σᵢⱼ hᵢ·hⱼ·k(xᵢ, xⱼ), where h is a row's share of its cluster: an
    ///   iteration is one product of K with n×k numbers. K is kept up to 8192 rows, and not stored above.
    /// - With the linear kernel it is k-means; the same seed starts at the same rows.
    /// - A cluster that loses all its rows takes the row farthest from its centre; the inertia never rises. Where no row is
    ///   off its centre (identical rows) a cluster may stay empty.
    /// - The model keeps all fitted rows.
    pub struct KernelKMeans: clustering("kernel-kmeans") -> KernelKMeansModel;
    about "k-means in the space of a kernel: rings and moons too";
    new(n_clusters: usize);
    {
        /// Number of clusters, k; at most the number of rows.
        n_clusters: usize = 8;
        /// The kernel, such as rbf(gamma=0.1) or 0.5*rbf+poly(degree=2).
        kernel: Kernel = Kernel::rbf(Gamma::Scale);
        /// Where the centres start: k-means++ or random.
        init: KernelInit = KernelInit::KMeansPlusPlus;
        /// Number of searches from different starts, of which the best is kept; none: 10 for random starts, else 1.
        n_init: Option<usize> = None, at_least(1.0);
        /// Maximum number of iterations of a search.
        max_iter: usize = 300, at_least(1.0);
        /// Ends a search when the inertia falls by no more than this share of itself.
        tol: f64 = 1e-6, at_least(0.0);
        /// Seed of the starts.
        seed: u64 = 0;
    }
}

impl Estimator for KernelKMeans {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.n_clusters as f64);
        let iterations = (self.searches() * self.max_iter.min(EXPECTED_ITERATIONS)) as f64;
        // K is made once, or for every product.
        let times = if fits_whole(shape.rows) { 1.0 } else { iterations };
        let uploaded = Cost::uploading(shape.rows, shape.columns);
        Some(Cost {
            operations: 2.0 * n * (n * (d * times + k * iterations) + shape.queries as f64 * (d + k)),
            moved_bytes: uploaded.moved_bytes + 8.0 * n * k * iterations,
            syncs: 2.0 * iterations,
            kernels: 4.0,
            ..uploaded
        })
    }

    /// Costs n²·d operations for K and 2·n²·k an iteration.
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<KernelKMeansModel> {
        let x = x.complete(OP)?;
        if self.n_clusters == 0 || self.n_clusters > x.rows() {
            let rule = format!("from 1 to the number of rows, {}", x.rows());
            return Err(Error::param("n_clusters", rule, self.n_clusters));
        }
        let weights = options.weights(OP, x.rows())?;
        let weights: Vec<f64> = match weights {
            Some(weights) => weights.iter().copied().map(f64::from).collect(),
            None => vec![1.0; x.rows()],
        };
        options.watched("kernel k-means", |reporter| self.search(&x, &weights, reporter))
    }
}

impl KernelKMeans {
    fn searches(&self) -> usize {
        match (self.init, self.n_init) {
            (_, Some(searches)) => searches,
            (KernelInit::Random, None) => 10,
            (KernelInit::KMeansPlusPlus, None) => 1,
        }
    }

    fn search(&self, x: &DeviceMatrix, weights: &[f64], reporter: &mut Reporter<'_>) -> Result<KernelKMeansModel> {
        let mut stream = x.device().stream();
        let gram = GramOperator::fit(OP, &self.kernel, x, &mut stream)?;
        let clusters = Search { diagonal: gram.diagonal(&mut stream)?, gram: &gram, weights, k: self.n_clusters };
        let searches = self.searches();
        let mut best: Option<(Assignment, Course)> = None;
        for number in 0..searches {
            let mut rng = HostRng::new(self.seed, STREAM.wrapping_add(number as u32));
            let start = match self.init {
                KernelInit::Random => rng.distinct(self.n_clusters, x.rows()),
                KernelInit::KMeansPlusPlus => clusters.plus_plus(&mut stream, &mut rng)?,
            };
            let report = |iteration: usize, inertia: f64| {
                let share = iteration as f64 / self.max_iter as f64;
                reporter.report(iteration, Some(inertia), (number as f64 + share) / searches as f64)
            };
            let (found, course, stopped) = clusters.lloyd(&mut stream, &start, (self.max_iter, self.tol), report)?;
            if best.as_ref().is_none_or(|(_, best)| course.inertia < best.inertia) {
                best = Some((found, course));
            }
            if stopped {
                break;
            }
        }
        let (found, course) = best.ok_or(Error::Stopped { what: "kernel k-means" })?;
        if !course.converged {
            log::warn!("kernel k-means did not converge in {} iterations; raise max_iter or tol", course.iterations);
        }
        let rows = gram.x(&mut stream)?;
        let centers = KernelExpansion::over(gram.kernel, &rows, None, found.shares)?;
        let (squares, labels) = (found.squares, found.labels);
        Ok(KernelKMeansModel { params: self.clone().into(), centers, squares, labels, course })
    }
}

/// The clusters that [`KernelKMeans`] found.
#[derive(Debug, Clone)]
pub struct KernelKMeansModel {
    params: FittedWith<KernelKMeans>,
    centers: KernelExpansion,
    squares: Vec<Option<f64>>,
    labels: Vec<u32>,
    course: Course,
}

impl KernelKMeansModel {
    /// The cluster of each row given to `fit`.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Σ of the (weighted) squared distances in the space of the kernel from the fitted rows to their centres.
    pub fn inertia(&self) -> f64 {
        self.course.inertia
    }

    /// The inertia at the start and after each iteration of the search that was kept.
    pub fn inertias(&self) -> &[f64] {
        &self.course.inertias
    }

    /// Iterations of the search that was kept.
    pub fn iterations(&self) -> usize {
        self.course.iterations
    }

    /// Whether the search ended before `max_iter`, by itself.
    pub fn converged(&self) -> bool {
        self.course.converged
    }

    /// The kernel with its widths as numbers.
    pub fn kernel(&self) -> &Kernel {
        self.centers.kernel().kernel()
    }
}

impl Predict for KernelKMeansModel {
    type Output = Vec<u32>;
}

impl Model for KernelKMeansModel {
    /// The nearest centre of each row; the lowest of equally near ones.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let products = self.centers.predict(OP, x)?;
        let rows = products.as_slice().chunks_exact(self.squares.len());
        Ok(Prediction::Clusters(rows.map(|products| nearest(products, &self.squares).0).collect()))
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.iterations(), self.converged());
        report.with_number("inertia", self.inertia()).with_curve("inertia", self.inertias())
    }

    fn fitted_prediction(&self) -> Option<Prediction> {
        Some(Prediction::Clusters(self.labels.clone()))
    }
}

impl Save for KernelKMeansModel {
    type Estimator = KernelKMeans;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.course)?;
        container
            .insert_list("squares", &self.squares.iter().map(|square| square.unwrap_or(0.0)).collect::<Vec<_>>())?;
        let used: Vec<u8> = self.squares.iter().map(|square| u8::from(square.is_some())).collect();
        container.insert_list("used", &used)?;
        container.insert_list("labels", &self.labels)?;
        self.centers.store(container)
    }

    fn load_fitted(params: FittedWith<KernelKMeans>, container: &mut Container) -> Result<KernelKMeansModel> {
        let course = container.fitted()?;
        let centers = KernelExpansion::restore(container)?;
        let k = centers.coef().columns();
        let squares: Vec<f64> = container.take("squares", &[k])?;
        let used: Vec<u8> = container.take("used", &[k])?;
        let labels: Vec<u32> = container.take("labels", &[centers.coef().rows()])?;
        if !used.contains(&1) || labels.iter().any(|label| used.get(*label as usize) != Some(&1)) {
            return Err(container.refuse("a row is in a cluster that is not there"));
        }
        let squares = squares.into_iter().zip(used).map(|(square, used)| (used == 1).then_some(square)).collect();
        Ok(KernelKMeansModel { params, centers, squares, labels, course })
    }
}
