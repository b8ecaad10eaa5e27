//! The best subset of every size, without looking at all of them.
//!
//! A node holds a set of columns, of which the first are fixed and the others may still be dropped. Its residual is a
//! bound for everything below it, as dropping never helps; where that is not better than what is known for any size
//! below, the node is left (Furnival and Wilson 1974; Gatu and Kontoghiorghes 2006). What a drop costs is b²/a, with the
//! coefficient b and the diagonal a of the inverse Gram matrix, and only the droppable part of both is kept up to date:
//! the whole tree would cost about 6·2^M steps.

use super::system::NormalSystem;
use crate::error::Result;
use crate::linalg::Cholesky;

/// The best columns of each size from 0 to M, ascending.
pub(super) fn best_of_each_size(system: &NormalSystem) -> Result<Vec<Vec<usize>>> {
    let count = system.columns();
    let factor = Cholesky::factor(&system.gram)?;
    let (inverse, coefficients) = (factor.inverse()?, factor.solve_vector(&system.moments)?);
    let explained = system.moments.dot(&coefficients);
    let mut best = Best { residual: vec![f64::INFINITY; count + 1], columns: vec![0; count + 1] };
    best.residual[0] = system.total;
    let root = Node {
        kept: 0,
        droppable: (0..count).collect(),
        inverse: (0..count).flat_map(|row| (0..count).map(move |column| (row, column))).map(|at| inverse[at]).collect(),
        coefficients: coefficients.iter().copied().collect(),
        residual: (system.total - explained).max(0.0),
    };
    best.offer(root.residual, u64::MAX >> (64 - count));
    // What is found by dropping the cheapest column each time makes the first bounds tight.
    let mut greedy = root.clone();
    while let Some(cheapest) = (0..greedy.droppable.len()).min_by(|a, b| greedy.cost(*a).total_cmp(&greedy.cost(*b))) {
        let left: Vec<usize> = (0..greedy.droppable.len()).filter(|at| *at != cheapest).collect();
        greedy = greedy.without(cheapest, 0, &left);
        best.offer(greedy.residual, greedy.columns());
    }
    root.search(&mut best);
    let list = |code: &u64| (0..count).filter(|column| code >> column & 1 == 1).collect();
    Ok(best.columns.iter().map(list).collect())
}

/// The least residual of each size, and its columns as bits.
struct Best {
    residual: Vec<f64>,
    columns: Vec<u64>,
}

impl Best {
    fn offer(&mut self, residual: f64, columns: u64) {
        let size = columns.count_ones() as usize;
        if residual < self.residual[size] {
            (self.residual[size], self.columns[size]) = (residual, columns);
        }
    }

    /// Whether a residual could still be better for some size in this range.
    fn is_open(&self, residual: f64, sizes: std::ops::Range<usize>) -> bool {
        sizes.into_iter().any(|size| residual < self.residual[size])
    }
}

#[derive(Clone)]
struct Node {
    /// Columns that are in for good, as bits.
    kept: u64,
    /// Columns that may be dropped.
    droppable: Vec<usize>,
    /// The part of the inverse Gram matrix for them, row by row.
    inverse: Vec<f64>,
    /// Their coefficients.
    coefficients: Vec<f64>,
    residual: f64,
}

impl Node {
    fn columns(&self) -> u64 {
        self.droppable.iter().fold(self.kept, |code, column| code | 1 << column)
    }

    /// How much the residual grows without the droppable column at this place.
    fn cost(&self, at: usize) -> f64 {
        self.coefficients[at] * self.coefficients[at] / self.inverse[at * self.droppable.len() + at]
    }

    /// Without the column at `dropped`; those at `left` may still be dropped, `kept` more are in for good.
    fn without(&self, dropped: usize, kept: u64, left: &[usize]) -> Node {
        let width = self.droppable.len();
        let pivot = &self.inverse[dropped * width..(dropped + 1) * width];
        let scale = 1.0 / pivot[dropped];
        let mut inverse = Vec::with_capacity(left.len() * left.len());
        for row in left {
            let (own, factor) = (&self.inverse[row * width..(row + 1) * width], pivot[*row] * scale);
            inverse.extend(left.iter().map(|column| own[*column] - factor * pivot[*column]));
        }
        let coefficient = |at: &usize| self.coefficients[*at] - pivot[*at] * scale * self.coefficients[dropped];
        Node {
            kept: self.kept | kept,
            droppable: left.iter().map(|at| self.droppable[*at]).collect(),
            inverse,
            coefficients: left.iter().map(coefficient).collect(),
            residual: self.residual + self.cost(dropped),
        }
    }

    /// Drops each column in turn, the dearest first, with those before it kept: their subtrees are the largest, and the
    /// bound closes them soonest.
    fn search(&self, best: &mut Best) {
        let width = self.droppable.len();
        let costs: Vec<f64> = (0..width).map(|at| self.cost(at)).collect();
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by(|a, b| costs[*b].total_cmp(&costs[*a]));
        let all = self.columns();
        let size = all.count_ones() as usize;
        // Cheap drops first for the record, which closes more of the search below.
        for at in order.iter().rev() {
            best.offer(self.residual + costs[*at], all & !(1 << self.droppable[*at]));
        }
        let mut kept = 0_u64;
        let fixed = self.kept.count_ones() as usize;
        for (place, at) in order.iter().enumerate() {
            let left = &order[place + 1..];
            // Below the child are sets with all that is kept and at least one column less than the child has.
            if !left.is_empty() && best.is_open(self.residual + costs[*at], fixed + place..size - 1) {
                self.without(*at, kept, left).search(best);
            }
            kept |= 1 << self.droppable[*at];
        }
    }
}
