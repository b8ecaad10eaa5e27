//! Clusters around centres: what every k-means finds, and what it can do with it.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::Rows;
use crate::model_file::Container;
use crate::ops;

/// Centres, the clusters of the fitted rows, and how the search went.
#[derive(Debug, Clone)]
pub(super) struct Clusters {
    pub(super) centers: Matrix,
    pub(super) labels: Vec<u32>,
    pub(super) inertia: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// The single numbers of it.
#[derive(Serialize, Deserialize, PartialEq)]
pub(super) struct Course {
    inertia: f64,
    iterations: usize,
    converged: bool,
}

impl Clusters {
    /// The nearest centre of each row and the squared distance to it.
    pub(super) fn nearest(&self, x: Rows<'_>) -> Result<(Vec<u32>, Vec<f32>)> {
        let x = x.queries("k-means", self.centers.columns())?;
        let mut stream = x.device().stream();
        let (labels, distances) = ops::assign(&mut stream, &x, &self.centers.to(x.device())?)?;
        Ok((labels.to_vec(&mut stream)?, distances.to_vec(&mut stream)?))
    }

    /// The distance from each row to each centre, n×k.
    pub(super) fn distances(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = x.queries("k-means", self.centers.columns())?;
        let mut stream = x.device().stream();
        let squared = ops::sq_euclidean(&mut stream, &x, &self.centers.to(x.device())?)?;
        let mut distances = squared.to_matrix(&mut stream)?;
        distances.as_mut_slice().iter_mut().for_each(|value| *value = value.sqrt());
        Ok(distances)
    }

    /// The single numbers.
    pub(super) fn course(&self) -> Course {
        Course { inertia: self.inertia, iterations: self.iterations, converged: self.converged }
    }

    /// Puts centres and labels into a container.
    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        let (clusters, columns) = (self.centers.rows(), self.centers.columns());
        container.insert("centers", &[clusters, columns], self.centers.as_slice().to_vec())?;
        container.insert("labels", &[self.labels.len()], self.labels.clone())
    }

    /// Takes them out again, and checks that each label has its centre.
    pub(super) fn restore(container: &mut Container, course: Course) -> Result<Clusters> {
        let [clusters, columns] = container.shape("centers")?;
        let [rows] = container.shape("labels")?;
        let centers = Matrix::from_vec(clusters, columns, container.take("centers", &[clusters, columns])?)?;
        let labels: Vec<u32> = container.take("labels", &[rows])?;
        if let Some(label) = labels.iter().find(|label| **label as usize >= clusters) {
            return Err(container.refuse(format!("a row is in cluster {label}, and there are {clusters}")));
        }
        let Course { inertia, iterations, converged } = course;
        Ok(Clusters { centers, labels, inertia, iterations, converged })
    }
}

/// Σ of (weighted) squared distances, in f64.
pub(super) fn inertia(distances: &[f32], weights: Option<&[f32]>) -> f64 {
    match weights {
        None => distances.iter().map(|distance| f64::from(*distance)).sum(),
        Some(weights) => {
            let terms = distances.iter().zip(weights);
            terms.map(|(distance, weight)| f64::from(*distance) * f64::from(*weight)).sum()
        }
    }
}

/// Refuses a number of clusters that cannot be.
pub(super) fn check_clusters(n_clusters: usize, rows: usize) -> Result<()> {
    if n_clusters == 0 || n_clusters > rows {
        return Err(Error::param("n_clusters", format!("from 1 to the number of rows, {rows}"), n_clusters));
    }
    Ok(())
}

/// What a model whose field `clusters` holds [`Clusters`] reports of them and does with them.
macro_rules! center_clusters {
    ($model:ident) => {
        impl $model {
            /// The centres, k×d.
            #[doc(alias = "centroids")]
            pub fn cluster_centers(&self) -> &Matrix {
                &self.clusters.centers
            }

            /// The cluster of each row given to `fit`: the nearest of the centres.
            pub fn labels(&self) -> &[u32] {
                &self.clusters.labels
            }

            /// Σ of the (weighted) squared distances from the rows given to `fit` to their centres, added in f64;
            /// NaN after `partial_fit`, which keeps no rows.
            pub fn inertia(&self) -> f64 {
                if self.clusters.labels.is_empty() { f64::NAN } else { self.clusters.inertia }
            }

            /// Iterations of the search that was kept, or batches seen.
            pub fn iterations(&self) -> usize {
                self.clusters.iterations
            }

            /// Whether the search ended before `max_iter`, by itself.
            pub fn converged(&self) -> bool {
                self.clusters.converged
            }

            /// −Σ of the squared distances from the rows of `x` to their nearest centres; larger is better.
            pub fn score<'a>(&self, x: impl Into<Queries<'a>>) -> Result<f64> {
                Ok(-inertia(&self.clusters.nearest(self.params.align(x)?.rows())?.1, None))
            }
        }

        impl Predict for $model {
            type Output = Vec<u32>;
        }

        impl Transform for $model {}

        impl Model for $model {
            fn predict_cost(&self, rows: usize) -> Option<crate::cost::Cost> {
                let centers = &self.clusters.centers;
                Some(super::cost::assigning(rows, centers.columns(), centers.rows()))
            }

            /// The nearest centre of each row; the lowest of equally near ones.
            fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
                Ok(self.clusters.nearest(x)?.0.into())
            }

            /// The distance from each row to each centre, n×k.
            fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
                OwnedRows::beside(x, self.clusters.distances(x)?)
            }

            fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
                let clusters = 0..self.clusters.centers.rows();
                Some(InputColumns::named(&clusters.map(|cluster| format!("cluster_{cluster}")).collect::<Vec<_>>()))
            }

            fn inertia_rows(&self, x: Rows<'_>) -> Result<Option<f64>> {
                Ok(Some(inertia(&self.clusters.nearest(x)?.1, None)))
            }

            fn report(&self) -> FitReport {
                let report = FitReport::default().iterations(self.iterations(), self.converged());
                // Rows that came in batches have no sum of distances.
                let inertia = (!self.labels().is_empty()).then_some(self.inertia());
                report.with_number("inertia", inertia).with_matrix("centers", self.cluster_centers())
            }

            fn fitted_prediction(&self) -> Option<Prediction> {
                (!self.labels().is_empty()).then(|| Prediction::Clusters(self.clusters.labels.clone()))
            }
        }
    };
}

pub(super) use center_clusters;
