//! SMO on a kernel matrix in memory: pairs of variables, one after the other, until no pair violates its conditions.

use super::passes::{Change, Extremes, LEAST_CURVATURE, best_partner, extremes, update};

/// Groups that a problem may have: the classes of the nu forms.
pub const MOST_GROUPS: usize = 2;

/// The extremes of each group.
type Found = [Extremes; MOST_GROUPS];

/// The variables of min ½·βᵀKβ + ½·Σ ridge·β² + qᵀβ with low ≤ β ≤ high, where the sums over groups of β are given.
///
/// All have one number a variable. `slope` is the derivative Kβ + ridge·β + q, and is kept up to date.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variables {
    /// The variables, within their bounds.
    pub beta: Vec<f64>,
    /// The derivative of the objective.
    pub slope: Vec<f64>,
    /// Least values.
    pub low: Vec<f64>,
    /// Greatest values; may be infinite.
    pub high: Vec<f64>,
    /// What is added to the diagonal of the matrix; empty for nothing.
    pub ridge: Vec<f64>,
}

impl Variables {
    /// What is added to the diagonal for a variable.
    pub fn ridge_of(&self, variable: usize) -> f64 {
        self.ridge.get(variable).copied().unwrap_or(0.0)
    }

    /// Whether a variable is between its bounds.
    pub fn is_free(&self, variable: usize) -> bool {
        self.beta[variable] > self.low[variable] && self.beta[variable] < self.high[variable]
    }
}

/// Variables that are next to each other and belong to rows of the matrix that are next to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The first variable.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// The row and column of the matrix that the first one belongs to.
    pub row: usize,
    /// The group whose sum it is part of: 0 or 1.
    pub group: usize,
}

/// A kernel matrix and the pieces of it that a problem is about.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The matrix, row by row.
    pub matrix: &'a [f32],
    /// Numbers from one row to the next.
    pub stride: usize,
    /// The variables; those of a group of two pieces share one sum.
    pub pieces: &'a [Piece],
}

impl<'a> Block<'a> {
    /// The row of the matrix for a variable.
    fn row(&self, variable: usize) -> &'a [f32] {
        let row = row_of(self.pieces, variable);
        &self.matrix[row * self.stride..][..self.stride]
    }
}

/// The row of the matrix that a variable belongs to.
pub fn row_of(pieces: &[Piece], variable: usize) -> usize {
    let piece = pieces.iter().rfind(|piece| piece.first <= variable);
    piece.map_or(0, |piece| piece.row + variable - piece.first)
}

/// How the steps ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ended {
    /// Steps that were made.
    pub steps: usize,
    /// By how much the slopes of a pair of a group still differ the wrong way, at most.
    pub violation: f64,
}

/// The state of the steps that is not part of the problem.
struct Walk<'a> {
    block: Block<'a>,
    variables: &'a mut Variables,
    diagonal: Vec<f32>,
    /// 0 for what may rise, else infinity.
    rise: Vec<f32>,
    /// 0 for what may fall, else infinity.
    fall: Vec<f32>,
}

/// Makes steps until the violation is at most `tol`, or so many were made. The objective falls with each.
///
/// A step costs two passes over the variables. The sums over groups stay what they are.
pub fn minimize(block: Block<'_>, variables: &mut Variables, tol: f64, max_steps: usize) -> Ended {
    let mut walk = Walk::new(block, variables);
    let mut found = walk.extremes();
    let mut steps = 0;
    loop {
        let violation = found.iter().map(|found| found.largest - found.smallest).fold(f64::NEG_INFINITY, f64::max);
        let ended = Ended { steps, violation: violation.max(0.0) };
        if violation <= tol || violation.is_nan() || steps >= max_steps {
            return ended;
        }
        let Some((riser, faller)) = walk.pair(&found) else { return ended };
        found = walk.step(riser, faller);
        steps += 1;
    }
}

impl<'a> Walk<'a> {
    fn new(block: Block<'a>, variables: &'a mut Variables) -> Walk<'a> {
        let count = variables.beta.len();
        let own = |variable: usize| {
            let row = row_of(block.pieces, variable);
            block.matrix[row * block.stride + row] + variables.ridge_of(variable) as f32
        };
        let diagonal = (0..count).map(own).collect();
        let mut walk = Walk { block, variables, diagonal, rise: vec![0.0; count], fall: vec![0.0; count] };
        (0..count).for_each(|variable| walk.mark(variable));
        walk
    }

    /// Notes which ways a variable may go.
    fn mark(&mut self, variable: usize) {
        let (beta, all) = (self.variables.beta[variable], &self.variables);
        self.rise[variable] = if beta < all.high[variable] { 0.0 } else { f32::INFINITY };
        self.fall[variable] = if beta > all.low[variable] { 0.0 } else { f32::INFINITY };
    }

    fn extremes(&mut self) -> Found {
        let slope = std::mem::take(&mut self.variables.slope);
        let found = self.over_pieces(|walk, piece| {
            let range = piece.first..piece.first + piece.count;
            extremes(&slope[range.clone()], &walk.rise[range.clone()], &walk.fall[range])
        });
        self.variables.slope = slope;
        found
    }

    /// What each group's pieces have as extremes.
    fn over_pieces(&self, mut of: impl FnMut(&Self, Piece) -> Extremes) -> Found {
        let none = Extremes { smallest: f64::INFINITY, place: 0, largest: f64::NEG_INFINITY };
        let mut found = [none; MOST_GROUPS];
        for &piece in self.block.pieces {
            let piece_found = of(self, piece);
            let group = &mut found[piece.group];
            group.largest = group.largest.max(piece_found.largest);
            if piece_found.smallest < group.smallest {
                (group.smallest, group.place) = (piece_found.smallest, piece.first + piece_found.place);
            }
        }
        found
    }

    /// The variable to raise and the one to lower: the first has the smallest slope of its group, the second gains most with it.
    fn pair(&self, found: &[Extremes]) -> Option<(usize, usize)> {
        let mut best = (0.0_f32, None);
        for piece in self.block.pieces {
            let Extremes { smallest, place, .. } = found[piece.group];
            if smallest == f64::INFINITY {
                continue;
            }
            let range = piece.first..piece.first + piece.count;
            let row = &self.block.row(place)[piece.row..piece.row + piece.count];
            let (gain, partner) = best_partner(
                (smallest, self.diagonal[place]),
                &self.variables.slope[range.clone()],
                row,
                &self.diagonal[range.clone()],
                &self.fall[range],
            );
            if gain > best.0 {
                best = (gain, Some((place, piece.first + partner)));
            }
        }
        best.1
    }

    /// Raises one variable and lowers the other to where the objective is least, or to a bound; the extremes after that.
    fn step(&mut self, riser: usize, faller: usize) -> Found {
        let (rows, all) = ([self.block.row(riser), self.block.row(faller)], &mut *self.variables);
        let between = rows[0][row_of(self.block.pieces, faller)];
        let curvature = self.diagonal[riser] + self.diagonal[faller] - 2.0 * between;
        let wanted = (all.slope[faller] - all.slope[riser]) / f64::from(curvature.max(LEAST_CURVATURE));
        let room = [all.high[riser] - all.beta[riser], all.beta[faller] - all.low[faller]];
        let size = wanted.min(room[0]).min(room[1]);
        // What ends at a bound is there exactly.
        all.beta[riser] = if size == room[0] { all.high[riser] } else { all.beta[riser] + size };
        all.beta[faller] = if size == room[1] { all.low[faller] } else { all.beta[faller] - size };
        all.slope[riser] += size * all.ridge_of(riser);
        all.slope[faller] -= size * all.ridge_of(faller);
        self.mark(riser);
        self.mark(faller);
        let mut slope = std::mem::take(&mut self.variables.slope);
        let found = self.over_pieces(|walk, piece| {
            let range = piece.first..piece.first + piece.count;
            let columns = piece.row..piece.row + piece.count;
            let change = Change { rows: rows.map(|row| &row[columns.clone()]), factors: [size, -size] };
            update(&mut slope[range.clone()], change, &walk.rise[range.clone()], &walk.fall[range])
        });
        self.variables.slope = slope;
        found
    }
}
