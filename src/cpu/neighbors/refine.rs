//! What becomes of the pairs that the leading coordinates could not leave out: more coordinates, then the whole rows.

use pulp::{Simd, WithSimd};

use super::measure::Measure;
use super::reduced::Reduced;
use super::top_k::{Below, TopK};
use crate::cpu::simd::arch;
use crate::cpu::tile::with_buffer;
use crate::cpu::vector_lanes;

/// The unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;
/// Squares below this may have lost digits to underflow; distances are taken to be at least its root.
const TINY: f64 = 1e-36;
/// Candidates that are looked at in full before the others: they bring the bound down.
const FIRST: usize = 8;
/// Candidates looked at between two looks at the bound.
const BATCH: usize = 64;
/// Rows packed at a time for their exact values.
const EXACT: usize = 128;
/// Rows that share a margin in the first look.
pub(super) const MARGIN_ROWS: usize = 64;
/// A row is looked at in full at once if its squared bound is below this share of the k-th value so far.
const PROMISING: f32 = 0.5;
/// A query gives up when more than one in this many rows, and [`SPARE`] more, are still candidates.
const SHARE: usize = 4;
const SPARE: usize = 4096;

/// A query: its `d` numbers, its coordinates after the leading ones, and their margin.
pub(super) struct Query<'a> {
    pub(super) row: &'a [f32],
    pub(super) tail: &'a [f32],
    pub(super) margin: f64,
}

/// What one query knows of the rows that it has seen.
pub(super) struct Candidates {
    /// The k nearest so far by their approximate values.
    near: TopK,
    /// All rows with an approximate value, as far as they may still belong to the k nearest.
    close: Vec<(u32, f32)>,
    /// Rows of which only the bound is known, with its square.
    open: Vec<(u32, f32)>,
    /// How long `open` may become before it is looked through for rows that a lower bound now leaves out.
    room: usize,
    /// Whether there were too many.
    gave_up: bool,
}

impl Candidates {
    pub(super) fn new(k: usize) -> Self {
        Self { near: TopK::new(k), close: Vec::new(), open: Vec::new(), room: SPARE, gave_up: false }
    }
}

/// The rows to be found: `m×d` with their coordinates.
pub(super) struct Search<'a> {
    pub(super) rows: &'a [f32],
    pub(super) d: usize,
    pub(super) k: usize,
    pub(super) reduced: &'a Reduced,
    /// The largest margin of every [`MARGIN_ROWS`] rows.
    pub(super) margins: &'a [f32],
    pub(super) tail_width: usize,
}

impl Search<'_> {
    /// Bounds the relative error of a value, be it summed as the tile does or in four vectors: all terms are positive.
    fn error(&self) -> f64 {
        1.1 * (self.d.min(256).max(self.d / (4 * vector_lanes())) + 40) as f64 * U
    }

    /// The largest approximate value that may belong to the k nearest.
    ///
    /// If A is the k-th approximate value and e the error, k rows have values of at most A·(1+e)/(1−e), and a row of
    /// a larger approximate value than A·((1+e)/(1−e))², less than A·(1+5e), has a larger one than that.
    fn largest(&self, near: &TopK) -> f64 {
        if near.is_full() { (f64::from(near.bound()) + TINY) * (1.0 + 5.0 * self.error()) } else { f64::INFINITY }
    }

    /// The largest squared bound that may belong to the k nearest, for rows whose margins are at most `margin`.
    ///
    /// True coordinates are no farther apart than the rows, stored ones by both margins more; a sum of up to 130 squares
    /// is within 140u of exact.
    fn largest_bound(&self, query: &Query<'_>, near: &TopK, margin: f64) -> f64 {
        let reach = self.largest(near).sqrt() + query.margin + margin;
        reach * reach * (1.0 + 150.0 * U)
    }

    /// Looks at the squared bounds of the rows from `first` on.
    pub(super) fn visit(&self, query: &Query<'_>, state: &mut Candidates, first: usize, squares: &[f32]) {
        // Without a finite margin the coordinates say nothing.
        state.gave_up |= !query.margin.is_finite();
        if state.gave_up {
            return;
        }
        let margins = &self.margins[first / MARGIN_ROWS..(first + squares.len()).div_ceil(MARGIN_ROWS)];
        let margin = f64::from(margins.iter().fold(0.0_f32, |largest, &margin| largest.max(margin)));
        let start = state.open.len();
        let largest = (self.largest_bound(query, &state.near, margin) as f32).next_up();
        if largest < f32::MAX {
            let take = |open: &mut Vec<_>, place, square| open.push(((first + place) as u32, square));
            arch().dispatch(Below { list: &mut state.open, values: squares, take, bound: |_: &Vec<_>| largest });
        } else {
            state.open.extend(squares.iter().enumerate().map(|(place, &square)| ((first + place) as u32, square)));
        }
        if state.near.is_full() {
            // The most promising row of those just seen brings the bound down for the next.
            let new = state.open[start..].iter().enumerate();
            let best = new
                .min_by(|left, right| left.1.1.total_cmp(&right.1.1))
                .map(|(place, &(row, square))| (place, row, square));
            if let Some((place, row, square)) = best
                && square < PROMISING * state.near.bound()
            {
                state.open.swap_remove(start + place);
                self.look(query, state, &[row]);
            }
        } else {
            self.take_best(query, state, start, self.k - state.near.len());
        }
        if state.open.len() > state.room {
            self.retain(query, state);
            state.room = 2 * state.open.len() + SPARE;
            if state.open.len() > (first + squares.len()) / SHARE + SPARE {
                *state = Candidates { gave_up: true, ..Candidates::new(self.k) };
            }
        }
    }

    /// Leaves out what the bound has come below since.
    fn retain(&self, query: &Query<'_>, state: &mut Candidates) {
        let Candidates { near, open, .. } = state;
        let reach = self.largest(near).sqrt() + query.margin;
        open.retain(|&(row, square)| {
            let reach = reach + f64::from(self.reduced.margins[row as usize]);
            f64::from(square) <= reach * reach * (1.0 + 150.0 * U)
        });
    }

    /// Takes the `count` smallest bounds out of the open ones from `start` on and looks at these rows in full.
    fn take_best(&self, query: &Query<'_>, state: &mut Candidates, start: usize, count: usize) {
        let open = &mut state.open[start..];
        let count = count.min(open.len());
        if count == 0 {
            return;
        }
        if count < open.len() {
            open.select_nth_unstable_by(count - 1, |left, right| left.1.total_cmp(&right.1));
        }
        let best: Vec<u32> = open[..count].iter().map(|&(row, _)| row).collect();
        state.open.drain(start..start + count);
        self.look(query, state, &best);
    }

    /// The approximate values of some rows.
    fn look(&self, query: &Query<'_>, state: &mut Candidates, rows: &[u32]) {
        arch().dispatch(InFull { query: query.row, rows: self.rows, wanted: rows, state });
    }

    /// The k nearest rows of a query that has seen all; `None` if it gave up.
    pub(super) fn finish(&self, query: &Query<'_>, mut state: Candidates, exact: &dyn Measure) -> Option<TopK> {
        if state.gave_up {
            return None;
        }
        self.retain(query, &mut state);
        self.take_best(query, &mut state, 0, FIRST);
        let open = std::mem::take(&mut state.open);
        let mut rest = Vec::with_capacity(BATCH);
        for batch in open.chunks(BATCH) {
            let reach = self.largest(&state.near).sqrt() + query.margin;
            rest.clear();
            if self.tail_width > 2 {
                arch().dispatch(ByTail { search: self, query: query.tail, reach, batch, rest: &mut rest });
            } else {
                rest.extend(batch.iter().map(|&(row, _)| row));
            }
            self.look(query, &mut state, &rest);
        }
        Some(self.exact(query, state, exact))
    }

    /// The exact values of the rows that are close enough.
    fn exact(&self, query: &Query<'_>, mut state: Candidates, exact: &dyn Measure) -> TopK {
        let largest = self.largest(&state.near);
        state.close.retain(|&(_, value)| f64::from(value) <= largest);
        let mut list = TopK::new(self.k);
        for batch in state.close.chunks(EXACT) {
            let packed = exact.packed(batch.len(), self.d);
            with_buffer(batch.len() * (self.d + 1) + packed, |buffer| {
                let (rows, buffer) = buffer.split_at_mut(batch.len() * self.d);
                let (values, panels) = buffer.split_at_mut(batch.len());
                for (out, &(row, _)) in rows.chunks_exact_mut(self.d).zip(batch) {
                    out.copy_from_slice(&self.rows[row as usize * self.d..(row as usize + 1) * self.d]);
                }
                exact.pack(rows, self.d, panels);
                exact.values(query.row, self.d, panels, batch.len(), values);
                batch.iter().zip(&*values).for_each(|(&(row, _), &value)| list.offer(value, row));
            });
        }
        list
    }
}

/// Squared distances in lanes, close to the exact ones.
struct InFull<'a> {
    query: &'a [f32],
    rows: &'a [f32],
    wanted: &'a [u32],
    state: &'a mut Candidates,
}

impl WithSimd for InFull<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let d = self.query.len();
        for &row in self.wanted {
            let value = square(simd, self.query, &self.rows[row as usize * d..(row as usize + 1) * d]);
            if !self.state.near.is_full() || value <= 1.001 * self.state.near.bound() + TINY as f32 {
                self.state.near.offer(value, row);
                self.state.close.push((row, value));
            }
        }
    }
}

/// Passes on the rows that more coordinates cannot leave out either.
struct ByTail<'a, 's> {
    search: &'a Search<'s>,
    query: &'a [f32],
    reach: f64,
    batch: &'a [(u32, f32)],
    rest: &'a mut Vec<u32>,
}

impl WithSimd for ByTail<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.query.len();
        for &(row, lead) in self.batch {
            let index = row as usize;
            let tail = &self.search.reduced.tail[index * width..(index + 1) * width];
            let rest = f64::from(square(simd, self.query, tail));
            // Both sums hold the length that the leading coordinates leave over; the tail has replaced it.
            let twice = f64::from(self.query[width - 2] - tail[width - 2]);
            let all = f64::from(lead) + rest - 2.0 * twice * twice;
            let rounding = 320.0 * U * (f64::from(lead) + rest);
            let reach = self.reach + f64::from(self.search.reduced.margins[index]);
            if all - rounding <= reach * reach {
                self.rest.push(row);
            }
        }
    }
}

/// The squared distance of two rows, summed in four vectors.
#[inline(always)]
fn square<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (S::as_simd_f32s(a), S::as_simd_f32s(b));
    let ((a_groups, a_head), (b_groups, b_head)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [simd.splat_f32s(0.0); 4];
    for (a, b) in a_groups.iter().zip(b_groups) {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            let difference = simd.sub_f32s(a, b);
            *sum = simd.mul_add_e_f32s(difference, difference, *sum);
        }
    }
    for ((sum, &a), &b) in sums.iter_mut().zip(a_head).zip(b_head) {
        let difference = simd.sub_f32s(a, b);
        *sum = simd.mul_add_e_f32s(difference, difference, *sum);
    }
    let difference = simd.sub_f32s(simd.partial_load_f32s(a_rest), simd.partial_load_f32s(b_rest));
    sums[3] = simd.mul_add_e_f32s(difference, difference, sums[3]);
    let (left, right) = (simd.add_f32s(sums[0], sums[1]), simd.add_f32s(sums[2], sums[3]));
    simd.reduce_sum_f32s(simd.add_f32s(left, right))
}
