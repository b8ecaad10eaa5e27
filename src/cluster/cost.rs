//! What k-means takes.

use crate::cost::Cost;
use crate::estimator::FitShape;

/// Of the operations of an iteration, what bounds on the distances save the CPU (500k×32, k = 64).
const SPARED: f64 = 0.3;
/// Kernels of a search.
const KERNELS: f64 = 11.0;
/// Iterations that the host looks at together.
const LOOK: f64 = 8.0;

/// The nearest of k centres for each of n×d rows from the host.
pub(super) fn assigning(rows: usize, columns: usize, clusters: usize) -> Cost {
    let operations = 3.0 * rows as f64 * columns as f64 * clusters as f64;
    Cost { operations, kernels: 1.0, ..Cost::uploading(rows, columns) }
}

/// So many iterations over all rows, and the prediction of the queries.
pub(super) fn iterating(shape: &FitShape, clusters: usize, iterations: f64) -> Cost {
    let pass = assigning(shape.rows, shape.columns, clusters);
    let operations = pass.operations * iterations;
    let iterations = Cost {
        operations,
        spared_operations: SPARED * operations,
        streamed_bytes: 2.0 * pass.moved_bytes * iterations,
        syncs: iterations / LOOK + 4.0,
        kernels: KERNELS,
        ..pass
    };
    iterations + assigning(shape.queries, shape.columns, clusters)
}

/// A start by k-means++: for each centre a few candidates, and a pass over the rows.
pub(super) fn seeding(shape: &FitShape, clusters: usize) -> Cost {
    let (values, clusters) = (shape.rows as f64 * shape.columns as f64, clusters as f64);
    let candidates = 2.0 + clusters.ln();
    Cost {
        operations: 3.0 * values * clusters * candidates,
        streamed_bytes: 4.0 * values * clusters,
        syncs: 8.0,
        ..Cost::default()
    }
}
