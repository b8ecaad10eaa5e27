//! What growing trees takes.

use super::grow::rows_without_histogram;
use crate::cost::Cost;
use crate::estimator::FitShape;

/// Operations of a tile in the time in which a row is added to the histogram of one column, in one level. 100 trees of depth 12
/// on 100k×28 take 0.59 s on two cores: 235 where a product of theirs runs with AVX2 (239 GFLOP/s), 470 with AVX-512 (480); the
/// middle of the two.
const PER_VALUE: f64 = 330.0;
/// Bytes of an order that are read and written for a row, in one level.
const PLACE_BYTES: f64 = 8.0;
/// Bytes of a tree's row that the host looks at before a device begins: what it draws, and its target.
const BEGIN_BYTES: f64 = 12.0;
/// Bytes that a node gets and gives back, beside two for each feature that it draws: its search, its partition, its split.
const NODE_BYTES: f64 = 100.0;
const FEATURE_BYTES: f64 = 2.0;
/// Bytes of a row: its target and weight, once.
const ROW_BYTES: f64 = 12.0;
/// Trees of a forest that a GPU grows together.
const TOGETHER: f64 = 100.0;
/// Kernels of trees, and those of histograms.
const KERNELS: f64 = 8.0;
const HISTOGRAM_KERNELS: f64 = 3.0;

/// The levels of a tree without a limit: some more than a balanced one has.
fn levels(rows: usize, max_depth: Option<usize>) -> f64 {
    let full = (rows.max(2) as f64).log2() + 3.0;
    max_depth.map_or(full, |depth| full.min(depth as f64))
}

/// What it takes to grow so many trees of which each split considers `drawn` columns, the best leaf first or all of a level. None
/// of the columns is taken to be categorical.
pub(crate) fn growing(
    shape: &FitShape,
    trees: usize,
    drawn: usize,
    (max_depth, best_first): (Option<usize>, bool),
) -> Cost {
    let levels = levels(shape.rows, max_depth);
    // Larger nodes are counted in all columns.
    let small = rows_without_histogram(2 * drawn <= shape.columns, trees * drawn) as f64;
    let (n, d, trees, drawn) = (shape.rows as f64, shape.columns as f64, trees as f64, drawn as f64);
    let large_levels = match n > small {
        _ if best_first => levels,
        true => levels.min((n / small).log2() + 1.0),
        false => 0.0,
    };
    let has_histograms = large_levels > 0.0;
    let operations = PER_VALUE * trees * n * (d * large_levels + drawn * (levels - large_levels));
    let nodes = (2.0 * n).min(levels.exp2());
    Cost {
        operations,
        spared_operations: operations - PER_VALUE * trees * n * drawn * levels,
        streamed_bytes: PLACE_BYTES * trees * n * levels,
        host_bytes: BEGIN_BYTES * trees * n,
        moved_bytes: n * (d + ROW_BYTES) + trees * nodes * (NODE_BYTES + FEATURE_BYTES * drawn),
        syncs: (levels + 1.0) * (trees / TOGETHER).ceil(),
        kernels: if has_histograms { KERNELS + HISTOGRAM_KERNELS } else { KERNELS },
    }
}
