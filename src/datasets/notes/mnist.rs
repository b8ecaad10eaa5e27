//! The notes' hundred images.

use std::io::Read;
use std::path::Path;

use crate::array::Matrix;
use crate::data::{Dataset, Labels, Target};
use crate::error::{Error, Result};

/// Where the validation images begin.
const VALIDATION: usize = 50_000;
const COUNT: usize = 100;

/// The notes' `mnist.npz`, from the files of MNIST in a folder (`train-images-idx3-ubyte` and `train-labels-idx1-ubyte`, with or
/// without `.gz`): training images 0–99 to fit and 50000–50099 to validate, pixels over 256.
///
/// The printed singular values of the notes agree with these rows to six digits; that the validation part is these
/// images is inferred from its number of zeros and ones.
pub fn mnist_100(folder: impl AsRef<Path>) -> Result<(Dataset, Dataset)> {
    let images = idx(folder.as_ref(), "train-images-idx3-ubyte", 3)?;
    let labels = idx(folder.as_ref(), "train-labels-idx1-ubyte", 1)?;
    let part = |from: usize| {
        let pixels = images.size;
        let own = images.bytes.get(from * pixels..(from + COUNT) * pixels);
        let (Some(own), Some(digits)) = (own, labels.bytes.get(from..from + COUNT)) else {
            return Err(images.refuse(format!("it has no images {from} to {}", from + COUNT - 1)));
        };
        let x = Matrix::from_vec(COUNT, pixels, own.iter().map(|pixel| f32::from(*pixel) / 256.0).collect())?;
        let names = (0..10).map(|digit| digit.to_string()).collect();
        Dataset::new(
            x,
            Target::Classes(Labels::from_codes(digits.iter().map(|digit| u32::from(*digit)).collect(), names)?),
        )
    };
    Ok((part(0)?, part(VALIDATION)?))
}

/// A file in the IDX format of bytes.
struct Idx {
    path: String,
    /// Bytes of one item.
    size: usize,
    bytes: Vec<u8>,
}

impl Idx {
    fn refuse(&self, why: String) -> Error {
        Error::Data { path: self.path.clone(), line: None, column: None, why }
    }
}

fn idx(folder: &Path, name: &str, dimensions: usize) -> Result<Idx> {
    let (plain, packed) = (folder.join(name), folder.join(format!("{name}.gz")));
    let is_packed = !plain.exists();
    let path = if is_packed { packed } else { plain };
    let failed = |error: std::io::Error| Error::Io {
        path: path.display().to_string(),
        why: format!("cannot be read: {error}; MNIST is not part of the crate, give the folder with its four files"),
    };
    let read = std::fs::read(&path).map_err(failed)?;
    let mut bytes = vec![];
    match is_packed {
        true => flate2::read::GzDecoder::new(&read[..]).read_to_end(&mut bytes).map(drop).map_err(failed)?,
        false => bytes = read,
    }
    let header = 4 + 4 * dimensions;
    let mut file = Idx { path: path.display().to_string(), size: 1, bytes };
    if file.bytes.len() < header || file.bytes[..4] != [0, 0, 8, dimensions as u8] {
        return Err(file.refuse(format!("it is no IDX file of bytes with {dimensions} dimensions")));
    }
    let size = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| file.bytes[4 + 4 * at + byte])) as usize;
    let (count, item) = (size(0), (1..dimensions).map(size).fold(1, usize::saturating_mul));
    if count.checked_mul(item) != Some(file.bytes.len() - header) {
        return Err(file.refuse(format!("its header promises {count} items of {item} bytes")));
    }
    file.size = item;
    file.bytes.drain(..header);
    Ok(file)
}
