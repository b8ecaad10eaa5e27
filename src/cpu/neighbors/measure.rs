//! What a metric sums, for a block of queries against a unit of packed rows.

use std::borrow::Cow;

use crate::cpu::distance::minkowski::row_to_panels;
use crate::cpu::distance::pairwise::{unit_rows, write_unit_rows};
use crate::cpu::tile::{
    AbsoluteDifference, Accumulate, LargestDifference, OneMinusDot, Operand, PANEL_DEPTH, SquaredDifference,
    pack_panels, panel_product, panel_width, product, with_buffer,
};
use crate::distance::Metric;

/// The values of a metric: what orders the neighbours, the distance before its root. Never negative.
pub(super) trait Measure: Sync {
    /// Numbers that `count` rows of width `d` take when packed.
    fn packed(&self, count: usize, d: usize) -> usize {
        count.next_multiple_of(panel_width()) * d
    }

    /// Packs rows of width `d ≥ 1` on this thread.
    fn pack(&self, rows: &[f32], d: usize, panels: &mut [f32]);

    /// `out[i·columns + j]`, the value of query `i` and packed row `j`.
    fn values(&self, queries: &[f32], d: usize, panels: &[f32], columns: usize, out: &mut [f32]);
}

/// The measure of a metric for rows of width `d`.
pub(super) fn measure(metric: Metric, d: usize) -> Box<dyn Measure> {
    match common(metric) {
        Metric::Euclidean => by_tile(SquaredDifference, d),
        Metric::Manhattan => by_tile(AbsoluteDifference, d),
        Metric::Chebyshev => by_tile(LargestDifference, d),
        Metric::Cosine => Box::new(Angle { step: by_tile(OneMinusDot, d) }),
        Metric::Minkowski(p) => Box::new(Powers { p }),
    }
}

/// Minkowski's metric by its own name where it has one.
pub(super) fn common(metric: Metric) -> Metric {
    match metric {
        Metric::Minkowski(1.0) => Metric::Manhattan,
        Metric::Minkowski(2.0) => Metric::Euclidean,
        Metric::Minkowski(f32::INFINITY) => Metric::Chebyshev,
        other => other,
    }
}

/// The queries as the measure wants them: of length one for cosine.
pub(super) fn prepared(metric: Metric, queries: &[f32], d: usize) -> Cow<'_, [f32]> {
    if metric == Metric::Cosine { Cow::Owned(unit_rows(queries, d)) } else { Cow::Borrowed(queries) }
}

/// The distance that a value stands for.
pub(super) fn distance(metric: Metric, value: f32) -> f32 {
    if common(metric) == Metric::Euclidean { value.sqrt() } else { value }
}

/// The largest value whose distance is at most `radius`, for a radius of at least 0.
pub(super) fn largest_value(metric: Metric, radius: f32) -> f32 {
    if common(metric) != Metric::Euclidean || radius == f32::INFINITY {
        return radius;
    }
    // Roots are rounded: a few values on either side of the square share the root, so step to the last of them.
    let mut value = (f64::from(radius) * f64::from(radius)) as f32;
    while value.sqrt() > radius {
        value = value.next_down();
    }
    while value < f32::MAX && value.next_up().sqrt() <= radius {
        value = value.next_up();
    }
    value
}

fn by_tile<Step: Accumulate>(step: Step, d: usize) -> Box<dyn Measure> {
    if d <= PANEL_DEPTH { Box::new(Tiles { step }) } else { Box::new(Deep { step }) }
}

/// A step of the tile core.
struct Tiles<Step> {
    step: Step,
}

impl<Step: Accumulate> Measure for Tiles<Step> {
    fn pack(&self, rows: &[f32], d: usize, panels: &mut [f32]) {
        pack_panels(Operand::from_rows(rows, rows.len() / d, d), panels);
    }

    fn values(&self, queries: &[f32], d: usize, panels: &[f32], columns: usize, out: &mut [f32]) {
        panel_product(self.step, Operand::from_rows(queries, queries.len() / d, d), panels, columns, out);
    }
}

/// A step whose sums are too long for packed panels: the tile core packs for itself.
struct Deep<Step> {
    step: Step,
}

impl<Step: Accumulate> Measure for Deep<Step> {
    fn packed(&self, count: usize, d: usize) -> usize {
        count * d
    }

    fn pack(&self, rows: &[f32], _d: usize, panels: &mut [f32]) {
        panels.copy_from_slice(rows);
    }

    fn values(&self, queries: &[f32], d: usize, panels: &[f32], columns: usize, out: &mut [f32]) {
        let queries = Operand::from_rows(queries, queries.len() / d, d);
        product(self.step, queries, Operand::from_rows(panels, columns, d), 1.0, 0.0, out, columns);
    }
}

/// The cosine distance: rows are brought to length one before they are packed.
struct Angle {
    step: Box<dyn Measure>,
}

impl Measure for Angle {
    fn packed(&self, count: usize, d: usize) -> usize {
        self.step.packed(count, d)
    }

    fn pack(&self, rows: &[f32], d: usize, panels: &mut [f32]) {
        with_buffer(rows.len(), |unit| {
            write_unit_rows(rows, d, unit);
            self.step.pack(unit, d, panels);
        });
    }

    fn values(&self, queries: &[f32], d: usize, panels: &[f32], columns: usize, out: &mut [f32]) {
        self.step.values(queries, d, panels, columns, out);
    }
}

/// Minkowski distances of an order that is not 1, 2 or infinity.
struct Powers {
    p: f32,
}

impl Measure for Powers {
    fn pack(&self, rows: &[f32], d: usize, panels: &mut [f32]) {
        let width = panel_width();
        for (panel, rows) in panels.chunks_exact_mut(width * d).zip(rows.chunks(width * d)) {
            for (lane, row) in rows.chunks_exact(d).enumerate() {
                panel.iter_mut().skip(lane).step_by(width).zip(row).for_each(|(slot, &value)| *slot = value);
            }
        }
    }

    fn values(&self, queries: &[f32], d: usize, panels: &[f32], columns: usize, out: &mut [f32]) {
        for (row, out) in queries.chunks_exact(d).zip(out.chunks_exact_mut(columns)) {
            row_to_panels(self.p, row, panels, out);
        }
    }
}
