//! LIBSVM: lines of a target and `index:value` pairs, indices from 1 and ascending; what is not there is zero.

use rayon::prelude::*;

use super::lines::{LONGEST, PIECE, count, cut, too_long};
use super::number::{Cell, classify, trim};
use super::source::Source;
use crate::array::SparseMatrix;
use crate::data::missing::ADVICE;
use crate::data::options::{Missing, ReadOptions};
use crate::data::read::{Raw, check_budget, check_width};
use crate::error::{Error, Result};

/// Bytes of a dense matrix above which a file is read sparse, unless the options decide.
const LARGE: u64 = 256 << 20;
/// Columns up to which it is.
const WIDEST: usize = 1 << 24;
/// What to do about missing values in sparse rows.
const REMEDY: &str = "drop such rows (--missing drop), or read them dense (--dense)";

/// The rows of some lines. Kept as they come, since no dense row can be made before the largest index is known.
#[derive(Default)]
struct Piece {
    labels: Vec<f64>,
    /// Pairs of each row.
    counts: Vec<u32>,
    indices: Vec<u32>,
    values: Vec<f32>,
    lines: usize,
}

/// The first line that is wrong.
struct Fault {
    /// The byte where it begins.
    at: usize,
    index: Option<String>,
    why: String,
}

/// The features as they were asked for.
pub(in crate::data) enum Features {
    Dense(Raw),
    /// With what stands for the file in errors.
    Sparse(String, SparseMatrix),
}

/// Reads the features and the targets.
pub(in crate::data) fn read(mut source: Source, options: &ReadOptions) -> Result<(Features, Vec<f64>)> {
    let pieces = read_pieces(&mut source, options)?;
    let rows: usize = pieces.iter().map(|piece| piece.labels.len()).sum();
    let largest = pieces.par_iter().flat_map_iter(|piece| &piece.indices).copied().max().unwrap_or(0) as usize;
    let columns = options.width.unwrap_or(largest);
    if rows == 0 || columns == 0 {
        let why = format!("{rows} rows with indices up to {columns}; expected lines of a target and index:value pairs");
        return Err(source.error(None, None, why));
    }
    let bytes = 4 * (rows as u64).saturating_mul(columns as u64);
    if options.sparse.unwrap_or(bytes > LARGE && columns <= WIDEST) {
        return compress(source, pieces, columns, options);
    }
    check_budget(&source.name, (rows as u64).saturating_mul(columns as u64), options.budget)?;
    check_width(&source.name, rows as u64, columns as u64, source.taken())?;
    let full = |_| Error::OutOfMemory { what: format!("{rows}×{columns} values on the host") };
    // A zeroed vector that cannot be had ends the process; asking first gives an error instead.
    Vec::<f32>::new().try_reserve_exact(rows * columns).map_err(full)?;
    let mut values = vec![0.0; rows * columns];
    let mut rest = &mut values[..];
    let mut parts = vec![];
    for piece in &pieces {
        let (part, behind) = rest.split_at_mut(piece.labels.len() * columns);
        parts.push((piece, part));
        rest = behind;
    }
    parts.into_par_iter().for_each(|(piece, part)| spread(piece, columns, part));
    let complete = options.missing == Missing::Refuse;
    let labels = pieces.iter().flat_map(|piece| &piece.labels).copied().collect();
    let raw = Raw { complete, ..Raw::new(source.name, columns, values) };
    Ok((Features::Dense(raw), labels))
}

/// The pieces as compressed rows. Where missing values are not refused, rows with one can only be dropped.
fn compress(source: Source, pieces: Vec<Piece>, columns: usize, options: &ReadOptions) -> Result<(Features, Vec<f64>)> {
    let pairs: usize = pieces.iter().map(|piece| piece.values.len()).sum();
    let rows: usize = pieces.iter().map(|piece| piece.labels.len()).sum();
    check_budget(&source.name, 2 * (pairs as u64 + rows as u64), options.budget)?;
    let (mut offsets, mut indices) = (Vec::with_capacity(rows + 1), Vec::with_capacity(pairs));
    offsets.push(0);
    let (mut values, mut labels) = (Vec::with_capacity(pairs), Vec::with_capacity(rows));
    let mut number = 0;
    for piece in pieces {
        let mut at = 0;
        for (label, count) in piece.labels.iter().zip(&piece.counts) {
            let own = at..at + *count as usize;
            (at, number) = (own.end, number + 1);
            let missing = piece.values[own.clone()].iter().position(|value| value.is_nan());
            match (missing, options.missing) {
                (None, _) => {}
                (Some(_), Missing::Drop) => continue,
                (Some(place), _) => {
                    let column = piece.indices[own.start + place].to_string();
                    let why = format!("row {number} has no value there, and sparse rows have none missing; {REMEDY}");
                    return Err(source.error(None, Some(column), why));
                }
            }
            indices.extend(piece.indices[own.clone()].iter().map(|index| index - 1));
            values.extend_from_slice(&piece.values[own]);
            offsets.push(values.len());
            labels.push(*label);
        }
    }
    if labels.is_empty() {
        return Err(source.error(None, None, "every row has a missing value, so none is left"));
    }
    let sparse = SparseMatrix::from_parts(columns, offsets, indices, values)?;
    Ok((Features::Sparse(source.name, sparse), labels))
}

/// Writes the pairs of a piece to their places among zeros.
fn spread(piece: &Piece, columns: usize, out: &mut [f32]) {
    let mut pairs = piece.indices.iter().zip(&piece.values);
    for (row, count) in out.chunks_mut(columns).zip(&piece.counts) {
        pairs.by_ref().take(*count as usize).for_each(|(index, value)| row[*index as usize - 1] = *value);
    }
}

fn read_pieces(source: &mut Source, options: &ReadOptions) -> Result<Vec<Piece>> {
    let most = options.width.map_or(u32::MAX, |width| u32::try_from(width).unwrap_or(u32::MAX));
    let refuse = options.missing == Missing::Refuse;
    let (mut pieces, mut lines) = (vec![], 0_u64);
    let (mut block, mut ahead) = (vec![], vec![]);
    let mut ended = source.take_block(&mut block)? == 0;
    loop {
        let ends = cut(&block, PIECE, ended);
        let Some(&whole) = ends.last() else {
            if ended {
                return Ok(pieces);
            }
            if block.len() > LONGEST {
                return Err(too_long(source, &block, lines));
            }
            ended = source.take_block(&mut block)? == 0;
            continue;
        };
        ahead.clear();
        ahead.extend_from_slice(&block[whole..]);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let (parsed, taken) = rayon::join(
            || starts.par_windows(2).map(|at| parse(&block[at[0]..at[1]], most, refuse)).collect::<Vec<_>>(),
            || if ended { Ok(0) } else { source.take_block(&mut ahead) },
        );
        for (piece, start) in parsed.into_iter().zip(starts) {
            let piece = piece.map_err(|fault| {
                let line = lines + count(&block[start..start + fault.at], b'\n') as u64 + 1;
                source.error(Some(line), fault.index, fault.why)
            })?;
            lines += piece.lines as u64;
            pieces.push(piece);
        }
        ended |= taken? == 0;
        std::mem::swap(&mut block, &mut ahead);
    }
}

/// Parses whole lines; `most` is the largest index there may be.
fn parse(bytes: &[u8], most: u32, refuse_missing: bool) -> std::result::Result<Piece, Fault> {
    let (lines, pairs) = (count(bytes, b'\n'), count(bytes, b':'));
    let mut piece = Piece { lines, ..Piece::default() };
    piece.labels.reserve_exact(lines + 1);
    piece.counts.reserve_exact(lines + 1);
    piece.indices.reserve_exact(pairs);
    piece.values.reserve_exact(pairs);
    let mut at = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        let content = line.split(|byte| *byte == b'#').next().unwrap_or(line);
        let row = add_row(&mut piece, trim(content), most, refuse_missing);
        row.map_err(|(index, why)| Fault { at, index, why })?;
        at += line.len() + 1;
    }
    Ok(piece)
}

type Wrong = (Option<String>, String);

fn add_row(piece: &mut Piece, line: &[u8], most: u32, refuse_missing: bool) -> std::result::Result<(), Wrong> {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let Some(label) = words.next() else { return Ok(()) };
    let Cell::Number(_, label) = classify(label) else {
        return Err((None, format!("expected the line to begin with a number, its target, found {:?}", shown(label))));
    };
    let first = piece.indices.len();
    for word in words {
        if word.starts_with(b"qid:") {
            continue;
        }
        let last = if piece.indices.len() > first { piece.indices[piece.indices.len() - 1] } else { 0 };
        let (index, value) = pair(word, last, most)?;
        if value.is_nan() && refuse_missing {
            return Err((Some(index.to_string()), format!("the value is missing; {ADVICE}")));
        }
        piece.indices.push(index);
        piece.values.push(value);
    }
    piece.labels.push(label);
    piece.counts.push((piece.indices.len() - first) as u32);
    Ok(())
}

/// An index above the `last` one of its row and its value, NaN if missing.
fn pair(word: &[u8], last: u32, most: u32) -> std::result::Result<(u32, f32), Wrong> {
    let colon = word.iter().position(|byte| *byte == b':');
    let Some((index, value)) = colon.map(|at| (&word[..at], &word[at + 1..])) else {
        return Err((None, format!("expected index:value, found {:?}", shown(word))));
    };
    let digits = index.iter().all(u8::is_ascii_digit) && !index.is_empty() && index.len() <= 20;
    let number = index
        .iter()
        .fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0'))));
    let place = || Some(shown(index));
    if !digits || number == 0 {
        return Err((place(), format!("expected an index from 1, found {:?}", shown(word))));
    }
    if number > u64::from(most) {
        return Err((place(), format!("expected an index up to {most}, found {number}")));
    }
    if number <= u64::from(last) {
        return Err((place(), format!("expected indices in ascending order, found {number} after {last}")));
    }
    match classify(value) {
        Cell::Number(value, _) => Ok((number as u32, value)),
        Cell::Missing if !value.is_empty() => Ok((number as u32, f32::NAN)),
        Cell::Beyond => Err((place(), format!("{:?} is beyond the range of f32, ±3.4e38; rescale it", shown(value)))),
        _ => Err((place(), format!("expected a number behind the colon, found {:?}", shown(value)))),
    }
}

/// A word for a message.
fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word).chars().take(40).collect()
}
