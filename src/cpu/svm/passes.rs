//! The passes over all variables that a step of SMO makes, vectorised.
//!
//! Which variables may rise or fall is in two arrays of 0 and infinity that are added to what is compared: no branches.

use crate::cpu::vectorised;

/// Numbers compared side by side, on every processor the same.
const LANES: usize = 16;
/// Variables whose extremes are found together; the place of one is looked for in its block alone.
const BLOCK: usize = 128;

/// The smallest slope of what may rise, where it is, and the largest slope of what may fall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extremes {
    pub smallest: f64,
    pub place: usize,
    pub largest: f64,
}

/// A pair of rows of the kernel matrix and how much of each is added to the slopes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub rows: [&'a [f32]; 2],
    pub factors: [f64; 2],
}

/// `slope += factors·rows`, and the extremes of what that leaves.
pub(super) fn update(slope: &mut [f64], change: Change<'_>, rise: &[f32], fall: &[f32]) -> Extremes {
    vectorised!(update_all(slope, change, rise, fall))
}

/// The extremes of the slopes as they are.
pub(super) fn extremes(slope: &[f64], rise: &[f32], fall: &[f32]) -> Extremes {
    vectorised!(extremes_all(slope, rise, fall))
}

/// The variable that may fall and with which a step from one of slope `from` and row `row` lowers the objective most:
/// (slope − from)²/(2·curvature), Fan, Chen and Lin 2005. Twice that, and its place.
pub(super) fn best_partner(
    from: (f64, f32),
    slope: &[f64],
    row: &[f32],
    diagonal: &[f32],
    fall: &[f32],
) -> (f32, usize) {
    vectorised!(best_partner_all(from, slope, row, diagonal, fall))
}

/// `sum[k] += Σ factor·row[k]` over the rows.
pub fn add_rows(sum: &mut [f64], rows: &[(f64, &[f32])]) {
    vectorised!(add_all(sum, rows));
}

#[inline(always)]
fn update_all(slope: &mut [f64], change: Change<'_>, rise: &[f32], fall: &[f32]) -> Extremes {
    let mut found = Found::default();
    let ([one, other], [a, b]) = (change.rows, change.factors);
    let size = slope.len();
    let (one, other, rise, fall) = (&one[..size], &other[..size], &rise[..size], &fall[..size]);
    for (block, slope) in slope.chunks_mut(BLOCK).enumerate() {
        let first = block * BLOCK;
        let range = first..first + slope.len();
        let pairs = one[range.clone()].iter().zip(&other[range.clone()]);
        for (slope, (one, other)) in slope.iter_mut().zip(pairs) {
            *slope += a * f64::from(*one) + b * f64::from(*other);
        }
        found.take(first, slope, &rise[range.clone()], &fall[range]);
    }
    found.extremes(slope, rise)
}

#[inline(always)]
fn extremes_all(slope: &[f64], rise: &[f32], fall: &[f32]) -> Extremes {
    let mut found = Found::default();
    for (block, (slope, (rise, fall))) in
        slope.chunks(BLOCK).zip(rise.chunks(BLOCK).zip(fall.chunks(BLOCK))).enumerate()
    {
        found.take(block * BLOCK, slope, rise, fall);
    }
    found.extremes(slope, rise)
}

/// The extremes so far; the place of the smallest is known to its block.
struct Found {
    smallest: f64,
    block: usize,
    largest: f64,
}

impl Default for Found {
    fn default() -> Found {
        Found { smallest: f64::INFINITY, block: 0, largest: f64::NEG_INFINITY }
    }
}

impl Found {
    #[inline(always)]
    fn take(&mut self, first: usize, slope: &[f64], rise: &[f32], fall: &[f32]) {
        let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        let (slopes, slope_rest) = slope.as_chunks::<LANES>();
        let (rises, rise_rest) = rise.as_chunks::<LANES>();
        let (falls, fall_rest) = fall.as_chunks::<LANES>();
        for ((slope, rise), fall) in slopes.iter().zip(rises).zip(falls) {
            let numbers = slope.iter().zip(rise).zip(fall);
            for ((low, high), ((slope, rise), fall)) in low.iter_mut().zip(&mut high).zip(numbers) {
                let (up, down) = (slope + f64::from(*rise), slope - f64::from(*fall));
                *low = if up < *low { up } else { *low };
                *high = if down > *high { down } else { *high };
            }
        }
        for (lane, ((slope, rise), fall)) in slope_rest.iter().zip(rise_rest).zip(fall_rest).enumerate() {
            low[lane] = low[lane].min(slope + f64::from(*rise));
            high[lane] = high[lane].max(slope - f64::from(*fall));
        }
        let smallest = low.into_iter().fold(f64::INFINITY, |best, value| if value < best { value } else { best });
        let largest = high.into_iter().fold(f64::NEG_INFINITY, |best, value| if value > best { value } else { best });
        if smallest < self.smallest {
            (self.smallest, self.block) = (smallest, first);
        }
        self.largest = self.largest.max(largest);
    }

    #[inline(always)]
    fn extremes(self, slope: &[f64], rise: &[f32]) -> Extremes {
        let range = self.block..(self.block + BLOCK).min(slope.len());
        let mut values = slope[range.clone()].iter().zip(&rise[range]);
        let place = values.position(|(slope, rise)| slope + f64::from(*rise) == self.smallest);
        Extremes { smallest: self.smallest, place: self.block + place.unwrap_or(0), largest: self.largest }
    }
}

/// Curvatures are at least this: rows that are equal have none.
pub(super) const LEAST_CURVATURE: f32 = 1e-12;

#[inline(always)]
fn gain((from, own): (f64, f32), slope: f64, value: f32, diagonal: f32, fall: f32) -> f32 {
    // Infinity for what may not fall makes the difference 0.
    let difference = ((slope - from) as f32 - fall).max(0.0);
    difference * difference / (own + diagonal - 2.0 * value).max(LEAST_CURVATURE)
}

#[inline(always)]
fn best_partner_all(from: (f64, f32), slope: &[f64], row: &[f32], diagonal: &[f32], fall: &[f32]) -> (f32, usize) {
    let size = slope.len();
    let (row, diagonal, fall) = (&row[..size], &diagonal[..size], &fall[..size]);
    let (mut best, mut place) = (0.0_f32, 0);
    let mut gains = [0.0_f32; BLOCK];
    for (block, slope) in slope.chunks(BLOCK).enumerate() {
        let first = block * BLOCK;
        let range = first..first + slope.len();
        let others = row[range.clone()].iter().zip(&diagonal[range.clone()]).zip(&fall[range]);
        let gains = &mut gains[..slope.len()];
        for ((gains, slope), ((value, diagonal), fall)) in gains.iter_mut().zip(slope).zip(others) {
            *gains = gain(from, *slope, *value, *diagonal, *fall);
        }
        let mut high = [0.0_f32; LANES];
        let (groups, rest) = gains.as_chunks::<LANES>();
        for group in groups {
            for (high, gain) in high.iter_mut().zip(group) {
                *high = if *gain > *high { *gain } else { *high };
            }
        }
        let largest = high.iter().chain(rest).fold(0.0_f32, |best, value| best.max(*value));
        if largest > best {
            let at = gains.iter().position(|gain| *gain == largest);
            (best, place) = (largest, first + at.unwrap_or(0));
        }
    }
    (best, place)
}

#[inline(always)]
fn add_all(sum: &mut [f64], rows: &[(f64, &[f32])]) {
    let (fours, rest) = rows.as_chunks::<4>();
    for [a, b, c, d] in fours {
        let size = sum.len();
        let (p, q, r, s) = (&a.1[..size], &b.1[..size], &c.1[..size], &d.1[..size]);
        for (at, sum) in sum.iter_mut().enumerate() {
            let first = a.0 * f64::from(p[at]) + b.0 * f64::from(q[at]);
            let second = c.0 * f64::from(r[at]) + d.0 * f64::from(s[at]);
            *sum += first + second;
        }
    }
    for (factor, row) in rest {
        for (sum, value) in sum.iter_mut().zip(*row) {
            *sum += factor * f64::from(*value);
        }
    }
}
