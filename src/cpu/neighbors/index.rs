//! The way to the neighbours that suits the rows: all pairs, boxes, or principal coordinates.

use super::k_nearest::{SearchRows, k_nearest};
use super::kd_tree::KdTree;
use super::principal::Principal;
use super::radius_neighbors::{Neighborhoods, radius_neighbors};
use crate::cpu::tile::PANEL_DEPTH;
use crate::distance::Metric;

/// Fewer rows than this are best looked at one by one.
const FEW_ROWS: usize = 2048;
/// The widest rows for which a tree is tried, and the largest share of its leaves that it may visit.
const TREE_COLUMNS: usize = 32;
const TREE_SHARE: f64 = 0.16;
/// The narrowest rows for which principal coordinates are tried: they need 16 numbers themselves.
const PRINCIPAL_COLUMNS: usize = 48;
/// One in this many rows is the most that a tree or principal coordinates find faster than all pairs do.
const MANY_NEIGHBOURS: usize = 64;

/// A choice of path for some rows, with what it keeps of them. Every path gives the same bits.
pub enum Index {
    /// All pairs.
    Plain,
    /// Boxes around groups of rows.
    Tree(KdTree),
    /// Leading principal coordinates.
    Principal(Principal),
}

impl Index {
    /// The path for the rows, `m×d`, found by trying it on a sample of them.
    ///
    /// A tree holds a copy of the rows and costs about as much to build as 500 queries by all pairs; principal
    /// coordinates hold up to 130 numbers per row and cost as much as 350.
    ///
    /// ```
    /// use gristmill::cpu::neighbors::{Index, SearchRows};
    /// use gristmill::Metric;
    /// let rows = [0.0, 1.0, 3.0];
    /// let index = Index::choose(Metric::Euclidean, &rows, 3, 1);
    /// let (mut indices, mut distances) = ([0; 2], [0.0; 2]);
    /// let search = SearchRows::new(&[2.5], 1, &rows, 3, 1);
    /// index.k_nearest(Metric::Euclidean, search, 2, &mut indices, &mut distances);
    /// assert_eq!((indices, distances), ([2, 1], [0.5, 1.5]));
    /// ```
    pub fn choose(metric: Metric, rows: &[f32], m: usize, d: usize) -> Index {
        debug_assert_eq!(rows.len(), m * d);
        if m < FEW_ROWS || d == 0 || metric == Metric::Cosine {
            return Index::Plain;
        }
        if d <= TREE_COLUMNS {
            let tree = KdTree::build(metric, rows, m, d);
            return if tree.share_visited(rows) <= TREE_SHARE { Index::Tree(tree) } else { Index::Plain };
        }
        let euclidean = matches!(metric, Metric::Euclidean | Metric::Minkowski(2.0));
        if euclidean && (PRINCIPAL_COLUMNS..=PANEL_DEPTH).contains(&d) {
            return Principal::build(rows, m, d).map_or(Index::Plain, Index::Principal);
        }
        Index::Plain
    }

    /// [`k_nearest`] for the rows and the metric that the index was chosen for.
    pub fn k_nearest(
        &self,
        metric: Metric,
        search: SearchRows<'_>,
        k: usize,
        indices: &mut [u32],
        distances: &mut [f32],
    ) {
        let few = k <= search.m / MANY_NEIGHBOURS;
        match self {
            Index::Tree(tree) if few => tree.k_nearest(search.queries, k, indices, distances),
            Index::Principal(principal) if few => principal.k_nearest(search, k, indices, distances),
            _ => k_nearest(metric, search, k, indices, distances),
        }
    }

    /// [`radius_neighbors`] for the rows and the metric that the index was chosen for.
    pub fn radius_neighbors(&self, metric: Metric, search: SearchRows<'_>, radius: f32) -> Neighborhoods {
        match self {
            Index::Tree(tree) => tree.radius_neighbors(search.queries, radius),
            _ => radius_neighbors(metric, search, radius),
        }
    }
}
