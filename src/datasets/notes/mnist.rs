//! The notes' hundred images.

use std::path::Path;

use crate::array::Matrix;
use crate::data::{Dataset, Labels, Target};
use crate::error::{Error, Result};

/// Where the validation images begin.
const VALIDATION: usize = 50_000;
const COUNT: usize = 100;

/// The notes' `mnist.npz`, from the files of MNIST in a folder (`train-images-idx3-ubyte` and `train-labels-idx1-ubyte`,
/// with or without `.gz`): training images 0–99 to fit and 50000–50099 to validate, pixels over 256.
///
/// The printed singular values of the notes agree with these rows to six digits; that the validation part is these
/// images is inferred from its number of zeros and ones. MNIST is not part of the crate.
pub fn mnist_100(folder: impl AsRef<Path>) -> Result<(Dataset, Dataset)> {
    let images = read(folder.as_ref(), "train-images-idx3-ubyte")?;
    let digits = read(folder.as_ref(), "train-labels-idx1-ubyte")?;
    let part = |from: usize| {
        let rows: Vec<usize> = (from..from + COUNT).collect();
        let mut x = images.select(&rows)?;
        x.as_mut_slice().iter_mut().for_each(|pixel| *pixel /= 256.0);
        let digits = digits.select(&rows)?;
        let names = (0..10).map(|digit| digit.to_string()).collect();
        let codes = digits.as_slice().iter().map(|digit| *digit as u32).collect();
        Dataset::new(x, Target::Classes(Labels::from_codes(codes, names)?))
    };
    Ok((part(0)?, part(VALIDATION)?))
}

fn read(folder: &Path, name: &str) -> Result<Matrix> {
    let (plain, packed) = (folder.join(name), folder.join(format!("{name}.gz")));
    let path = if plain.exists() { plain } else { packed };
    if !path.exists() {
        let why = "is not there; MNIST is not part of the crate, give the folder with its four files".to_string();
        return Err(Error::Io { path: path.display().to_string(), why });
    }
    Ok(Dataset::read(path)?.x)
}
