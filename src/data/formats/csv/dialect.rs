//! The delimiter and the header, found by looking at the first lines.

use super::records::{cells, record_end, skip_empty_lines};
use crate::data::formats::notation::Notation;
use crate::data::formats::number::{Cell, trim};
use crate::data::options::Header;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines that are looked at.
const SAMPLE: usize = 32;

/// The delimiter that each of the first lines has equally often, or each but the first, which may be a title; else the
/// most frequent one of the first line.
pub(super) fn delimiter(block: &[u8]) -> u8 {
    let counts = count_delimiters(block);
    let most = |line: &[u32; 4], wanted: &dyn Fn(usize) -> bool| {
        let found = (0..4).filter(|at| line[*at] > 0 && wanted(*at)).max_by_key(|at| (line[*at], 4 - at));
        found.map(|at| DELIMITERS[at])
    };
    let steady = |lines: &[[u32; 4]]| {
        let first = lines.first()?;
        most(first, &|at| lines.iter().all(|line| line[at] == first[at]))
    };
    let below_a_title = || counts.get(1..).filter(|below| below.len() > 1).and_then(steady);
    let frequent = || most(counts.first()?, &|_| true);
    steady(&counts).or_else(below_a_title).or_else(frequent).unwrap_or(b',')
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

/// Whether blanks part the cells of the first lines: none of the usual delimiters does, every line has as many words, two
/// at least, and below the first line most of them are numbers, or those of a whole column of several lines.
pub(super) fn parted_by_blanks(head: &[u8], notation: &Notation) -> bool {
    let mut lines: Vec<&[u8]> = head.split(|byte| *byte == b'\n').take(SAMPLE).collect();
    // The last line may be cut off.
    lines.pop();
    let words = |line: &[u8]| {
        let words = line.split(|byte| matches!(byte, b' ' | b'\t' | b'\r')).filter(|word| !word.is_empty());
        words.map(|word| matches!(notation.classify(word), Cell::Number(..))).collect::<Vec<bool>>()
    };
    let lines: Vec<Vec<bool>> = lines.into_iter().map(words).filter(|words| !words.is_empty()).collect();
    let [first, below @ ..] = &lines[..] else { return false };
    let cells: Vec<bool> = below.iter().flatten().copied().collect();
    let numbers = cells.iter().filter(|number| **number).count();
    let steady = first.len() > 1 && below.iter().all(|words| words.len() == first.len());
    let others = || head.iter().any(|byte| b",;|\"".contains(byte)) || (head.contains(&b'\t') && !head.contains(&b' '));
    let a_column = || (0..first.len()).any(|at| below.iter().all(|words| words[at]));
    steady && (2 * numbers > cells.len() || below.len() > 3 && first.len() > 2 && a_column()) && !others()
}

/// Whether the first record is a header, and what to say if that is not clear.
pub(super) struct HeaderGuess {
    pub(super) found: bool,
    pub(super) doubt: Option<&'static str>,
}

const TAKEN_FOR_NAMES: &str = "the first line is taken for the names of the columns; --header no if it is a row";
const TAKEN_FOR_A_ROW: &str = "the first line is taken for a row; --header yes if it names the columns";

/// Whether the first record of the block is a header.
pub(super) fn has_header(block: &[u8], delimiter: u8, notation: &Notation, wanted: Header) -> HeaderGuess {
    if wanted != Header::Auto {
        return HeaderGuess { found: wanted == Header::Yes, doubt: None };
    }
    let kind = |text: &[u8]| match notation.classify(trim(text)) {
        Cell::Beyond | Cell::Number(..) => Cell::Number(0.0, 0.0),
        other => other,
    };
    let is_number = |text: &[u8]| matches!(kind(text), Cell::Number(..));
    let lines = sample(block, delimiter);
    let Some((first, below)) = lines.split_first() else { return HeaderGuess { found: false, doubt: None } };
    let column = |at: usize| below.iter().filter_map(move |line| line.get(at).copied());
    let is_text = |at: &usize| kind(first[*at]) == Cell::Text;
    let texts: Vec<usize> = (0..first.len()).filter(is_text).collect();
    if texts.iter().any(|at| column(*at).any(is_number)) {
        return HeaderGuess { found: true, doubt: None };
    }
    // A name does not recur below it; where the texts below recur among themselves, that is telling.
    let recurs = |at: usize| column(at).any(|text| text == first[at]);
    let distinct = |at: usize| column(at).collect::<std::collections::BTreeSet<_>>().len();
    let any_recurs = texts.iter().any(|at| recurs(*at));
    let telling = !any_recurs && texts.iter().any(|at| below.len() >= 4 && 2 * distinct(*at) <= below.len());
    let counted = counts_up(first) && !below.iter().all(|line| counts_up(line));
    if texts.is_empty() {
        return HeaderGuess { found: false, doubt: counted.then_some(TAKEN_FOR_A_ROW) };
    }
    if !first.iter().any(|text| is_number(text)) {
        return HeaderGuess { found: true, doubt: (!telling).then_some(TAKEN_FOR_NAMES) };
    }
    let found = telling || (counted && !any_recurs);
    HeaderGuess { found, doubt: (!found && !any_recurs && !below.is_empty()).then_some(TAKEN_FOR_A_ROW) }
}

/// Whether the integers of a record count up by one, as years or numbers of columns do.
fn counts_up(cells: &[&[u8]]) -> bool {
    let number = |text: &&[u8]| std::str::from_utf8(text).ok()?.trim().parse::<i64>().ok();
    let numbers: Vec<i64> = cells.iter().filter_map(number).collect();
    numbers.len() > 1 && numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

/// The cells of the first records that are whole, or of the first one alone.
fn sample(block: &[u8], delimiter: u8) -> Vec<Vec<&[u8]>> {
    let (mut lines, mut at) = (vec![], skip_empty_lines(block, 0));
    while at < block.len() && lines.len() <= SAMPLE {
        let Some(end) = record_end(block, at, delimiter) else { break };
        lines.push(cells(block, at, delimiter).map(|cell| &block[cell.text]).collect());
        at = skip_empty_lines(block, end);
    }
    lines
}
