//! Which rows are near: the k nearest of each query, and all within a radius. Exact, by fused distance kernels that
//! never store a distance for each pair.

#[doc(hidden)]
pub mod by_product;
pub(crate) mod index;
pub mod k_nearest;
#[doc(hidden)]
pub mod radius;
pub mod radius_neighbors;
pub mod select;

use super::distance::pairwise::unit_rows;
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::distance::Metric;
use crate::error::{Error, Result};

/// A metric as the shaders of `lib/metric.wgsl` know it.
#[derive(Debug, Clone, Copy)]
struct Measure {
    /// `METRIC`.
    code: u32,
    /// The order of a Minkowski distance, else 1.
    order: f32,
    /// Operations for one step of one pair.
    step_operations: u64,
}

impl Measure {
    fn of(metric: Metric) -> Measure {
        let (code, order, step_operations) = match metric {
            Metric::Euclidean => (0, 1.0, 3),
            Metric::Manhattan => (1, 1.0, 3),
            Metric::Chebyshev => (2, 1.0, 3),
            Metric::Cosine => (3, 1.0, 2),
            Metric::Minkowski(order) => (4, order, 40),
        };
        Measure { code, order, step_operations }
    }
}

/// Refuses what no search can work with, and returns the metric by its simple name.
fn checked(
    stream: &Stream,
    op: &'static str,
    (queries, rows): (&DeviceMatrix, &DeviceMatrix),
    metric: Metric,
) -> Result<Metric> {
    if queries.columns() != rows.columns() {
        return Err(Error::shape(op, format!("queries of {} columns", rows.columns()), queries.columns()));
    }
    for operand in [queries, rows] {
        operand.complete_on(stream, op)?;
    }
    metric.checked()
}

/// Unit rows for the cosine distance on a GPU; other metrics take the rows as they are.
fn unit_operands(
    stream: &mut Stream,
    metric: Metric,
    (queries, rows): (&DeviceMatrix, &DeviceMatrix),
) -> Result<Option<(DeviceMatrix, DeviceMatrix)>> {
    if metric != Metric::Cosine || stream.gpu().is_none() {
        return Ok(None);
    }
    Ok(Some((unit_rows(stream, queries)?, unit_rows(stream, rows)?)))
}
