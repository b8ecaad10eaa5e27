//! One query's way through the boxes of a tree: groups, leaves, rows, each evaluated a vector at a time.

use pulp::{Simd, WithSimd};

use super::kd_tree::LEAF;
use super::top_k::TopK;
use crate::cpu::distance::minkowski::row_to_panels;
use crate::cpu::tile::Accumulate;

/// Vectors side by side in a panel, as the tile core packs them.
const VECTORS: usize = 2;
/// The largest group of leaves: a panel on a processor with vectors of 16 numbers.
const GROUP: usize = 32;

/// Boxes in panels: for each column the lower ends of some boxes side by side, and the same of the upper ends.
pub(super) struct Boxes {
    low: Vec<f32>,
    high: Vec<f32>,
    /// The number of boxes with their padding, which is infinitely far away.
    padded: usize,
}

impl Boxes {
    /// Packs boxes given by the ends of their columns, a whole number of groups of `group`.
    pub(super) fn new(extents: &[(Vec<f32>, Vec<f32>)], d: usize, width: usize, group: usize) -> Self {
        let padded = extents.len().next_multiple_of(group);
        let (mut low, mut high) = (vec![f32::INFINITY; padded * d], vec![f32::NEG_INFINITY; padded * d]);
        for (index, (lower, upper)) in extents.iter().enumerate() {
            let first = index / width * width * d + index % width;
            for column in 0..d {
                low[first + column * width] = lower[column];
                high[first + column * width] = upper[column];
            }
        }
        Self { low, high, padded }
    }
}

/// Rows in boxes.
pub(super) struct Tree {
    pub(super) d: usize,
    /// Leaves in a group.
    pub(super) group: usize,
    /// The index of every row, leaf by leaf.
    pub(super) order: Vec<u32>,
    /// The rows in panels, every leaf of the same size.
    pub(super) points: Vec<f32>,
    pub(super) leaves: Boxes,
    pub(super) groups: Boxes,
}

/// What a query wants of the rows that it meets.
pub(super) trait Keep {
    /// Larger values are not wanted.
    fn reach(&self) -> f32;
    /// Takes a row if it is wanted.
    fn offer(&mut self, value: f32, row: u32);
    /// The rows of a leaf come next.
    #[inline(always)]
    fn enter_leaf(&mut self) {}
}

impl Keep for TopK {
    #[inline(always)]
    fn reach(&self) -> f32 {
        self.bound()
    }

    #[inline(always)]
    fn offer(&mut self, value: f32, row: u32) {
        TopK::offer(self, value, row);
    }
}

/// The nearest rows, and how many leaves were visited to find them.
pub(super) struct Counted {
    pub(super) list: TopK,
    pub(super) leaves: usize,
}

impl Keep for Counted {
    #[inline(always)]
    fn reach(&self) -> f32 {
        self.list.bound()
    }

    #[inline(always)]
    fn offer(&mut self, value: f32, row: u32) {
        self.list.offer(value, row);
    }

    #[inline(always)]
    fn enter_leaf(&mut self) {
        self.leaves += 1;
    }
}

/// All rows up to a value.
pub(super) struct UpTo {
    pub(super) largest: f32,
    pub(super) found: Vec<(u32, f32)>,
}

impl Keep for UpTo {
    #[inline(always)]
    fn reach(&self) -> f32 {
        self.largest
    }

    #[inline(always)]
    fn offer(&mut self, value: f32, row: u32) {
        self.found.push((row, value));
    }
}

/// Memory that queries hand on.
#[derive(Default)]
pub(super) struct Scratch {
    values: Vec<f32>,
    pending: Vec<(f32, u32)>,
}

/// How the values of rows follow from those of boxes.
#[derive(Clone, Copy)]
pub(super) struct Power {
    /// The order of a Minkowski metric that has no step of its own; its boxes have squared Euclidean values.
    pub(super) p: f32,
    /// No distance of this order is smaller than the Euclidean one over `stretch`.
    pub(super) stretch: f64,
}

/// The group whose box is nearest to the query.
pub(super) struct Home<'a, Step> {
    pub(super) tree: &'a Tree,
    pub(super) step: Step,
    pub(super) query: &'a [f32],
    pub(super) scratch: &'a mut Scratch,
}

impl<Step: Accumulate> WithSimd for Home<'_, Step> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u32 {
        self.scratch.values.resize(self.tree.groups.padded, 0.0);
        box_values(simd, self.step, self.query, &self.tree.groups, 0, &mut self.scratch.values);
        smallest(&self.scratch.values)
    }
}

/// One query through the tree.
pub(super) struct Walk<'a, Step, Kept> {
    pub(super) tree: &'a Tree,
    pub(super) step: Step,
    pub(super) power: Option<Power>,
    pub(super) query: &'a [f32],
    pub(super) kept: &'a mut Kept,
    pub(super) scratch: &'a mut Scratch,
}

impl<Step: Accumulate, Kept: Keep> WithSimd for Walk<'_, Step, Kept> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut values = std::mem::take(&mut self.scratch.values);
        let mut pending = std::mem::take(&mut self.scratch.pending);
        values.resize(self.tree.groups.padded, 0.0);
        box_values(simd, self.step, self.query, &self.tree.groups, 0, &mut values);
        // The nearest group first: what it holds leaves out most of the others.
        let home = smallest(&values);
        self.group(simd, home);
        let reach = self.box_reach();
        pending.clear();
        let groups = self.tree.order.len().div_ceil(LEAF * self.tree.group) as u32;
        let others = values.iter().zip(0..groups).filter(|&(&value, group)| value <= reach && group != home);
        pending.extend(others.map(|(&value, group)| (value, group)));
        pending.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for &(value, group) in &pending {
            if value > self.box_reach() {
                break;
            }
            self.group(simd, group);
        }
        (self.scratch.values, self.scratch.pending) = (values, pending);
    }
}

impl<Step: Accumulate, Kept: Keep> Walk<'_, Step, Kept> {
    /// The largest value of a box that may hold a wanted row.
    #[inline(always)]
    fn box_reach(&self) -> f32 {
        let reach = self.kept.reach();
        match self.power {
            None => reach,
            Some(power) => {
                let euclidean = f64::from(reach) * power.stretch;
                ((euclidean * euclidean) as f32).next_up()
            }
        }
    }

    /// The leaves of a group, the nearest first.
    #[inline(always)]
    fn group<S: Simd>(&mut self, simd: S, group: u32) {
        let first = group as usize * self.tree.group;
        let mut values = [0.0_f32; GROUP];
        let values = &mut values[..self.tree.group];
        box_values(simd, self.step, self.query, &self.tree.leaves, first, values);
        let reach = self.box_reach();
        let mut near = [(0.0_f32, 0_usize); GROUP];
        let mut count = 0;
        let leaves = self.tree.order.len().div_ceil(LEAF);
        for (leaf, &value) in (first..leaves).zip(&*values) {
            if value <= reach {
                let place = near[..count].iter().rposition(|other| other.0 <= value).map_or(0, |place| place + 1);
                near.copy_within(place..count, place + 1);
                near[place] = (value, leaf);
                count += 1;
            }
        }
        for &(value, leaf) in &near[..count] {
            if value > self.box_reach() {
                break;
            }
            self.leaf(simd, leaf);
        }
    }

    /// The rows of a leaf.
    #[inline(always)]
    fn leaf<S: Simd>(&mut self, simd: S, leaf: usize) {
        self.kept.enter_leaf();
        let width = VECTORS * S::F32_LANES;
        let order = &self.tree.order[leaf * LEAF..self.tree.order.len().min((leaf + 1) * LEAF)];
        let size = LEAF.next_multiple_of(width) * self.tree.d;
        let panels = &self.tree.points[leaf * size..(leaf + 1) * size];
        let mut values = [0.0_f32; LEAF];
        match self.power {
            Some(power) => row_to_panels(power.p, self.query, panels, &mut values[..order.len()]),
            None => {
                let panels = panels.chunks_exact(width * self.tree.d);
                for (values, panel) in S::as_mut_simd_f32s(&mut values).0.chunks_exact_mut(VECTORS).zip(panels) {
                    let (panel, _) = S::as_simd_f32s(panel).0.as_chunks::<VECTORS>();
                    values.copy_from_slice(&row_values(simd, self.step, self.query, panel));
                }
            }
        }
        // Padding takes part in the first look, which it can only make longer, and not in the second.
        for (vectors, start) in S::as_simd_f32s(&values).0.chunks_exact(VECTORS).zip((0..order.len()).step_by(width)) {
            if simd.reduce_min_f32s(simd.min_f32s(vectors[0], vectors[1])) <= self.kept.reach() {
                for (&row, &value) in order[start..].iter().zip(&values[start..]).take(width) {
                    if value <= self.kept.reach() {
                        self.kept.offer(value, row);
                    }
                }
            }
        }
    }
}

/// What the tile core sums for a row and those of a panel.
#[inline(always)]
fn row_values<S: Simd, Step: Accumulate>(
    simd: S,
    step: Step,
    row: &[f32],
    panel: &[[S::f32s; VECTORS]],
) -> [S::f32s; VECTORS] {
    let mut sums = [simd.splat_f32s(0.0); VECTORS];
    for (&a, b) in row.iter().zip(panel) {
        let a = simd.splat_f32s(a);
        for (sum, &b) in sums.iter_mut().zip(b) {
            *sum = step.accumulate(simd, *sum, a, b);
        }
    }
    sums.map(|sum| step.finish(simd, sum))
}

/// The values of the boxes from `first` on: of the query and the point of each box that is nearest to it.
///
/// The difference in a column is rounded as that of any row in the box and no larger, and every step of a value is
/// monotone, so no row in the box has a smaller value, rounding and all.
#[inline(always)]
fn box_values<S: Simd, Step: Accumulate>(
    simd: S,
    step: Step,
    query: &[f32],
    boxes: &Boxes,
    first: usize,
    out: &mut [f32],
) {
    let width = VECTORS * S::F32_LANES;
    let size = width * query.len();
    let range = first * query.len()..(first + out.len()) * query.len();
    let panels = boxes.low[range.clone()].chunks_exact(size).zip(boxes.high[range].chunks_exact(size));
    let zero = simd.splat_f32s(0.0);
    for (out, (low, high)) in out.chunks_exact_mut(width).zip(panels) {
        let (low, _) = S::as_simd_f32s(low).0.as_chunks::<VECTORS>();
        let (high, _) = S::as_simd_f32s(high).0.as_chunks::<VECTORS>();
        let mut sums = [zero; VECTORS];
        for ((&value, low), high) in query.iter().zip(low).zip(high) {
            let value = simd.splat_f32s(value);
            for ((sum, &low), &high) in sums.iter_mut().zip(low).zip(high) {
                let outside = simd.max_f32s(simd.sub_f32s(low, value), simd.sub_f32s(value, high));
                *sum = step.accumulate(simd, *sum, simd.max_f32s(outside, zero), zero);
            }
        }
        for (part, &sum) in out.chunks_exact_mut(S::F32_LANES).zip(&sums) {
            simd.partial_store_f32s(part, step.finish(simd, sum));
        }
    }
}

/// The place of the smallest value, the first of several.
#[inline(always)]
fn smallest(values: &[f32]) -> u32 {
    let mut best = (0, f32::INFINITY);
    for (&value, place) in values.iter().zip(0..) {
        best = if value < best.1 { (place, value) } else { best };
    }
    best.0
}
