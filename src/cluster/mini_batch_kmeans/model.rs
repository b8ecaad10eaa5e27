//! Clusters found batch by batch.

use serde::{Deserialize, Serialize};

use crate::array::{DeviceMatrix, Matrix};
use crate::cluster::kmeans::{distances_to, inertia, nearest, restore_clusters, store_clusters};
use crate::device::Stream;
use crate::error::Result;
use crate::estimator::{FitReport, InputColumns, Model, Observer, OwnedRows, Predict, Prediction, Rows, Transform};
use crate::model_file::{Container, Persist};

/// The clusters that [`MiniBatchKMeans`](super::MiniBatchKMeans) found so far.
#[derive(Debug, Clone)]
pub struct MiniBatchKMeansModel {
    pub(super) centers: Matrix,
    /// Σ of the weights of the rows that each centre has had.
    pub(super) weights: Vec<f64>,
    pub(super) labels: Vec<u32>,
    pub(super) inertia: f64,
    pub(super) iterations: usize,
    pub(super) since_reassignment: usize,
    pub(super) converged: bool,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Summary {
    inertia: f64,
    iterations: usize,
    since_reassignment: usize,
    converged: bool,
}

impl MiniBatchKMeansModel {
    pub(super) fn start(centers: Matrix) -> MiniBatchKMeansModel {
        let weights = vec![0.0; centers.rows()];
        let (labels, inertia, iterations, since_reassignment, converged) = (vec![], 0.0, 0, 0, false);
        MiniBatchKMeansModel { centers, weights, labels, inertia, iterations, since_reassignment, converged }
    }

    /// Labels and inertia of all rows.
    pub(super) fn label(&mut self, stream: &mut Stream, x: &DeviceMatrix, weights: Option<&[f32]>) -> Result<()> {
        let (labels, distances) = crate::ops::assign(stream, x, &self.centers.to(stream.device())?)?;
        self.labels = labels.to_vec(stream)?;
        self.inertia = inertia(&distances.to_vec(stream)?, weights);
        Ok(())
    }

    /// The centres, k×d.
    pub fn cluster_centers(&self) -> &Matrix {
        &self.centers
    }

    /// The cluster of each row given to `fit`; none after `partial_fit`.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Σ of the (weighted) squared distances of the rows given to `fit`; 0 after `partial_fit`.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// Batches seen.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether `fit` ended before `max_iter`, by itself.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// −Σ of the squared distances from the rows of `x` to their nearest centres; larger is better.
    pub fn score<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
        Ok(-inertia(&nearest(&self.centers, x.into())?.1, None))
    }
}

impl Predict for MiniBatchKMeansModel {
    type Output = Vec<u32>;

    /// The nearest centre of each row; the lowest of equally near ones.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        Ok(nearest(&self.centers, x.into())?.0)
    }
}

impl Transform for MiniBatchKMeansModel {}

impl Model for MiniBatchKMeansModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Clusters(self.predict(x)?))
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.iterations, self.converged);
        // Rows that came in batches have no sum of distances.
        let inertia = (!self.labels.is_empty()).then_some(self.inertia);
        report.with_number("inertia", inertia).with_matrix("centers", &self.centers)
    }

    fn inertia_rows(&self, x: Rows<'_>) -> Result<Option<f64>> {
        Ok(Some(inertia(&nearest(&self.centers, x)?.1, None)))
    }

    fn fitted_prediction(&self) -> Option<Prediction> {
        (!self.labels.is_empty()).then(|| Prediction::Clusters(self.labels.clone()))
    }

    /// The distance from each row to each centre, n×k.
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        OwnedRows::beside(x, distances_to(&self.centers, x)?)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        let names: Vec<String> = (0..self.centers.rows()).map(|cluster| format!("cluster_{cluster}")).collect();
        Some(InputColumns::named(&names))
    }
}

impl Persist for MiniBatchKMeansModel {
    const KIND: &'static str = "mini-batch-kmeans";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (inertia, iterations, converged) = (self.inertia, self.iterations, self.converged);
        let since_reassignment = self.since_reassignment;
        container.set_parameters(&Summary { inertia, iterations, since_reassignment, converged })?;
        container.insert("weights", &[self.weights.len()], self.weights.clone())?;
        store_clusters(container, &self.centers, &self.labels)
    }

    fn restore(container: &mut Container) -> Result<MiniBatchKMeansModel> {
        let Summary { inertia, iterations, since_reassignment, converged } = container.parameters()?;
        let (centers, labels) = restore_clusters(container)?;
        let weights = container.take("weights", &[centers.rows()])?;
        Ok(MiniBatchKMeansModel { centers, weights, labels, inertia, iterations, since_reassignment, converged })
    }
}
