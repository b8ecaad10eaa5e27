//! Rows in few coordinates that keep a lower bound of their distances.
//!
//! With orthonormal directions Q and what they leave over, R, `|x − y|² = |Q(x − y)|² + |R(x − y)|²`, and the second
//! part is at least `(|Rx| − |Ry|)²`. So the coordinates `(Qx, |Rx|)` are never farther apart than the rows.

use rayon::prelude::*;

use super::directions::Directions;
use crate::cpu::tile::{Dot, Operand, pack_panels, panel_product, panel_width, with_buffer};

/// Rows projected at a time.
const BLOCK: usize = 96;
/// Depth summed in f32; the slices are added in f64, so that the margins stay small.
const SLICE: usize = 64;
/// Longer rows have squares near the end of f32: their margin is infinite.
const LONGEST: f64 = 1e18;
/// The unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;

/// The map from rows to coordinates, along at least one direction.
pub(super) struct Frame {
    center: Vec<f32>,
    /// The directions, packed slice by slice of the depth.
    panels: Vec<f32>,
    count: usize,
    lead: usize,
    d: usize,
}

/// Coordinates of some rows, and how far rounding may have moved them.
pub(super) struct Reduced {
    /// Per row the leading coordinates, then the length of what they leave over.
    pub(super) lead: Vec<f32>,
    /// Per row the other coordinates, the length again, and the length of what all coordinates leave over.
    pub(super) tail: Vec<f32>,
    /// Per row at least the distance between the exact coordinates and those stored, for the lead and for all.
    pub(super) margins: Vec<f32>,
}

impl Frame {
    /// A frame of `directions` for rows of width `d`, the first `lead` of them leading.
    pub(super) fn new(directions: Directions, d: usize, lead: usize) -> Self {
        let Directions { center, rows, count } = directions;
        let padded = count.next_multiple_of(panel_width());
        let mut panels = vec![0.0; padded * d];
        for (index, panels) in panels.chunks_mut(padded * SLICE).enumerate() {
            let data = &rows[index * SLICE..];
            let depth = SLICE.min(d - index * SLICE);
            pack_panels(Operand { data, rows: count, depth, row_stride: d, depth_stride: 1 }, panels);
        }
        Self { center, panels, count, lead: lead.min(count), d }
    }

    /// Numbers per row in [`Reduced::lead`].
    pub(super) fn lead_width(&self) -> usize {
        self.lead + 1
    }

    /// Numbers per row in [`Reduced::tail`].
    pub(super) fn tail_width(&self) -> usize {
        self.count - self.lead + 2
    }

    /// The coordinates of the rows, `n×d`. Costs `n·d` steps per direction.
    pub(super) fn reduce(&self, rows: &[f32]) -> Reduced {
        let n = rows.len() / self.d;
        let (lead_width, tail_width) = (self.lead_width(), self.tail_width());
        let mut reduced =
            Reduced { lead: vec![0.0; n * lead_width], tail: vec![0.0; n * tail_width], margins: vec![0.0; n] };
        let outputs = reduced.lead.par_chunks_mut(BLOCK * lead_width);
        let outputs = outputs.zip(reduced.tail.par_chunks_mut(BLOCK * tail_width));
        let outputs = outputs.zip(reduced.margins.par_chunks_mut(BLOCK));
        rows.par_chunks(BLOCK * self.d).zip(outputs).for_each(|(rows, ((lead, tail), margins))| {
            with_buffer(rows.len(), |centred| {
                for (out, row) in centred.chunks_exact_mut(self.d).zip(rows.chunks_exact(self.d)) {
                    out.iter_mut().zip(row.iter().zip(&self.center)).for_each(|(out, (x, center))| *out = x - center);
                }
                let sums = self.project(centred);
                let outputs = lead.chunks_exact_mut(lead_width).zip(tail.chunks_exact_mut(tail_width)).zip(margins);
                for (index, ((lead, tail), margin)) in outputs.enumerate() {
                    let row = &centred[index * self.d..(index + 1) * self.d];
                    *margin = self.place(row, &sums[index * self.count..(index + 1) * self.count], lead, tail);
                }
            });
        });
        reduced
    }

    /// The products of centred rows with all directions.
    fn project(&self, centred: &[f32]) -> Vec<f64> {
        let n = centred.len() / self.d;
        let padded = self.count.next_multiple_of(panel_width());
        let mut sums = vec![0.0_f64; n * self.count];
        with_buffer(n * self.count, |part| {
            for (index, panels) in self.panels.chunks(padded * SLICE).enumerate() {
                let (data, depth) = (&centred[index * SLICE..], panels.len() / padded);
                let a = Operand { data, rows: n, depth, row_stride: self.d, depth_stride: 1 };
                panel_product(Dot, a, panels, self.count, part);
                sums.iter_mut().zip(&*part).for_each(|(sum, &value)| *sum += f64::from(value));
            }
        });
        sums
    }

    /// Writes one row's coordinates and returns its margin.
    ///
    /// A product of 64 terms in f32 is within `66u·|x|` of exact, its rounding and that of the directions add `u` each,
    /// that of the centring `u·|x|` to them all: `72u·√count·|x|` for the coordinates together.
    fn place(&self, centred: &[f32], sums: &[f64], lead: &mut [f32], tail: &mut [f32]) -> f32 {
        let square = sum_of_squares(centred);
        let length = square.sqrt();
        if length > LONGEST {
            return f32::INFINITY;
        }
        let shift = 72.0 * U * (self.count as f64).sqrt() * length;
        // Squares of coordinates off by `shift` are off by 2·|x|·shift and a little, the root by that over the root.
        let slack = 2.2 * length * shift;
        let (leading, others) = sums.split_at(self.lead);
        let lead_square = leading.iter().map(|sum| sum * sum).sum::<f64>();
        let all_square = lead_square + others.iter().map(|sum| sum * sum).sum::<f64>();
        let after_lead = (square - lead_square).max(0.0).sqrt();
        let after_all = (square - all_square).max(0.0).sqrt();
        lead.iter_mut().zip(leading).for_each(|(out, &sum)| *out = sum as f32);
        tail.iter_mut().zip(others).for_each(|(out, &sum)| *out = sum as f32);
        lead[self.lead] = after_lead as f32;
        tail[others.len()] = after_lead as f32;
        tail[others.len() + 1] = after_all as f32;
        let root_shift = (slack / after_all.min(after_lead)).min(slack.sqrt()) + 2.0 * U * length;
        (1.001 * shift.hypot(root_shift)) as f32
    }
}

/// In f64, in four lanes.
fn sum_of_squares(row: &[f32]) -> f64 {
    let (groups, rest) = row.as_chunks::<4>();
    let mut lanes = [0.0_f64; 4];
    for group in groups {
        lanes.iter_mut().zip(group).for_each(|(lane, &value)| *lane += f64::from(value) * f64::from(value));
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>()
}
