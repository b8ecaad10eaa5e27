//! How the values of a Parquet page are written (parquet-format, Encodings.md).

/// Bits of whole numbers, the lowest first.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, at: 0 }
    }

    /// The next `width` bits, at most 64.
    pub(super) fn next(&mut self, width: usize) -> Option<u64> {
        if self.at + width > 8 * self.bytes.len() {
            return None;
        }
        let (mut number, mut done) = (0_u64, 0);
        while done < width {
            let (byte, inside) = (self.bytes[self.at / 8], self.at % 8);
            let take = (8 - inside).min(width - done);
            let part = u64::from(byte >> inside) & ((1_u64 << take) - 1);
            number |= part << done;
            (done, self.at) = (done + take, self.at + take);
        }
        Some(number)
    }
}

/// Runs of one number and groups of packed ones, at most `count` numbers of so many bits.
pub(super) fn runs(bytes: &[u8], width: usize, count: usize) -> Option<Vec<u32>> {
    let (mut made, mut at) = (Vec::new(), 0);
    if width > 32 {
        return None;
    }
    while made.len() < count {
        let (head, length) = varint(bytes.get(at..)?)?;
        at += length;
        if head & 1 == 0 {
            let size = width.div_ceil(8);
            let own = bytes.get(at..at + size)?;
            at += size;
            let number = own.iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
            let times = usize::try_from(head >> 1).ok()?.min(count - made.len());
            if times == 0 {
                return None;
            }
            made.resize(made.len() + times, number);
        } else {
            let groups = usize::try_from(head >> 1).ok()?;
            let size = groups.checked_mul(width)?;
            let own = &bytes[at.min(bytes.len())..at.checked_add(size)?.min(bytes.len())];
            at += size;
            let (mut bits, wanted) = (Bits::new(own), groups.checked_mul(8)?.min(count - made.len()));
            if wanted == 0 {
                return None;
            }
            for _ in 0..wanted {
                made.push(bits.next(width)? as u32);
            }
        }
    }
    Some(made)
}

/// A number of seven bits a byte, and its length.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let (mut number, mut shift) = (0_u64, 0);
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some((number, at + 1));
        }
        shift += 7;
    }
    None
}

fn zigzag(bytes: &[u8]) -> Option<(i64, usize)> {
    let (number, length) = varint(bytes)?;
    Some(((number >> 1) as i64 ^ -((number & 1) as i64), length))
}

/// Differences in blocks of packed numbers; the numbers, at most `most`, and how many bytes they take.
pub(super) fn deltas(bytes: &[u8], most: usize) -> Option<(Vec<i64>, usize)> {
    let mut at = 0;
    let next = |at: &mut usize| {
        let (number, length) = varint(bytes.get(*at..)?)?;
        *at += length;
        usize::try_from(number).ok()
    };
    let (block, parts, count) = (next(&mut at)?, next(&mut at)?, next(&mut at)?);
    let (first, length) = zigzag(bytes.get(at..)?)?;
    at += length;
    if count > most || parts == 0 || block == 0 || block % parts != 0 || block > 1 << 20 {
        return None;
    }
    let (mut made, mut last) = (vec![], first);
    if count > 0 {
        made.push(first);
    }
    let size = block / parts;
    while made.len() < count {
        let (least, length) = zigzag(bytes.get(at..)?)?;
        at += length;
        let widths = bytes.get(at..at + parts)?;
        at += parts;
        for width in widths {
            if made.len() >= count {
                break;
            }
            let width = usize::from(*width);
            if width > 64 {
                return None;
            }
            let own = &bytes[at.min(bytes.len())..(at + (width * size).div_ceil(8)).min(bytes.len())];
            at += (width * size).div_ceil(8);
            let mut bits = Bits::new(own);
            for _ in 0..size.min(count - made.len()) {
                last = last.wrapping_add(least).wrapping_add(bits.next(width)? as i64);
                made.push(last);
            }
        }
    }
    Some((made, at.min(bytes.len())))
}

/// Lengths as differences, then the texts end to end.
pub(super) fn delta_lengths(bytes: &[u8], most: usize) -> Option<(Vec<&[u8]>, usize)> {
    let (lengths, mut at) = deltas(bytes, most)?;
    let mut made = Vec::with_capacity(lengths.len());
    for length in lengths {
        let end = at.checked_add(usize::try_from(length).ok()?)?;
        made.push(bytes.get(at..end)?);
        at = end;
    }
    Some((made, at))
}

/// Texts of which each begins with a part of the one before.
pub(super) fn delta_texts(bytes: &[u8], most: usize) -> Option<Vec<Vec<u8>>> {
    let (prefixes, at) = deltas(bytes, most)?;
    let (ends, _) = delta_lengths(bytes.get(at..)?, most)?;
    let mut made: Vec<Vec<u8>> = vec![];
    for (prefix, end) in prefixes.into_iter().zip(ends) {
        let last = made.last().map_or(&[][..], Vec::as_slice);
        let own = [last.get(..usize::try_from(prefix).ok()?)?, end].concat();
        made.push(own);
    }
    Some(made)
}
