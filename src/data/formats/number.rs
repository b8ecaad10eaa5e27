//! Numbers in text, rounded once: the bits that `str::parse::<f32>` gives, several times faster.

/// What the text of a cell is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::data) enum Cell {
    /// A finite number, and the same in f64.
    Number(f32, f64),
    /// Empty, or a word of those that are usual.
    Missing,
    /// A number, or an infinity, that `f32` cannot hold.
    Beyond,
    /// Anything else.
    Text,
}

/// Powers of ten that f64 holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
const TENS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/// Digits whose number cannot overflow u64.
const DIGITS: usize = 19;
/// What an f64 between two neighbouring f32 has beyond an f32's bits: all of it, and exactly half.
const BEYOND_F32: u64 = (1 << 29) - 1;
const HALF: u64 = 1 << 28;

/// The number that `bytes` begin with, the same in f64, and its length, if the quick way is sure of it.
///
/// Clinger's quick way in f64 rounds once; a second rounding to f32 then errs only if the first one landed on the middle
/// of two f32, and that case is left to the library, as are long, tiny and oddly written numbers.
#[inline(always)]
pub(in crate::data) fn leading_number(bytes: &[u8]) -> Option<(f32, f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut mantissa, mut at) = digits(bytes, start, 0);
    let mut count = at - start;
    let mut exponent = 0;
    if bytes.get(at) == Some(&b'.') {
        let first = at + 1;
        (mantissa, at) = digits(bytes, first, mantissa);
        count += at - first;
        exponent = -((at - first) as i64);
    }
    if count == 0 || count > DIGITS {
        return None;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let (written, end) = written_exponent(bytes, at + 1)?;
        exponent += written;
        at = end;
    }
    let exact = scale(mantissa, exponent)?;
    let exact = if negative { -exact } else { exact };
    Some((exact as f32, exact, at))
}

/// Goes on with a decimal number from `at`; the number, modulo 2⁶⁴, and where its digits end.
///
/// Eight bytes at a time without a branch on how many of them are digits, which no processor can guess.
#[inline(always)]
fn digits(bytes: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        // A digit becomes its value; in any other byte, up to the first such one, the sum reaches the high bit.
        let values = u64::from_le_bytes(*eight) ^ 0x3030_3030_3030_3030;
        let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
        let count = others.trailing_zeros() as usize / 8;
        // Moved to the end of the word, the digits are those of a number with zeros in front.
        let aligned = values.checked_shl(64 - 8 * count as u32).unwrap_or(0);
        number = number.wrapping_mul(TENS[count]).wrapping_add(eight_digits(aligned));
        at += count;
        if count < 8 {
            return (number, at);
        }
    }
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

/// The number of eight digits, the first in the lowest byte: pairs, then fours, then all.
#[inline(always)]
fn eight_digits(values: u64) -> u64 {
    let pairs = (values.wrapping_mul(10).wrapping_add(values >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff
}

/// An exponent of at most four digits, and where it ends.
fn written_exponent(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let sign = bytes.get(at).copied();
    let start = at + usize::from(matches!(sign, Some(b'-' | b'+')));
    let (number, end) = digits(bytes, start, 0);
    let value = if sign == Some(b'-') { -(number as i64) } else { number as i64 };
    (1..=4).contains(&(end - start)).then_some((value, end))
}

/// `mantissa·10^exponent`, or nothing where the quick way could be wrong.
#[inline(always)]
fn scale(mantissa: u64, exponent: i64) -> Option<f64> {
    let power = *POWERS.get(exponent.unsigned_abs() as usize)?;
    if mantissa > 1 << 53 {
        return None;
    }
    let value = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
    let sure = value.to_bits() & BEYOND_F32 != HALF && (value >= f64::from(f32::MIN_POSITIVE) || mantissa == 0);
    sure.then_some(value)
}

/// What a cell holds; `cell` has no blanks at its ends.
pub(in crate::data) fn classify(cell: &[u8]) -> Cell {
    if let Some((value, exact, length)) = leading_number(cell)
        && length == cell.len()
    {
        return checked(value, exact);
    }
    match cell {
        [] => Cell::Missing,
        // Nothing that begins otherwise is a number, an infinity or missing.
        [b'0'..=b'9' | b'+' | b'-' | b'.' | b'n' | b'N' | b'i' | b'I' | b'?' | b'\\', ..] => classify_slowly(cell),
        _ => Cell::Text,
    }
}

fn classify_slowly(cell: &[u8]) -> Cell {
    if is_missing_word(cell) {
        return Cell::Missing;
    }
    let text = std::str::from_utf8(cell).unwrap_or_default();
    match (text.parse::<f32>(), text.parse::<f64>()) {
        (Ok(value), _) if value.is_nan() => Cell::Missing,
        (Ok(value), Ok(exact)) => checked(value, exact),
        _ => Cell::Text,
    }
}

/// Whether a cell is one of the words that usually stand for a missing value.
pub(in crate::data) fn is_missing_word(cell: &[u8]) -> bool {
    let in_any_case: [&[u8]; 4] = [b"na", b"nan", b"n/a", b"null"];
    matches!(cell, b"?" | b"." | b"-" | b"None" | b"\\N")
        || in_any_case.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

fn checked(value: f32, exact: f64) -> Cell {
    if value.is_finite() { Cell::Number(value, exact) } else { Cell::Beyond }
}

/// Without the blanks at both ends.
pub(in crate::data) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t' | b'\r'] = bytes {
        bytes = rest;
    }
    bytes
}
