//! Lloyd's assignment with bounds: most rows of settled clusters need no distance at all.
//!
//! Each row keeps an upper bound on the distance to its own centre and, for each group of centres, a lower bound on the
//! distance to the others in it (Yinyang k-means, Ding et al. 2015; with one group it is Hamerly's). When centres move,
//! the bounds move with them; only groups whose bound reaches below the row's own distance are searched again.
//! A group is some panels of the register tile, so that what is left of the work runs at the tile's full speed.

mod block;
mod margin;

use rayon::prelude::*;

use super::assign::assign_labels;
use crate::cpu::tile::{Candidates, SEARCH_DEPTH};
use block::{BLOCK_ROWS, Block, Pass, Scratch};
use margin::{Margin, distance_above};

/// Panels in a group at least: smaller groups rule out more, but each costs a bound to keep and a minimum to find.
const GROUP_PANELS: usize = 4;
/// Groups at most: bounds then need no more memory than 16 columns of x.
const MOST_GROUPS: usize = 16;
/// Bounds are tried once a pass changes no more than one label in this many: before, the centres move too far.
const SETTLED: usize = 20;
/// The share of all distances above which a pass with bounds does not pay.
const WORTH_BOUNDS: f64 = 0.6;

/// Assigns the same rows again and again while their centres move: the labels of
/// [`assign`](super::assign::assign), in less time.
///
/// Whether bounds are kept is decided by the work they saved in the last pass, so data without clusters costs little
/// more than [`assign`](super::assign::assign). Needs `4·n·(2 + groups)` bytes, at most 16 groups.
///
/// ```
/// use gristmill::cpu::cluster::bounds::Bounded;
///
/// let x = [0.0, 1.0, 8.0, 9.0];
/// let mut bounded = Bounded::new(4, 1, 2);
/// let mut labels = [u32::MAX; 4];
/// assert_eq!(bounded.assign(&x, &[0.0, 1.0], &mut labels), 4); // all labels are new
/// assert_eq!(bounded.assign(&x, &[0.0, 6.0], &mut labels), 1); // the second row goes to the first centre
/// assert_eq!(labels, [0, 0, 1, 1]);
/// ```
pub struct Bounded {
    n: usize,
    d: usize,
    k: usize,
    candidates: Option<Candidates>,
    /// The centres of the last pass, which the bounds belong to.
    centers: Vec<f32>,
    /// Panels in a group; the last group may have fewer.
    group_panels: usize,
    groups: usize,
    /// Upper bounds, `n`.
    upper: Vec<f32>,
    /// Lower bounds: for each block of rows, `groups × BLOCK_ROWS`.
    lower: Vec<f32>,
    fresh_labels: Vec<u32>,
    /// Whether the bounds belong to `centers` and to the labels of the last pass.
    valid: bool,
    /// Labels that the last pass changed.
    changed: usize,
    /// Bounds are tried when no more labels than this change.
    try_below: usize,
    work: f64,
}

impl Bounded {
    /// For `n` rows of `d` numbers and `k ≥ 1` centres.
    pub fn new(n: usize, d: usize, k: usize) -> Self {
        Self {
            n,
            d,
            k,
            candidates: None,
            centers: Vec::new(),
            group_panels: 0,
            groups: 0,
            upper: vec![0.0; n],
            lower: Vec::new(),
            fresh_labels: Vec::new(),
            valid: false,
            changed: usize::MAX,
            try_below: n / SETTLED,
            work: 1.0,
        }
    }

    /// The nearest of `centers` for each row of `x`, as [`assign`](super::assign::assign) finds it; returns how many
    /// labels changed.
    ///
    /// `x` (`n×d`) must be the same in every call, and `labels` hold what the last call put there; before the first
    /// call anything, `u32::MAX` if every row is to count as changed. The centres (`k×d`) may be any.
    pub fn assign(&mut self, x: &[f32], centers: &[f32], labels: &mut [u32]) -> usize {
        debug_assert!(x.len() == self.n * self.d && centers.len() == self.k * self.d && labels.len() == self.n);
        let searchable = (1..=SEARCH_DEPTH).contains(&self.d) && self.k > 1;
        if !searchable || (!self.valid && self.changed > self.try_below) {
            self.changed = self.plain(x, centers, labels);
            return self.changed;
        }
        let first = !self.valid;
        self.changed = self.bounded(x, centers, labels);
        // Bounds that ruled out little wait until the labels, and so the centres, are twice as calm.
        self.valid = first || self.work <= WORTH_BOUNDS;
        if !self.valid {
            self.try_below = self.changed / 2;
        }
        self.changed
    }

    /// The distances computed in the last pass, as a share of all `n·k`; 1 for a plain pass.
    pub fn work(&self) -> f64 {
        self.work
    }

    fn plain(&mut self, x: &[f32], centers: &[f32], labels: &mut [u32]) -> usize {
        self.work = 1.0;
        self.fresh_labels.resize(self.n, 0);
        assign_labels(x, self.n, centers, self.k, self.d, &mut self.fresh_labels);
        let changed = labels.iter().zip(&self.fresh_labels).filter(|(old, new)| old != new).count();
        labels.copy_from_slice(&self.fresh_labels);
        changed
    }

    /// A pass that uses the bounds, if they are valid, and leaves valid ones. Returns the changed labels.
    fn bounded(&mut self, x: &[f32], centers: &[f32], labels: &mut [u32]) -> usize {
        let (d, n) = (self.d, self.n);
        let candidates = match self.candidates.take() {
            Some(mut candidates) => {
                candidates.repack(centers);
                candidates
            }
            None => Candidates::new(centers, self.k, d),
        };
        if self.lower.is_empty() {
            self.group_panels = candidates.panels().div_ceil(MOST_GROUPS).max(GROUP_PANELS);
            self.groups = candidates.panels().div_ceil(self.group_panels);
            self.lower = vec![0.0; n.next_multiple_of(BLOCK_ROWS) * self.groups];
        }
        let group_centers = self.group_panels * candidates.width();
        let moved = centers.chunks_exact(d).zip(self.centers.chunks_exact(d));
        let shifts: Vec<f32> = moved.map(|(new, old)| distance_above(new, old)).collect();
        let drifts = shifts.chunks(group_centers).map(|group| group.iter().copied().fold(0.0, f32::max)).collect();
        let (group_panels, groups, margin) = (self.group_panels, self.groups, Margin::new(d));
        let pass = Pass { d, centers, candidates: &candidates, group_panels, groups, shifts, drifts, margin };
        let (changed, distances) = x
            .par_chunks(BLOCK_ROWS * d)
            .zip(labels.par_chunks_mut(BLOCK_ROWS))
            .zip(self.upper.par_chunks_mut(BLOCK_ROWS))
            .zip(self.lower.par_chunks_mut(BLOCK_ROWS * groups))
            .map_init(Scratch::new, |scratch, (((x, labels), upper), lower)| {
                pass.run(Block { x, labels, upper, lower }, self.valid, scratch)
            })
            .reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1));
        self.candidates = Some(candidates);
        self.centers.clear();
        self.centers.extend_from_slice(centers);
        self.work = distances as f64 / (n as f64 * self.k as f64).max(1.0);
        changed
    }
}
