//! The random choices of k-means++, in integers made of the bits of f32: a device that has the same distances chooses the
//! same rows.

/// Units of a term: the largest of a list is below 2⁴⁰ of them.
const TERM_BITS: u32 = 40;

/// The exponent of the largest of some non-negative numbers, as it stands in their bits.
fn largest_exponent(terms: impl Iterator<Item = f32>) -> u32 {
    terms.map(|term| term.to_bits() >> 23).max().unwrap_or(0)
}

/// A non-negative number in units of 2⁻³⁹ of the power of two at exponent `largest`, rounded down.
fn scaled(term: f32, largest: u32) -> u64 {
    let exponent = term.to_bits() >> 23;
    if exponent == 0 || exponent + TERM_BITS <= largest {
        return 0;
    }
    let mantissa = u64::from(term.to_bits() & 0x7f_ffff | 0x80_0000);
    (mantissa << (TERM_BITS - 24)) >> (largest - exponent)
}

/// `⌊a·b / 2⁶⁴⌋`.
fn multiply_high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// The term in which a fraction (of 2⁶⁴) of the sum of all terms lies, and which fraction of that term; none if all are
/// zero.
pub fn pick(fraction: u64, terms: &[f32]) -> Option<(usize, u64)> {
    let largest = largest_exponent(terms.iter().copied());
    let total: u64 = terms.iter().map(|term| scaled(*term, largest)).sum();
    let mut left = multiply_high(fraction, total);
    for (at, term) in terms.iter().enumerate() {
        let size = scaled(*term, largest);
        if left < size {
            return Some((at, ((u128::from(left) << 64) / u128::from(size)) as u64));
        }
        left -= size;
    }
    None
}

/// A row below `rows` in proportion to its term: first its block, by the blocks' sums, then the row in the block, whose
/// terms `block` gives. Where all sums are zero, any row.
pub fn draw<E>(
    fraction: u64,
    rows: usize,
    sums: &[f32],
    block_rows: usize,
    block: impl FnOnce(usize) -> Result<Vec<f32>, E>,
) -> Result<usize, E> {
    let Some((number, within)) = pick(fraction, sums) else {
        return Ok(multiply_high(fraction, rows as u64) as usize);
    };
    let row = pick(within, &block(number)?).map_or(0, |(row, _)| row);
    Ok(number * block_rows + row)
}

/// The first of the lists of sums with the least total.
pub fn least(lists: &[Vec<f32>]) -> usize {
    let largest = largest_exponent(lists.iter().flatten().copied());
    let total = |sums: &Vec<f32>| sums.iter().map(|sum| scaled(*sum, largest)).sum::<u64>();
    let totals: Vec<u64> = lists.iter().map(total).collect();
    (1..totals.len()).fold(0, |best, at| if totals[at] < totals[best] { at } else { best })
}
