//! Lines of text in pieces that threads can share out.

use super::source::Source;
use crate::error::Error;

/// Longest line or record; a longer one is an unclosed quote or no table at all.
pub(in crate::data) const LONGEST: usize = 64 << 20;
/// Bytes a task parses at least.
pub(in crate::data) const PIECE: usize = 1 << 18;

/// How often a byte occurs; the compiler makes wide vectors of this.
pub(in crate::data) fn count(bytes: &[u8], wanted: u8) -> usize {
    let block = |block: &[u8]| usize::from(block.iter().map(|byte| u8::from(*byte == wanted)).sum::<u8>());
    bytes.chunks(255).map(block).sum()
}

/// Ends of pieces of whole lines, `size` bytes each or a little more. Nothing if no line is known to be whole; at the
/// `end` of the data the last line is.
pub(in crate::data) fn cut(block: &[u8], size: usize, end: bool) -> Vec<usize> {
    let last = block.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let block = if end { block } else { &block[..last] };
    let mut ends = vec![];
    let mut at = 0;
    while at < block.len() {
        let from = (at + size).min(block.len());
        at = block[from..].iter().position(|byte| *byte == b'\n').map_or(block.len(), |found| from + found + 1);
        ends.push(at);
    }
    ends
}

/// The error of a block that holds no whole line.
pub(in crate::data) fn too_long(source: &Source, block: &[u8], lines: u64) -> Error {
    let hint = if block.contains(&b'"') { "is a quote left open?" } else { "is this a text file of rows?" };
    source.error(Some(lines + 1), None, format!("a line of more than {} MiB; {hint}", LONGEST >> 20))
}
