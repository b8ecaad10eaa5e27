//! Where cells and records end. A quote counts only at the beginning of a cell, and a newline within quotes is text.

use std::ops::Range;

use crate::data::formats::lines::{self, count};

/// One cell, as found by [`next_cell`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// The text, without quotes around it or blanks at its ends.
    pub(super) text: Range<usize>,
    /// Where the next cell or record begins.
    pub(super) next: usize,
    /// Whether the record ends here.
    pub(super) last: bool,
    pub(super) quotes: Quotes,
}

/// The quotes of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    /// Around the text.
    Around,
    /// Around the text, and doubled within it.
    Doubled,
    /// Around the first part of the cell only.
    Misplaced,
    /// Opened and not closed before the bytes end.
    Open,
}

/// The cell that begins at `at`.
pub(super) fn next_cell(bytes: &[u8], at: usize, delimiter: u8) -> Cell {
    let start = skip_blanks(bytes, at, delimiter);
    if bytes.get(start) == Some(&b'"') {
        return quoted_cell(bytes, start + 1, delimiter);
    }
    let (end, next, last) = cell_end(bytes, start, delimiter);
    Cell { text: start..trimmed(bytes, start, end), next, last, quotes: Quotes::None }
}

fn quoted_cell(bytes: &[u8], start: usize, delimiter: u8) -> Cell {
    let mut at = start;
    let mut quotes = Quotes::Around;
    loop {
        let Some(found) = bytes[at..].iter().position(|byte| *byte == b'"') else {
            return Cell { text: start..bytes.len(), next: bytes.len(), last: true, quotes: Quotes::Open };
        };
        at += found + 1;
        if bytes.get(at) != Some(&b'"') {
            break;
        }
        quotes = Quotes::Doubled;
        at += 1;
    }
    let (end, next, last) = cell_end(bytes, at, delimiter);
    if trimmed(bytes, at, end) > at {
        return Cell { text: start - 1..end, next, last, quotes: Quotes::Misplaced };
    }
    Cell { text: start..at - 1, next, last, quotes }
}

fn skip_blanks(bytes: &[u8], mut at: usize, delimiter: u8) -> usize {
    while let Some(&byte) = bytes.get(at) {
        if !matches!(byte, b' ' | b'\t') || byte == delimiter {
            break;
        }
        at += 1;
    }
    at
}

fn trimmed(bytes: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
        end -= 1;
    }
    end
}

/// Where an unquoted rest of a cell ends, where the next cell begins, and whether that is another record's.
fn cell_end(bytes: &[u8], at: usize, delimiter: u8) -> (usize, usize, bool) {
    match bytes[at..].iter().position(|byte| *byte == delimiter || *byte == b'\n') {
        Some(found) => (at + found, at + found + 1, bytes[at + found] == b'\n'),
        None => (bytes.len(), bytes.len(), true),
    }
}

/// Where the empty lines from `at` on end.
#[inline(always)]
pub(super) fn skip_empty_lines(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b'\n') => at += 1,
            Some(b'\r') if matches!(bytes.get(at + 1), Some(b'\n') | None) => at += 1,
            _ => return at,
        }
    }
}

/// Where the record that begins at `at` ends, or nothing if a quote of it stays open.
pub(super) fn record_end(bytes: &[u8], mut at: usize, delimiter: u8) -> Option<usize> {
    loop {
        let cell = next_cell(bytes, at, delimiter);
        if cell.quotes == Quotes::Open {
            return None;
        }
        if cell.last {
            return Some(cell.next);
        }
        at = cell.next;
    }
}

/// The cells of the record that begins at `at`.
pub(super) fn cells(bytes: &[u8], at: usize, delimiter: u8) -> impl Iterator<Item = Cell> {
    let mut next = Some(at);
    std::iter::from_fn(move || {
        let cell = next_cell(bytes, next?, delimiter);
        next = (!cell.last).then_some(cell.next);
        Some(cell)
    })
}

/// Ends of pieces of whole records, `size` bytes each or a little more. Nothing if no record is known to be whole;
/// at the `end` of the data the last record is.
pub(super) fn cut(block: &[u8], delimiter: u8, size: usize, end: bool) -> Vec<usize> {
    if count(block, b'"') > 0 { cut_with_quotes(block, delimiter, size, end) } else { lines::cut(block, size, end) }
}

fn cut_with_quotes(block: &[u8], delimiter: u8, size: usize, end: bool) -> Vec<usize> {
    let mut ends = vec![];
    let (mut at, mut piece) = (0, 0);
    while at < block.len() {
        let next = match record_end(block, at, delimiter) {
            Some(next) if next < block.len() || block[next - 1] == b'\n' || end => next,
            None if end => block.len(),
            _ => break,
        };
        at = next;
        if at - piece >= size {
            ends.push(at);
            piece = at;
        }
    }
    if at > piece {
        ends.push(at);
    }
    ends
}
