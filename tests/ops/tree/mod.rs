mod best_split;
mod forest;
mod gradients;
mod histogram;
mod leaf_quantiles;
mod leaves;
mod other_scores;
mod partition;
mod predict;
mod two_levels;

use gristmill::cpu::tree::BinnedRows;
use gristmill::cpu::tree::fixed_point::pack;

/// Whole numbers that are the same every run.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as usize
    }
}

/// Random codes: column `c` has `codes[c]` of them.
pub struct Codes {
    pub rows: usize,
    pub stride: usize,
    pub bins: Vec<u8>,
    pub columns: Vec<u8>,
    pub starts: Vec<u32>,
}

impl Codes {
    pub fn new(rows: usize, codes: &[usize], seed: u64) -> Codes {
        let mut numbers = Numbers::new(seed);
        let stride = codes.len().next_multiple_of(8);
        let (mut bins, mut columns) = (vec![0; rows * stride], vec![0; rows * codes.len()]);
        for (column, codes) in codes.iter().enumerate() {
            for row in 0..rows {
                let code = numbers.below(*codes) as u8;
                bins[row * stride + column] = code;
                columns[column * rows + row] = code;
            }
        }
        let starts = [0].into_iter().chain(codes.iter().scan(0, |end, codes| {
            *end += *codes as u32;
            Some(*end)
        }));
        Codes { rows, stride, bins, columns, starts: starts.collect() }
    }

    pub fn view(&self) -> BinnedRows<'_> {
        BinnedRows { bins: &self.bins, stride: self.stride, columns: &self.columns }
    }

    pub fn code(&self, row: u32, column: usize) -> u8 {
        self.columns[column * self.rows + row as usize]
    }
}

/// A gradient and a Hessian for each row, and what the device is given.
pub fn gradients(rows: usize, seed: u64) -> (Vec<(i32, u32)>, Vec<u64>) {
    let mut numbers = Numbers::new(seed);
    let pairs: Vec<(i32, u32)> =
        (0..rows).map(|_| (numbers.below(65_535) as i32 - 32_767, numbers.below(32_768) as u32)).collect();
    let packed = pairs.iter().map(|(gradient, hessian)| pack(*gradient, *hessian)).collect();
    (pairs, packed)
}

/// Numbers of codes with all the edges: one, two, all 256.
pub fn mixed(columns: usize) -> Vec<usize> {
    (0..columns).map(|column| [256, 2, 17, 1, 255, 64][column % 6]).collect()
}
