//! Text as it is read: without lines that are left out, in UTF-8, and with one blank between cells if blanks part them.

use std::io::{BufRead, BufReader, Read};

use crate::data::options::{Encoding, ReadOptions};

/// Longest line that is looked at as a whole; the rest of a longer one is passed on as it is.
const LONGEST: u64 = 1 << 22;

/// What is done to each line. Lines that are left out stay as empty ones, so that lines keep their numbers.
pub(super) struct Cleaned<R> {
    lines: BufReader<R>,
    comment: Vec<u8>,
    skip: usize,
    latin1: bool,
    blanks: bool,
    ready: Vec<u8>,
    used: usize,
}

/// Whether anything is to be done.
pub(super) fn is_needed(options: &ReadOptions, blanks: bool) -> bool {
    blanks || !options.comment.is_empty() || options.skip_lines > 0 || options.encoding == Encoding::Latin1
}

impl<R: Read> Cleaned<R> {
    pub(super) fn new(reader: R, options: &ReadOptions, blanks: bool) -> Cleaned<R> {
        Cleaned {
            lines: BufReader::with_capacity(1 << 16, reader),
            comment: options.comment.clone().into_bytes(),
            skip: options.skip_lines,
            latin1: options.encoding == Encoding::Latin1,
            blanks,
            ready: vec![],
            used: 0,
        }
    }

    /// Makes the next line ready.
    fn next_line(&mut self) -> std::io::Result<()> {
        let mut line = vec![];
        self.lines.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        let skipped = self.skip > 0 || (!self.comment.is_empty() && line.starts_with(&self.comment));
        if line.ends_with(b"\n") {
            self.skip = self.skip.saturating_sub(1);
        }
        if skipped {
            line.retain(|byte| *byte == b'\n');
        }
        if self.latin1 {
            line = line.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes();
        }
        self.ready = if self.blanks { one_blank(&line) } else { line };
        self.used = 0;
        Ok(())
    }
}

/// The line with one blank wherever there were several, and none at its ends; what is in quotes stays.
fn one_blank(line: &[u8]) -> Vec<u8> {
    let mut made = Vec::with_capacity(line.len());
    let (mut quoted, mut waiting) = (false, false);
    for &byte in line {
        match byte {
            b' ' | b'\t' | b'\r' if !quoted => waiting = !made.is_empty(),
            b'\n' => {
                made.push(byte);
                waiting = false;
            }
            _ => {
                if std::mem::take(&mut waiting) {
                    made.push(b' ');
                }
                quoted ^= byte == b'"';
                made.push(byte);
            }
        }
    }
    made
}

impl<R: Read> Read for Cleaned<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.used == self.ready.len() {
            if self.lines.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.next_line()?;
        }
        let count = buffer.len().min(self.ready.len() - self.used);
        buffer[..count].copy_from_slice(&self.ready[self.used..self.used + count]);
        self.used += count;
        Ok(count)
    }
}
