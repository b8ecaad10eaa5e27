//! Which rows are near: the k nearest of each query, and all within a radius. Exact, by fused distance kernels that
//! never store a distance for each pair.

pub(crate) mod index;
pub mod k_nearest;
#[doc(hidden)]
pub mod radius;
pub mod radius_neighbors;
pub mod select;

use super::distance::cosine::unit_rows;
use crate::array::DeviceMatrix;
use crate::device::{DeviceKind, Gpu, Stream, Variant};
use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::ops::pairs::Kept;

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

/// A tile kernel in the variant that suits a device, a metric and a number of queries.
#[derive(Debug, Clone)]
struct Tile {
    kernel: &'static Kernel,
    /// Whether a lane has its queries for itself, as in all variants but the portable one.
    owns_rows: bool,
    /// The override constants of the variant.
    constants: Vec<(&'static str, u32)>,
    /// Queries and candidates of one tile.
    rows: usize,
    columns: usize,
}

impl Tile {
    fn choose(gpu: &Gpu, queries: usize, measure: &Measure, [portable, subgroup]: [&'static Kernel; 2]) -> Tile {
        // As for pairs: few queries would leave half the lanes idle, and software keeps a smaller tile in its cache.
        let short = queries <= if gpu.info.kind == DeviceKind::Software { 16_384 } else { 128 };
        // Powers unrolled would be 100 KiB of code.
        if gpu.variant != Variant::Subgroup || measure.code == 4 {
            return Tile { kernel: portable, owns_rows: false, constants: vec![], rows: 128, columns: 128 };
        }
        let lanes = if short { 32 } else { 64 };
        let constants = vec![("TILE_LANES", lanes)];
        Tile { kernel: subgroup, owns_rows: true, constants, rows: 4 * lanes as usize, columns: 24 }
    }

    /// The variant that keeps its queries, of `vec4s` vec4 each, where the device has it.
    fn keeping(gpu: &Gpu, vec4s: usize, measure: &Measure, kernel: &'static Kernel) -> Option<Tile> {
        let kept = Kept::choose(gpu, vec4s).filter(|_| measure.code != 4)?;
        let [rows, columns] = kept.tile();
        Some(Tile { kernel, owns_rows: true, constants: kept.overrides().to_vec(), rows, columns })
    }

    fn overrides(&self, measure: &Measure) -> Vec<(&'static str, u32)> {
        self.constants.iter().copied().chain([("METRIC", measure.code)]).collect()
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
        return Err(Error::Shape {
            op,
            expected: format!("queries of {} columns", rows.columns()),
            got: queries.columns().to_string(),
        });
    }
    for operand in [queries, rows] {
        operand.on(stream, op)?;
        operand.refuse_missing()?;
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
