//! Where bytes come from: a file or memory, decompressed if they are gzip.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::MultiGzDecoder;

use super::clean::{Cleaned, is_needed};
use crate::data::options::ReadOptions;
use crate::error::{Error, Result};

/// Bytes looked at to find the format.
const HEAD: usize = 4096;
const GZIP: [u8; 2] = [0x1f, 0x8b];
#[cfg(feature = "zstd")]
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Blocks grow with what has been read, so that a small file never costs a large buffer.
const SMALLEST_BLOCK: u64 = 1 << 17;
const LARGEST_BLOCK: u64 = 1 << 22;

/// Bytes of a data file in their order, with what its errors need.
pub(in crate::data) struct Source<'a> {
    /// What stands for the file in errors.
    pub(in crate::data) name: String,
    reader: Box<dyn Read + Send + 'a>,
    head: Vec<u8>,
    /// How much of the head has been handed out.
    used: usize,
    taken: u64,
    compressed: bool,
    /// The file, if its bytes are the data's bytes.
    path: Option<PathBuf>,
    /// Bytes of data, where they can be known before they are read.
    length: Option<u64>,
    /// Bytes of the compressed data, where they are known.
    packed: Option<u64>,
}

impl Source<'static> {
    /// Opens a file; whether it is compressed is found from its content.
    pub(in crate::data) fn open(path: &Path) -> Result<Source<'static>> {
        if path == Path::new("-") {
            return Source::standard_input();
        }
        let name = path.display().to_string();
        let failed = |why: std::io::Error| Error::Io { path: name.clone(), why: format!("cannot be read: {why}") };
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        let length = about.is_file().then_some(about.len());
        Source::new(name, Box::new(file), length.map(|_| path.to_path_buf()), length)
    }

    /// Standard input. It comes once only, so its bytes are kept: who looks for a header reads them again.
    fn standard_input() -> Result<Source<'static>> {
        static BYTES: OnceLock<std::result::Result<Vec<u8>, String>> = OnceLock::new();
        let read = || {
            let mut bytes = vec![];
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes).map_err(|why| why.to_string())
        };
        match BYTES.get_or_init(read) {
            Ok(bytes) => Source::memory("standard input", bytes),
            Err(why) => Err(Error::Io { path: "standard input".to_string(), why: format!("cannot be read: {why}") }),
        }
    }
}

impl<'a> Source<'a> {
    /// Bytes in memory under a name.
    pub(in crate::data) fn memory(name: &str, bytes: &'a [u8]) -> Result<Source<'a>> {
        Source::new(name.to_string(), Box::new(bytes), None, Some(bytes.len() as u64))
    }

    fn new(
        name: String,
        mut reader: Box<dyn Read + Send + 'a>,
        path: Option<PathBuf>,
        length: Option<u64>,
    ) -> Result<Source<'a>> {
        let head = read_head(&mut reader).map_err(|why| fault(&name, false, &why))?;
        #[cfg(feature = "zstd")]
        if head.starts_with(&ZSTD) {
            let inside = ruzstd::decoding::StreamingDecoder::new(Cursor::new(head).chain(reader));
            let inside = inside.map_err(|why| fault(&name, true, &std::io::Error::other(why.to_string())))?;
            let mut reader: Box<dyn Read + Send + 'a> = Box::new(inside);
            let head = read_head(&mut reader).map_err(|why| fault(&name, true, &why))?;
            let (compressed, path, packed) = (true, None, length);
            return Ok(Source { name, reader, head, used: 0, taken: 0, compressed, path, length: None, packed });
        }
        if !head.starts_with(&GZIP) {
            return Ok(Source { name, reader, head, used: 0, taken: 0, compressed: false, path, length, packed: None });
        }
        let inside = MultiGzDecoder::new(BufReader::new(Cursor::new(head).chain(reader)));
        let mut reader: Box<dyn Read + Send + 'a> = Box::new(inside);
        let head = read_head(&mut reader).map_err(|why| fault(&name, true, &why))?;
        Ok(Source { name, reader, head, used: 0, taken: 0, compressed: true, path: None, length: None, packed: length })
    }

    /// The same text without what the options leave out; `blanks` part its cells. Nothing may have been taken yet.
    pub(super) fn cleaned(self, options: &ReadOptions, blanks: bool) -> Result<Source<'a>> {
        if !is_needed(options, blanks) {
            return Ok(self);
        }
        let Source { name, reader, head, compressed, packed, .. } = self;
        let mut reader: Box<dyn Read + Send + 'a> =
            Box::new(Cleaned::new(Cursor::new(head).chain(reader), options, blanks));
        let head = read_head(&mut reader).map_err(|why| fault(&name, compressed, &why))?;
        // What is left out or recoded makes the text shorter or longer: its length is not known.
        Ok(Source { name, reader, head, used: 0, taken: 0, compressed, packed, path: None, length: None })
    }

    /// The first bytes, at most 4096, whether or not they have been taken.
    pub(in crate::data) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The file, if its bytes are the data's bytes.
    pub(in crate::data) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Bytes of data, where they can be known before they are read.
    pub(in crate::data) fn length(&self) -> Option<u64> {
        self.length
    }

    /// Bytes of the compressed data, where they are known.
    pub(super) fn packed(&self) -> Option<u64> {
        self.packed
    }

    /// Bytes handed out so far.
    pub(in crate::data) fn taken(&self) -> u64 {
        self.taken
    }

    /// Appends the next bytes, at most `most`; fewer only at the end.
    pub(in crate::data) fn take(&mut self, buffer: &mut Vec<u8>, most: usize) -> Result<usize> {
        // The extra room spares the reader a growing step when it looks for the end.
        buffer.reserve(most + 32);
        let from_head = most.min(self.head.len() - self.used);
        buffer.extend_from_slice(&self.head[self.used..self.used + from_head]);
        self.used += from_head;
        let rest = (most - from_head) as u64;
        let read = if rest == 0 { Ok(0) } else { self.reader.by_ref().take(rest).read_to_end(buffer) };
        let count = from_head + read.map_err(|why| fault(&self.name, self.compressed, &why))?;
        self.taken += count as u64;
        Ok(count)
    }

    /// Appends a block whose size suits what has been read so far; 0 at the end.
    pub(in crate::data) fn take_block(&mut self, buffer: &mut Vec<u8>) -> Result<usize> {
        // At least as much as is there already: a long record is then looked through a few times only.
        let suits = self.taken.clamp(SMALLEST_BLOCK, LARGEST_BLOCK).max(buffer.len() as u64);
        let left = self.length.map_or(suits, |length| length.saturating_sub(self.taken).max(1));
        self.take(buffer, suits.min(left) as usize)
    }

    /// All bytes that are left.
    pub(in crate::data) fn take_all(&mut self) -> Result<Vec<u8>> {
        let mut bytes = vec![];
        while self.take_block(&mut bytes)? > 0 {}
        Ok(bytes)
    }

    /// An error in the content.
    pub(in crate::data) fn error(&self, line: Option<u64>, column: Option<String>, why: impl Into<String>) -> Error {
        Error::Data { path: self.name.clone(), line, column, why: why.into() }
    }
}

fn read_head(reader: &mut (impl Read + ?Sized)) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD + 32);
    reader.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// A broken compressed stream is the content's fault, anything else the system's.
fn fault(name: &str, compressed: bool, why: &std::io::Error) -> Error {
    let path = name.to_string();
    if compressed && why.raw_os_error().is_none() {
        let why = format!("the stream (gzip or zstd) is broken or cut off: {why}");
        return Error::Data { path, line: None, column: None, why };
    }
    Error::Io { path, why: format!("cannot be read: {why}") }
}

/// Room for `more` elements in steps of a half, which keeps a growing table near its size.
pub(in crate::data) fn reserve_gently<T>(values: &mut Vec<T>, more: usize) {
    let needed = values.len() + more;
    if needed > values.capacity() {
        values.reserve_exact(needed.max(values.capacity() + values.capacity() / 2) - values.len());
    }
}
