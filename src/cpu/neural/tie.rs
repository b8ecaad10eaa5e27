//! Slopes of two blocks of weights of which one is the other turned.

/// Where both blocks lie in the flat vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiedBlocks {
    /// Rows of the first block, columns of the second.
    pub rows: usize,
    /// Columns of the first block, rows of the second.
    pub columns: usize,
    /// Where the blocks begin.
    pub firsts: [usize; 2],
}

impl TiedBlocks {
    /// From a row of each block to the next.
    pub fn strides(&self) -> [usize; 2] {
        [self.columns.next_multiple_of(4), self.rows.next_multiple_of(4)]
    }

    /// The places of a weight in both blocks.
    pub fn places(&self, row: usize, column: usize) -> [usize; 2] {
        let [stride, turned] = self.strides();
        [self.firsts[0] + row * stride + column, self.firsts[1] + column * turned + row]
    }
}

/// Both slopes of a weight become their sum.
pub fn tie(gradient: &mut [f32], blocks: TiedBlocks) {
    for row in 0..blocks.rows {
        for column in 0..blocks.columns {
            let [one, other] = blocks.places(row, column);
            let sum = gradient[one] + gradient[other];
            (gradient[one], gradient[other]) = (sum, sum);
        }
    }
}
