//! Nearest rows in low dimension: boxes around small groups of rows prove most of them too far away.

use rayon::prelude::*;

use super::directions::sample_rows;
use super::k_nearest::write;
use super::kd_query::{Boxes, Counted, Home, Keep, Power, Scratch, Tree, UpTo, Walk};
use super::measure::{common, largest_value};
use super::radius_neighbors::Neighborhoods;
use super::top_k::TopK;
use crate::cpu::simd::arch;
use crate::cpu::tile::{
    AbsoluteDifference, Accumulate, LargestDifference, Operand, SquaredDifference, pack_panels, panel_width,
};
use crate::distance::Metric;

/// Rows in a leaf.
pub(super) const LEAF: usize = 64;
/// The widest rows: their sums must not be cut into pieces.
pub(super) const WIDEST: usize = 256;
/// Rows whose extent chooses the column to split.
const SAMPLE: usize = 128;
/// Leaves below which a subtree is one task, and queries in a task.
const TASK: usize = 64;
/// Rows that try the tree out as queries, and the neighbours that they want.
const TRIAL: usize = 64;
const TRIAL_NEIGHBOURS: usize = 11;
/// Queries looked at together, so that those near each other can follow one another.
const QUERIES: usize = 1 << 14;

/// The rows in boxes: leaves of 64 rows, and groups of leaves.
///
/// Any metric but the cosine. Holds a copy of the rows and little more. A pair is left out only if the box around
/// its row has a larger value than the k-th neighbour's: the same steps on smaller differences, so that even the
/// rounded value of the pair is no smaller. The result has the bits of [`k_nearest`](super::k_nearest::k_nearest).
pub struct KdTree {
    metric: Metric,
    tree: Tree,
}

impl KdTree {
    /// A tree of the rows, `m×d` with `m ≥ 1` and `1 ≤ d ≤ 256`. Costs about `m·log m` steps.
    pub fn build(metric: Metric, rows: &[f32], m: usize, d: usize) -> KdTree {
        debug_assert!(rows.len() == m * d && m >= 1 && (1..=WIDEST).contains(&d) && metric != Metric::Cosine);
        let width = panel_width();
        let group = width.max(16);
        let mut order: Vec<u32> = (0..m as u32).collect();
        Splitter { rows, d, group }.split(&mut order);
        let mut points = vec![0.0; m.div_ceil(LEAF) * LEAF.next_multiple_of(width) * d];
        let size = LEAF.next_multiple_of(width) * d;
        let extents: Vec<(Vec<f32>, Vec<f32>)> = order
            .par_chunks(LEAF)
            .zip(points.par_chunks_mut(size))
            .map(|(order, points)| {
                let rows: Vec<f32> = order.iter().flat_map(|&row| row_of(rows, d, row)).copied().collect();
                let panels = &mut points[..order.len().next_multiple_of(width) * d];
                pack_panels(Operand::from_rows(&rows, order.len(), d), panels);
                extent(rows.chunks_exact(d), d)
            })
            .collect();
        let groups: Vec<(Vec<f32>, Vec<f32>)> = extents
            .chunks(group)
            .map(|leaves| {
                let ends = leaves.iter().flat_map(|(low, high)| [low.as_slice(), high.as_slice()]);
                extent(ends, d)
            })
            .collect();
        let (leaves, groups) = (Boxes::new(&extents, d, width, group), Boxes::new(&groups, d, width, group));
        KdTree { metric: common(metric), tree: Tree { d, group, order, points, leaves, groups } }
    }

    /// [`k_nearest`](super::k_nearest::k_nearest) for the rows that the tree was built from.
    pub fn k_nearest(&self, queries: &[f32], k: usize, indices: &mut [u32], distances: &mut [f32]) {
        let d = self.tree.d;
        debug_assert!((1..=self.tree.order.len()).contains(&k) && indices.len() == queries.len() / d * k);
        let outputs = indices.chunks_mut(QUERIES * k).zip(distances.chunks_mut(QUERIES * k));
        for (queries, (indices, distances)) in queries.chunks(QUERIES * d).zip(outputs) {
            let found = self.each(queries, || TopK::new(k));
            let outputs = indices.par_chunks_mut(k).zip(distances.par_chunks_mut(k));
            found.into_par_iter().zip(outputs).with_min_len(64).for_each(|(list, (indices, distances))| {
                write(self.metric, list, indices, distances);
            });
        }
    }

    /// [`radius_neighbors`](super::radius_neighbors::radius_neighbors) for the rows that the tree was built from.
    pub fn radius_neighbors(&self, queries: &[f32], radius: f32) -> Neighborhoods {
        let largest = largest_value(self.metric, radius);
        let found = self.each(queries, || UpTo { largest, found: Vec::new() });
        let in_order = |UpTo { mut found, .. }: UpTo| {
            found.sort_unstable_by_key(|&(row, _)| row);
            found
        };
        Neighborhoods::from_values(self.metric, found.into_par_iter().map(in_order).collect())
    }

    /// The share of all leaves that some of the rows visit to find ten neighbours; `rows` as in [`KdTree::build`].
    pub(super) fn share_visited(&self, rows: &[f32]) -> f64 {
        let (d, m) = (self.tree.d, self.tree.order.len());
        let sample = sample_rows(rows, m, d, TRIAL);
        let tried = self.each(&sample, || Counted { list: TopK::new(TRIAL_NEIGHBOURS.min(m)), leaves: 0 });
        let visited: usize = tried.iter().map(|counted| counted.leaves).sum();
        visited as f64 / (tried.len() * m.div_ceil(LEAF)) as f64
    }

    /// What each query keeps, by the metric's step.
    fn each<Kept: Keep + Send>(&self, queries: &[f32], make: impl Fn() -> Kept + Sync) -> Vec<Kept> {
        match self.metric {
            Metric::Manhattan => self.each_by(AbsoluteDifference, None, queries, make),
            Metric::Chebyshev => self.each_by(LargestDifference, None, queries, make),
            Metric::Minkowski(p) => self.each_by(SquaredDifference, Some(power(p, self.tree.d)), queries, make),
            Metric::Euclidean | Metric::Cosine => self.each_by(SquaredDifference, None, queries, make),
        }
    }

    fn each_by<Step: Accumulate, Kept: Keep + Send>(
        &self,
        step: Step,
        power: Option<Power>,
        queries: &[f32],
        make: impl Fn() -> Kept + Sync,
    ) -> Vec<Kept> {
        let (tree, d) = (&self.tree, self.tree.d);
        let mut order: Vec<(u32, u32)> = (0..(queries.len() / d) as u32).map(|query| (0, query)).collect();
        order.par_chunks_mut(TASK).for_each(|order| {
            let scratch = &mut Scratch::default();
            for (home, query) in order {
                let query = row_of(queries, d, *query);
                *home = arch().dispatch(Home { tree, step, query, scratch: &mut *scratch });
            }
        });
        // Queries of one group follow each other: they meet the same rows while these are in the cache.
        order.sort_unstable();
        let task = |order: &[(u32, u32)]| -> Vec<(u32, Kept)> {
            let scratch = &mut Scratch::default();
            let one = |&(_, index): &(u32, u32)| {
                let mut kept = make();
                let query = row_of(queries, d, index);
                arch().dispatch(Walk { tree, step, power, query, kept: &mut kept, scratch: &mut *scratch });
                (index, kept)
            };
            order.iter().map(one).collect()
        };
        let mut found: Vec<(u32, Kept)> = order.par_chunks(TASK).flat_map_iter(task).collect();
        found.sort_unstable_by_key(|&(index, _)| index);
        found.into_iter().map(|(_, kept)| kept).collect()
    }
}

/// How Euclidean values bound those of order `p`: `|v|₂ ≤ |v|_p` up to order 2, and `|v|₂ ≤ d^(1/2 − 1/p)·|v|_p` above.
///
/// The computed value of order p is within `(d/p + 16)·2⁻²⁴` of exact, the Euclidean one closer; both together are well
/// inside the share that is added.
fn power(p: f32, d: usize) -> Power {
    let exponent = (0.5 - 1.0 / f64::from(p)).max(0.0);
    Power { p, stretch: (d as f64).powf(exponent) * (1.0 + (d + 64) as f64 / 4_194_304.0) }
}

fn row_of(rows: &[f32], d: usize, row: u32) -> &[f32] {
    &rows[row as usize * d..(row as usize + 1) * d]
}

/// The smallest and the largest number of every column.
fn extent<'a>(rows: impl Iterator<Item = &'a [f32]>, d: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut low, mut high) = (vec![f32::INFINITY; d], vec![f32::NEG_INFINITY; d]);
    for row in rows {
        low.iter_mut().zip(row).for_each(|(low, &value)| *low = low.min(value));
        high.iter_mut().zip(row).for_each(|(high, &value)| *high = high.max(value));
    }
    (low, high)
}

/// Puts rows that are near each other side by side.
struct Splitter<'a> {
    rows: &'a [f32],
    d: usize,
    /// Leaves in a group.
    group: usize,
}

impl Splitter<'_> {
    /// Splits the rows at the middle of their widest column until leaves are left; all but the last are full.
    fn split(&self, order: &mut [u32]) {
        let leaves = order.len().div_ceil(LEAF);
        if leaves <= 1 {
            return;
        }
        // Groups of leaves should be subtrees, so larger parts are cut between groups.
        let half = leaves / 2;
        let left = if leaves <= self.group { half } else { half.next_multiple_of(self.group).min(leaves - 1) };
        let column = self.widest(order);
        let value = |row: u32| self.rows[row as usize * self.d + column];
        order.select_nth_unstable_by(left * LEAF, |&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let (before, after) = order.split_at_mut(left * LEAF);
        if leaves > TASK {
            rayon::join(|| self.split(before), || self.split(after));
        } else {
            self.split(before);
            self.split(after);
        }
    }

    /// The column along which a sample of the rows reaches farthest.
    fn widest(&self, order: &[u32]) -> usize {
        let step = order.len().div_ceil(SAMPLE);
        let (low, high) = extent(order.iter().step_by(step).map(|&row| row_of(self.rows, self.d, row)), self.d);
        let widths = low.iter().zip(&high).map(|(low, high)| high - low);
        widths.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(column, _)| column)
    }
}
