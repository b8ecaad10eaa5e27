//! A random order that every device computes alike.

use super::philox::Philox;
use crate::cpu::sort::radix_sort::radix_sort;

/// A permutation of `0..count`: the indices sorted by the numbers of the stream, equal ones by index.
///
/// Needs sixteen bytes a number of working memory beside the result. Two of `n` keys are equal with a probability below
/// `n²/2³³`, and only such pairs lean towards their old order.
pub fn permutation(seed: u64, stream: u32, count: u32) -> Vec<u32> {
    let mut keys = vec![0; count as usize];
    Philox::new(seed, stream).fill_numbers(0, &mut keys);
    let mut order: Vec<u32> = (0..count).collect();
    radix_sort(&mut keys, &mut order);
    order
}
