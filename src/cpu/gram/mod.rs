//! Kernel functions of all pairs of rows: what they are made of, the matrix, its products, its diagonal.

mod block;
pub mod diagonal;
mod functions;
pub mod matrix;
pub mod product;
pub mod program;
mod step;

pub use program::{Instruction, MOST_INSTRUCTIONS, Pass, Plan, STACK, Step};

/// One side of the pairs for one kind of sum: its rows, and the squares of their lengths.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The rows, `rows×depth`.
    pub rows: &'a [f32],
    /// Columns.
    pub depth: usize,
    /// |row|², one a row.
    pub squares: &'a [f32],
}

impl<'a> Side<'a> {
    /// `count` rows from `first` on.
    fn part(self, first: usize, count: usize) -> Side<'a> {
        let rows = &self.rows[first * self.depth..(first + count) * self.depth];
        Side { rows, squares: &self.squares[first..first + count], ..self }
    }

    /// Number of rows.
    fn count(self) -> usize {
        self.squares.len()
    }
}
