//! Fitted clusters.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{FitReport, InputColumns, Model, Observer, OwnedRows, Predict, Prediction, Rows, Transform};
use crate::model_file::{Container, Persist};
use crate::ops;
use crate::solvers::lloyd::{Clusters, Course};

/// The clusters that [`KMeans`](super::KMeans) found.
#[derive(Debug, Clone)]
pub struct KMeansModel {
    centers: Matrix,
    labels: Vec<u32>,
    inertia: f64,
    iterations: usize,
    converged: bool,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Summary {
    inertia: f64,
    iterations: usize,
    converged: bool,
}

impl KMeansModel {
    pub(super) fn new(found: Clusters, weights: Option<&[f32]>, course: Course) -> KMeansModel {
        let inertia = inertia(&found.distances, weights);
        let Course { iterations, converged, .. } = course;
        KMeansModel { centers: found.centers, labels: found.labels, inertia, iterations, converged }
    }

    /// The centres, k×d.
    pub fn cluster_centers(&self) -> &Matrix {
        &self.centers
    }

    /// The cluster of each row that was fitted: the nearest of the centres.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Σ of the (weighted) squared distances from the fitted rows to their centres, added in f64.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// Iterations of the search that was kept.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether that search ended before `max_iter`, by itself.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// −Σ of the squared distances from the rows of `x` to their nearest centres; larger is better.
    pub fn score<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
        Ok(-inertia(&nearest(&self.centers, x.into())?.1, None))
    }
}

impl Predict for KMeansModel {
    type Output = Vec<u32>;

    /// The nearest centre of each row; the lowest of equally near ones.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        Ok(nearest(&self.centers, x.into())?.0)
    }
}

impl Transform for KMeansModel {}

impl Model for KMeansModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Clusters(self.predict(x)?))
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.iterations, self.converged);
        report.with_number("inertia", self.inertia).with_matrix("centers", &self.centers)
    }

    fn inertia_rows(&self, x: Rows<'_>) -> Result<Option<f64>> {
        Ok(Some(inertia(&nearest(&self.centers, x)?.1, None)))
    }

    fn fitted_prediction(&self) -> Option<Prediction> {
        Some(Prediction::Clusters(self.labels.clone()))
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

impl Persist for KMeansModel {
    const KIND: &'static str = "kmeans";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (inertia, iterations, converged) = (self.inertia, self.iterations, self.converged);
        container.set_parameters(&Summary { inertia, iterations, converged })?;
        store_clusters(container, &self.centers, &self.labels)
    }

    fn restore(container: &mut Container) -> Result<KMeansModel> {
        let Summary { inertia, iterations, converged } = container.parameters()?;
        let (centers, labels) = restore_clusters(container)?;
        Ok(KMeansModel { centers, labels, inertia, iterations, converged })
    }
}

/// The nearest centre of each row and the squared distance to it.
pub(in crate::cluster) fn nearest(centers: &Matrix, x: Rows<'_>) -> Result<(Vec<u32>, Vec<f32>)> {
    let x = x.queries("k-means", centers.columns())?;
    let mut stream = x.device().stream();
    let (labels, distances) = ops::assign(&mut stream, &x, &centers.to(x.device())?)?;
    Ok((labels.to_vec(&mut stream)?, distances.to_vec(&mut stream)?))
}

/// The distance from each row to each centre.
pub(in crate::cluster) fn distances_to(centers: &Matrix, x: Rows<'_>) -> Result<Matrix> {
    let x = x.queries("k-means", centers.columns())?;
    let mut stream = x.device().stream();
    let mut squared = ops::sq_euclidean(&mut stream, &x, &centers.to(x.device())?)?.to_matrix(&mut stream)?;
    squared.as_mut_slice().iter_mut().for_each(|value| *value = value.sqrt());
    Ok(squared)
}

/// Σ of (weighted) squared distances, in f64.
pub(in crate::cluster) fn inertia(distances: &[f32], weights: Option<&[f32]>) -> f64 {
    match weights {
        None => distances.iter().map(|distance| f64::from(*distance)).sum(),
        Some(weights) => {
            let terms = distances.iter().zip(weights);
            terms.map(|(distance, weight)| f64::from(*distance) * f64::from(*weight)).sum()
        }
    }
}

/// Puts centres and labels into a container.
pub(in crate::cluster) fn store_clusters(container: &mut Container, centers: &Matrix, labels: &[u32]) -> Result<()> {
    container.insert("centers", &[centers.rows(), centers.columns()], centers.as_slice().to_vec())?;
    container.insert("labels", &[labels.len()], labels.to_vec())
}

/// Takes centres and labels out again, and checks that each label has its centre.
pub(in crate::cluster) fn restore_clusters(container: &mut Container) -> Result<(Matrix, Vec<u32>)> {
    let [clusters, columns] = container.shape("centers")?;
    let [rows] = container.shape("labels")?;
    let centers = Matrix::from_vec(clusters, columns, container.take("centers", &[clusters, columns])?)?;
    let labels: Vec<u32> = container.take("labels", &[rows])?;
    match labels.iter().find(|label| **label as usize >= clusters) {
        Some(label) => Err(container.refuse(format!("a row is in cluster {label}, and there are {clusters}"))),
        None => Ok((centers, labels)),
    }
}
