//! What growing trees takes.

use crate::cost::Cost;
use crate::estimator::FitShape;

/// Operations of a tile in the time in which a row is added to the histograms of one column, in one level: 100 trees of
/// depth 12 on 100k×28 take 2.1 s where a product runs at 157 GFLOP/s.
const PER_VALUE: f64 = 500.0;
/// Bytes that a node gets and gives back: its entries in tables of pieces, partitions and searches, and its split.
const NODE_BYTES: f64 = 300.0;
/// Bytes of a row of a tree: its place in the order, there and once back, and what it adds to a cell.
const ROW_BYTES: f64 = 16.0;
/// A GPU counts nodes of more rows than this.
const LARGE_NODE: f64 = 1024.0;
/// Trees of a forest that a GPU grows together.
const TOGETHER: f64 = 100.0;
const KERNELS: f64 = 10.0;

/// The levels of a tree without a limit: some more than a balanced one has.
fn levels(rows: usize, max_depth: Option<usize>) -> f64 {
    let full = (rows.max(2) as f64).log2() + 3.0;
    max_depth.map_or(full, |depth| full.min(depth as f64))
}

/// What it takes to grow so many trees of which each split considers `drawn` columns. A GPU counts all of them; the order of
/// the rows comes back once, when all that is left is small, and the CPU goes on from there.
pub(crate) fn growing(shape: &FitShape, trees: usize, drawn: usize, max_depth: Option<usize>) -> Cost {
    let (n, d, trees) = (shape.rows as f64, shape.columns as f64, trees as f64);
    let levels = levels(shape.rows, max_depth);
    let of_level = PER_VALUE * trees * n * d;
    let counted_levels = levels.min((n / LARGE_NODE).max(1.0).log2() + 1.0);
    let (operations, considered) = (of_level * counted_levels, drawn as f64 / d.max(1.0));
    let nodes = (2.0 * n / LARGE_NODE).min(levels.exp2());
    let moved_bytes = n * d + trees * (nodes * NODE_BYTES + ROW_BYTES * n);
    Cost {
        operations,
        spared_operations: operations * (1.0 - considered),
        host_operations: of_level * (levels - counted_levels) * considered,
        host_bytes: 4.0 * trees * n * levels,
        moved_bytes,
        syncs: 3.0 * counted_levels * (trees / TOGETHER).ceil(),
        kernels: KERNELS,
        ..Cost::default()
    }
}
