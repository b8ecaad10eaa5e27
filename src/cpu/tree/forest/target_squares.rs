//! Sums of squares of the rows of a node: with its cell they are the variance of its targets, exactly.

use crate::cpu::tree::ValueRows;

/// What the rows of a node that learns numbers add up to beside its cell. Both are integers: no order of the rows and no cut
/// changes a bit, and a node has what its two children have together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSquares {
    /// The smallest row number.
    pub first: u32,
    /// Σ weight × target² of each output, in units of the fixed point.
    pub squares: Vec<u128>,
}

impl NodeSquares {
    /// Those of no rows.
    pub fn none(outputs: usize) -> NodeSquares {
        NodeSquares { first: u32::MAX, squares: vec![0; outputs] }
    }

    /// Both together.
    pub fn plus(mut self, other: &NodeSquares) -> NodeSquares {
        self.first = self.first.min(other.first);
        self.squares.iter_mut().zip(&other.squares).for_each(|(sum, square)| *sum += square);
        self
    }
}

/// The squares of some rows. Costs one product of integers a row and output.
///
/// Sums of all rows have 62 bits ([`FixedValues`](crate::cpu::tree::target::FixedValues)), so these have at most 124.
pub fn target_squares(target: ValueRows<'_>, rows: &[u32]) -> NodeSquares {
    let squares = (0..target.outputs).map(|output| sum_of_squares(target, rows, output)).collect();
    NodeSquares { first: rows.iter().copied().min().unwrap_or(u32::MAX), squares }
}

/// Σ weight × target² of one output.
pub fn sum_of_squares(target: ValueRows<'_>, rows: &[u32], output: usize) -> u128 {
    let of = |row: &u32| {
        let row = *row as usize;
        let value = u128::from(target.values[row * target.outputs + output].unsigned_abs());
        u128::from(target.words[row] >> target.count_bits) * (value * value)
    };
    rows.iter().map(of).sum()
}
