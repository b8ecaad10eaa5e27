//! The delimiter and the header, found by looking at the first lines.

use super::records::{cells, record_end, skip_empty_lines};
use crate::data::formats::number::{Cell, classify};
use crate::data::options::Header;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines that are looked at.
const SAMPLE: usize = 32;

/// The delimiter that each of the first lines has equally often, else the most frequent one of the first line.
pub(super) fn delimiter(block: &[u8]) -> u8 {
    let counts = count_delimiters(block);
    let Some(first) = counts.first() else { return b',' };
    let steady = |at: &usize| first[*at] > 0 && counts.iter().all(|line| line[*at] == first[*at]);
    let most = |candidates: &mut dyn Iterator<Item = usize>| candidates.max_by_key(|at| (first[*at], 4 - at));
    let found = most(&mut (0..4).filter(steady)).or_else(|| most(&mut (0..4).filter(|at| first[*at] > 0)));
    found.map_or(b',', |at| DELIMITERS[at])
}

/// How often each delimiter stands outside quotes in the first lines that are not empty.
fn count_delimiters(block: &[u8]) -> Vec<[u32; 4]> {
    let mut lines = vec![];
    let (mut line, mut quoted, mut empty) = ([0; 4], false, true);
    for &byte in block {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                if !empty {
                    lines.push(line);
                }
                (line, empty) = ([0; 4], true);
                if lines.len() == SAMPLE {
                    return lines;
                }
                continue;
            }
            _ if quoted => {}
            _ => {
                if let Some(at) = DELIMITERS.iter().position(|delimiter| *delimiter == byte) {
                    line[at] += 1;
                }
            }
        }
        empty &= byte == b'\r';
    }
    // The last line may be cut off; it counts only if there is no other.
    if lines.is_empty() && !empty {
        lines.push(line);
    }
    lines
}

/// Whether the first record of the block is a header.
pub(super) fn has_header(block: &[u8], delimiter: u8, wanted: Header) -> bool {
    match wanted {
        Header::Yes => return true,
        Header::No => return false,
        Header::Auto => {}
    }
    let start = skip_empty_lines(block, 0);
    let kinds = |at: usize| cells(block, at, delimiter).map(|cell| classify(&block[cell.text]));
    let is_number = |kind: Cell| matches!(kind, Cell::Number(_) | Cell::Beyond);
    if !kinds(start).any(is_number) && kinds(start).any(|kind| kind == Cell::Text) {
        return true;
    }
    let mut at = start;
    for _ in 0..SAMPLE {
        let Some(end) = record_end(block, at, delimiter) else { return false };
        at = skip_empty_lines(block, end);
        if at >= block.len() {
            return false;
        }
        let beneath = kinds(start).zip(kinds(at)).find(|(above, below)| *above == Cell::Text && is_number(*below));
        if beneath.is_some() {
            return true;
        }
    }
    false
}
