//! What the generators share: which random numbers are for what, checks, and the way to a data set.

use crate::array::Matrix;
use crate::cpu::random::permutation::permutation;
use crate::cpu::random::philox::Philox;
use crate::data::{Dataset, Labels, Target};
use crate::error::{Error, Result};

/// What random numbers are for; each purpose has a stream of its own, away from those of the models.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Order,
    Rows,
    Noise,
    Centers,
    Corners,
    FurtherCorners,
    Mixing,
    Redundancy,
    Flips,
    Coefficients,
}

impl Purpose {
    fn stream(self) -> u32 {
        0x6461_7400 + self as u32
    }

    pub(super) fn philox(self, seed: u64) -> Philox {
        Philox::new(seed, self.stream())
    }

    /// The numbers below `count` in random order.
    pub(super) fn permutation(self, seed: u64, count: u32) -> Vec<u32> {
        permutation(seed, self.stream(), count)
    }
}

/// The rows of a generator in random order: row `i` of the result is row `order[i]` of the plan.
pub(super) fn random_order(n_samples: usize, seed: u64) -> Result<Vec<u32>> {
    match u32::try_from(n_samples) {
        Ok(count) if count > 0 => Ok(Purpose::Order.permutation(seed, count)),
        _ => Err(Error::param("n_samples", "from 1 to 2³² − 1", n_samples)),
    }
}

/// A matrix of standard normal numbers.
pub(super) fn normals(rows: usize, columns: usize, seed: u64, purpose: Purpose) -> Result<Matrix> {
    let mut matrix = Matrix::zeros(rows, columns)?;
    purpose.philox(seed).fill_normals(0, matrix.as_mut_slice());
    Ok(matrix)
}

/// A matrix of numbers spread evenly over a range.
pub(super) fn uniforms(shape: (usize, usize), range: (f32, f32), seed: u64, purpose: Purpose) -> Result<Matrix> {
    let mut matrix = Matrix::zeros(shape.0, shape.1)?;
    purpose.philox(seed).fill_uniforms(0, matrix.as_mut_slice());
    matrix.as_mut_slice().iter_mut().for_each(|value| *value = range.0 + (range.1 - range.0) * *value);
    Ok(matrix)
}

/// A data set with columns `x1`, `x2`, … and classes `0`, `1`, ….
pub(super) fn with_classes(x: Matrix, codes: Vec<u32>, classes: usize) -> Result<Dataset> {
    let names = (0..classes).map(|class| class.to_string()).collect();
    finished(x, Target::Classes(Labels::from_codes(codes, names)?))
}

/// A data set with columns `x1`, `x2`, ….
pub(super) fn finished(x: Matrix, target: Target) -> Result<Dataset> {
    let names: Vec<String> = (1..=x.columns()).map(|column| format!("x{column}")).collect();
    Dataset::new(x.with_names(names)?, target)
}

/// Fails unless the value is finite and zero or more.
pub(super) fn zero_or_more(name: &'static str, value: f32) -> Result<()> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(Error::param(name, "zero or more", value)) }
}

/// Fails unless there is at least one.
pub(super) fn at_least_one(name: &'static str, count: usize) -> Result<()> {
    if count > 0 { Ok(()) } else { Err(Error::param(name, "at least 1", count)) }
}
