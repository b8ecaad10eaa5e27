//! The smallest of all numbers.

use super::extreme::{Order, Smallest, extreme_rows};

/// Numbers searched as one row; the rows' minima are compared in index order.
const BLOCK: usize = 1 << 14;

/// The minimum of `x` and its lowest index; nothing for no numbers. NaN is passed over. Reads every number once.
pub fn minimum(x: &[f32]) -> Option<(f32, usize)> {
    if x.is_empty() {
        return None;
    }
    let whole = x.len() / BLOCK;
    let (blocks, rest) = x.split_at(whole * BLOCK);
    let size = x.len().div_ceil(BLOCK);
    let (mut index, mut value) = (vec![0; size], vec![0.0; size]);
    extreme_rows(Smallest, blocks, BLOCK, &mut index[..whole], &mut value[..whole]);
    if !rest.is_empty() {
        extreme_rows(Smallest, rest, rest.len(), &mut index[whole..], &mut value[whole..]);
    }
    let mut best = (value[0], index[0] as usize);
    for (block, (&value, &index)) in value.iter().zip(&index).enumerate().skip(1) {
        if Smallest::better(value, best.0) {
            best = (value, block * BLOCK + index as usize);
        }
    }
    Some(best)
}
