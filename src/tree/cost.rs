//! What growing trees takes.

use crate::cost::Cost;
use crate::estimator::FitShape;

/// Operations of a tile in the time in which a row is added to the histograms of one column, in one level: 100 trees of
/// depth 12 on 100k×28 take 2.1 s where a product runs at 157 GFLOP/s.
const PER_VALUE: f64 = 500.0;
/// Bytes that a node gets and gives back: its entries in tables of pieces, partitions and searches, and its split.
const NODE_BYTES: f64 = 300.0;
/// Bytes of a row: its target and weight, once; and its place in the order, which trees of numbers send back.
const ROW_BYTES: f64 = 12.0;
const PLACE_BYTES: f64 = 4.0;
/// A GPU counts nodes of more rows than this in all columns, others in those that they drew.
const LARGE_NODE: f64 = 1024.0;
/// Trees of a forest that a GPU grows together.
const TOGETHER: f64 = 100.0;
const KERNELS: f64 = 13.0;

/// The levels of a tree without a limit: some more than a balanced one has.
fn levels(rows: usize, max_depth: Option<usize>) -> f64 {
    let full = (rows.max(2) as f64).log2() + 3.0;
    max_depth.map_or(full, |depth| full.min(depth as f64))
}

/// What it takes to grow so many trees of which each split considers `drawn` columns.
pub(crate) fn growing(shape: &FitShape, trees: usize, drawn: usize, max_depth: Option<usize>) -> Cost {
    let (n, d, trees) = (shape.rows as f64, shape.columns as f64, trees as f64);
    let levels = levels(shape.rows, max_depth);
    let large_levels = levels.min((n / LARGE_NODE).max(1.0).log2() + 1.0);
    let counted_columns = d * large_levels + drawn as f64 * (levels - large_levels);
    let operations = PER_VALUE * trees * n * counted_columns;
    let nodes = (2.0 * n).min(levels.exp2());
    Cost {
        operations,
        spared_operations: operations - PER_VALUE * trees * n * drawn as f64 * levels,
        host_bytes: 4.0 * trees * n * levels,
        moved_bytes: n * (d + ROW_BYTES) + trees * (nodes * NODE_BYTES + PLACE_BYTES * n),
        syncs: 2.0 * levels * (trees / TOGETHER).ceil(),
        kernels: KERNELS,
        ..Cost::default()
    }
}
