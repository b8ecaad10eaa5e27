//! The k smallest of many keys.

/// The indices of the `k` smallest keys, smallest first and equal ones by index, among those whose mask is not zero;
/// `u32::MAX` where fewer are eligible. Selects in linear time, then sorts what it selected.
pub fn select_smallest(keys: &[f32], mask: Option<&[u32]>, k: usize) -> Vec<u32> {
    let eligible = |index: &usize| mask.is_none_or(|mask| mask[*index] != 0);
    let entry = |index: usize| u64::from(order_key(keys[index])) << 32 | index as u64;
    let mut entries: Vec<u64> = (0..keys.len()).filter(eligible).map(entry).collect();
    if k < entries.len() {
        if k > 0 {
            entries.select_nth_unstable(k - 1);
        }
        entries.truncate(k);
    }
    entries.sort_unstable();
    let mut selected: Vec<u32> = entries.into_iter().map(|entry| entry as u32).collect();
    selected.resize(k, u32::MAX);
    selected
}

/// The number as an integer that orders as it does; both zeros are one.
fn order_key(value: f32) -> u32 {
    let bits = (value + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 0x8000_0000 }
}
