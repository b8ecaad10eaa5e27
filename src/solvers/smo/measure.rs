//! How good a point is: objective, duality gap, violation, offsets; all in f64.

use super::{Piece, Variables};
use crate::cpu::svm::block::MOST_GROUPS;

/// What holds at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    /// ½·βᵀKβ + ½·Σ ridge·β² + qᵀβ.
    pub objective: f64,
    /// ½·βᵀKβ: half the squared length of the weights.
    pub half_square: f64,
    /// The objective of the primal problem at these weights, plus this one: at least 0, and 0 at the solution.
    pub gap: f64,
    /// By how much the slopes of a pair of a group differ the wrong way, at most.
    pub violation: f64,
    /// The multiplier of each group's sum: the slope of what is between its bounds.
    pub offsets: [f64; MOST_GROUPS],
}

/// Measures a point whose slope is up to date.
pub(crate) fn measure(variables: &Variables, linear: &[f64], pieces: &[Piece]) -> Measured {
    let mut groups = [Group::default(); MOST_GROUPS];
    for piece in pieces {
        (piece.first..piece.first + piece.count).for_each(|at| groups[piece.group].take(variables, at));
    }
    let offsets = groups.map(|group| group.offset());
    let violation = groups.iter().map(|group| group.most - group.least).fold(0.0, f64::max);
    Measured { violation, ..measure_at(variables, linear, pieces, offsets) }
}

/// The least slope of what may rise and the greatest of what may fall, for each group.
pub(super) fn extremes(variables: &Variables, pieces: &[Piece]) -> [(f64, f64); MOST_GROUPS] {
    let mut found = [(f64::INFINITY, f64::NEG_INFINITY); MOST_GROUPS];
    for piece in pieces {
        let range = piece.first..piece.first + piece.count;
        let (low, high) = (&variables.low[range.clone()], &variables.high[range.clone()]);
        let values = variables.beta[range.clone()].iter().zip(&variables.slope[range]);
        let (least, greatest) = &mut found[piece.group];
        for ((beta, slope), (low, high)) in values.zip(low.iter().zip(high)) {
            *least = if beta < high && slope < least { *slope } else { *least };
            *greatest = if beta > low && slope > greatest { *slope } else { *greatest };
        }
    }
    found
}

/// The same for given offsets, without the violation.
pub(crate) fn measure_at(
    variables: &Variables,
    linear: &[f64],
    pieces: &[Piece],
    offsets: [f64; MOST_GROUPS],
) -> Measured {
    let (mut objective, mut half_square) = (0.0, 0.0);
    for (at, beta) in variables.beta.iter().enumerate() {
        objective += 0.5 * beta * (variables.slope[at] + linear[at]);
        half_square += 0.5 * beta * (variables.slope[at] - linear[at] - variables.ridge_of(at) * beta);
    }
    let mut gap = 0.0;
    let mut shortfall = 0.0_f64;
    for piece in pieces {
        for at in piece.first..piece.first + piece.count {
            match own_gap(variables, at, offsets[piece.group]) {
                Ok(own) => gap += own,
                Err(short) => shortfall = shortfall.max(short),
            }
        }
    }
    if shortfall > 0.0 {
        // Without slack, weights that are longer by 1/(1 − shortfall) keep every margin.
        let longer = (1.0 - shortfall).max(f64::MIN_POSITIVE).powi(-2);
        gap = (half_square * longer + objective).max(0.0);
    }
    Measured { objective, half_square, gap: gap.max(0.0), violation: 0.0, offsets }
}

/// What a variable adds to the gap: h(β) + h*(−g) + β·g for its box and ridge h and the slope g of the rest. By how much it
/// falls short where nothing bounds it.
fn own_gap(variables: &Variables, at: usize, offset: f64) -> Result<f64, f64> {
    let (beta, ridge) = (variables.beta[at], variables.ridge_of(at));
    let slope = variables.slope[at] - ridge * beta - offset;
    let (low, high) = (variables.low[at], variables.high[at]);
    let best = match ridge > 0.0 {
        true => (-slope / ridge).clamp(low, high),
        false if slope > 0.0 => low,
        false if slope < 0.0 => high,
        false => beta,
    };
    match best.is_finite() {
        true => Ok(0.5 * ridge * (beta * beta - best * best) + slope * (beta - best)),
        false => Err(slope.abs()),
    }
}

/// The slopes of a group.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// Of what may rise, the least.
    least: f64,
    /// Of what may fall, the most.
    most: f64,
    /// Of what may do both: their sum and number.
    free: (f64, usize),
}

impl Default for Group {
    fn default() -> Group {
        Group { least: f64::INFINITY, most: f64::NEG_INFINITY, free: (0.0, 0) }
    }
}

impl Group {
    fn take(&mut self, variables: &Variables, at: usize) {
        let (beta, slope) = (variables.beta[at], variables.slope[at]);
        let (rises, falls) = (beta < variables.high[at], beta > variables.low[at]);
        if rises {
            self.least = self.least.min(slope);
        }
        if falls {
            self.most = self.most.max(slope);
        }
        if rises && falls {
            self.free = (self.free.0 + slope, self.free.1 + 1);
        }
    }

    /// The mean slope of free variables; without any, the middle of what the others allow.
    fn offset(&self) -> f64 {
        match (self.free, self.least.is_finite(), self.most.is_finite()) {
            ((sum, count), ..) if count > 0 => sum / count as f64,
            (_, true, true) => 0.5 * (self.least + self.most),
            (_, true, false) => self.least,
            (_, false, true) => self.most,
            _ => 0.0,
        }
    }
}
