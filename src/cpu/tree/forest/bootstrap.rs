//! Bootstrap samples: which rows a tree draws, and how often.

use crate::cpu::random::philox::Philox;

/// Numbers that a tree may take from its stream, as a power of two: more than there can be rows.
const TREE_BITS: u32 = 32;

/// Draws of rows with replacement, by counter: those of a tree depend on the seed, the stream and its number alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowDraws {
    /// The seed.
    pub seed: u64,
    /// The stream of the seed.
    pub stream: u32,
    /// How many rows a tree draws.
    pub draws: usize,
}

impl RowDraws {
    /// How often a tree draws each of `all` rows, of which those in `rows`, one at least, can be drawn. About 3 ns a draw.
    pub fn times(&self, tree: usize, rows: &[u32], all: usize) -> Vec<u32> {
        let mut drawn = vec![0; self.draws];
        let numbers = Philox::new(self.seed, self.stream);
        numbers.fill_below((tree as u64) << TREE_BITS, rows.len() as u32, &mut drawn);
        let mut times = vec![0; all];
        drawn.iter().for_each(|place| times[rows[*place as usize] as usize] += 1);
        times
    }
}
