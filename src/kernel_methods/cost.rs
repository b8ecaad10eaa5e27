//! What the fits of kernel models take, for the choice of a device.

use crate::cost::Cost;
use crate::estimator::FitShape;

/// Operations that a value of a kernel takes beside those of its sum over the columns.
const FOR_A_VALUE: f64 = 16.0;
/// Operations of a product on the host in the time of streaming a byte.
const OPERATIONS_A_BYTE: f64 = 8.0;

/// Operations for the kernel of so many pairs of rows of d columns, and for its product with p columns.
pub(super) fn pairs(pairs: f64, d: f64, p: f64) -> f64 {
    pairs * (2.0 * (d + p) + FOR_A_VALUE)
}

/// Work of the host, wherever the rest runs, as the bytes that it could stream in the same time.
pub(super) fn on_host(operations: f64) -> f64 {
    operations / OPERATIONS_A_BYTE
}

/// The rows that go to a device, and the predictions that come after the fit from so many rows in the model.
pub(super) fn around(shape: &FitShape, in_model: usize) -> Cost {
    let queries = shape.queries as f64;
    let predicted = pairs(queries * in_model as f64, shape.columns as f64, shape.outputs as f64);
    let uploaded = Cost::uploading(shape.rows + shape.queries, shape.columns);
    Cost { operations: predicted, kernels: 4.0, ..uploaded }
}

/// A kernel matrix of all rows that the host then works on with so many operations.
pub(super) fn whole_matrix(shape: &FitShape, host_operations: f64) -> Cost {
    let (n, d) = (shape.rows as f64, shape.columns as f64);
    // Half of it is made, all of it comes back.
    let made = Cost {
        operations: pairs(n * n / 2.0, d, 0.0),
        moved_bytes: 4.0 * n * n,
        host_bytes: on_host(host_operations),
        syncs: 4.0,
        ..Cost::default()
    };
    made + around(shape, shape.rows)
}
