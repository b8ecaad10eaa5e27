//! From a container to the bytes of a model file.

use std::io::{self, Write};
use std::path::Path;

use super::atomic::write_atomically_with;
use super::container::Container;
use super::header::{self, Checksum, DIGITS, START};
use super::tensor::Tensor;
use crate::error::Result;

/// A file about to be written: everything before the tensors, with the right checksum, and the tensors in order.
struct Encoded<'a> {
    start: Vec<u8>,
    tensors: Vec<(String, &'a Tensor)>,
}

impl Container {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let encoded = self.encode()?;
        let mut bytes = Vec::with_capacity(encoded.length());
        encoded.write_to(&mut bytes).map_err(|error| self.refuse(error.to_string()))?;
        Ok(bytes)
    }

    /// Writes the model file. What was there before stays whole until the new file is complete.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let encoded = self.encode()?;
        write_atomically_with(path, |file| encoded.write_to(file))
    }

    fn encode(&self) -> Result<Encoded<'_>> {
        let mut tensors = Vec::new();
        self.file_tensors("", &mut tensors);
        tensors.sort_by(|left, right| {
            header::order(left.1.element(), &left.0).cmp(&header::order(right.1.element(), &right.0))
        });
        let header = header::render(self, &tensors).map_err(|why| self.refuse(why))?;
        let mut start = (header.len() as u64).to_le_bytes().to_vec();
        start.extend_from_slice(header.as_bytes());

        let mut checksum = Checksum::new();
        checksum.add(&start);
        tensors.iter().for_each(|(_, tensor)| checksum.add(&tensor.bytes()));
        let place = 8 + START.len();
        start[place..place + DIGITS].copy_from_slice(checksum.digits().as_bytes());
        Ok(Encoded { start, tensors })
    }
}

impl Encoded<'_> {
    fn length(&self) -> usize {
        self.start.len() + self.tensors.iter().map(|(_, tensor)| tensor.byte_count()).sum::<usize>()
    }

    fn write_to(&self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(&self.start)?;
        self.tensors.iter().try_for_each(|(_, tensor)| writer.write_all(&tensor.bytes()))
    }
}
