//! A matrix on the host.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{ColumnInfo, DeviceMatrix, Exact};
use crate::device::Device;
use crate::error::{Error, Result};

/// A matrix on the host: n×d values of `f32`, row by row, with optional names of its columns, some of which may be
/// categorical ([`Matrix::with_categories`]). Cloning shares the values.
///
/// NaN means missing; infinity is refused when the matrix is used.
///
/// ```
/// use gristmill::Matrix;
/// let x = Matrix::from_rows(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
/// assert_eq!((x.rows(), x.columns()), (2, 3));
/// assert_eq!(x.row(1), [4.0, 5.0, 6.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Clone)]
pub struct Matrix {
    pub(super) values: Arc<Vec<f32>>,
    rows: usize,
    columns: usize,
    pub(super) info: ColumnInfo,
    /// The numbers of columns that `f32` would round too far.
    pub(super) exact: Exact,
    /// The first missing value, once the one pass over the values has been made.
    checked: OnceLock<Option<(usize, usize)>>,
}

impl Matrix {
    /// A matrix of `rows`×`columns` from its values, row by row. No copy.
    pub fn from_vec(rows: usize, columns: usize, values: Vec<f32>) -> Result<Matrix> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(Error::shape("Matrix", format!("{rows}×{columns} values"), format!("{} values", values.len())));
        }
        let (values, info, exact) = (Arc::new(values), ColumnInfo::default(), Exact::default());
        Ok(Matrix { values, rows, columns, info, exact, checked: OnceLock::new() })
    }

    /// A matrix from a slice of values, row by row.
    pub fn from_slice(rows: usize, columns: usize, values: &[f32]) -> Result<Matrix> {
        Matrix::from_vec(rows, columns, values.to_vec())
    }

    /// A matrix from rows: arrays, slices or vectors of one length.
    pub fn from_rows<R: AsRef<[f32]>>(rows: &[R]) -> Result<Matrix> {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        if let Some((at, row)) = rows.iter().enumerate().find(|(_, row)| row.as_ref().len() != columns) {
            return Err(Error::shape(
                "Matrix::from_rows",
                format!("{columns} values in each row, as in the first"),
                format!("{} in row {at}", row.as_ref().len()),
            ));
        }
        let values = rows.iter().flat_map(|row| row.as_ref()).copied().collect();
        Matrix::from_vec(rows.len(), columns, values)
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Result<Matrix> {
        let out_of_memory = || Error::OutOfMemory { what: format!("{rows}×{columns} values on the host") };
        let count = rows.checked_mul(columns).ok_or_else(out_of_memory)?;
        // A zeroed vector that cannot be had ends the process; asking first gives an error instead.
        Vec::<f32>::new().try_reserve_exact(count).map_err(|_| out_of_memory())?;
        Matrix::from_vec(rows, columns, vec![0.0; count])
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All values, row by row.
    pub fn as_slice(&self) -> &[f32] {
        &self.values
    }

    /// The values of one row. Panics when `row` is out of range, as indexing does.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// The values of one column. Panics when `column` is out of range, as indexing does.
    ///
    /// ```
    /// use gristmill::Matrix;
    /// let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.with_names(["a", "b"])?;
    /// assert_eq!(x.column(1), [2.0, 4.0]);
    /// assert_eq!(x.to_string(), "a  b\n1  2\n3  4\n2 rows × 2 columns");
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn column(&self, column: usize) -> Vec<f32> {
        (0..self.rows).map(|row| self.get(row, column)).collect()
    }

    /// One value. Panics when out of range, as indexing does.
    pub fn get(&self, row: usize, column: usize) -> f32 {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        self.values[row * self.columns + column]
    }

    /// All values, to change them. They are copied first if another matrix shares them.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        (self.checked, self.exact) = (OnceLock::new(), Exact::default());
        Arc::make_mut(&mut self.values).as_mut_slice()
    }

    /// The values, row by row; without a copy unless another matrix shares them.
    pub fn into_vec(self) -> Vec<f32> {
        Arc::try_unwrap(self.values).unwrap_or_else(|shared| shared.to_vec())
    }

    /// A matrix whose values have been seen to be finite, every one, so that the pass over them is not made again.
    pub(crate) fn known_complete(self) -> Matrix {
        debug_assert!(matches!(first_missing(&self.values, self.columns), Ok(None)));
        let _ = self.checked.set(None);
        self
    }

    /// Copies the matrix to a device. On the CPU the values are shared and nothing is copied.
    ///
    /// An infinity is an error with its row and column. Missing values are allowed here; what does not accept them
    /// refuses the matrix later.
    pub fn to(&self, device: &Device) -> Result<DeviceMatrix> {
        DeviceMatrix::upload(self, device)
    }

    /// Row and column of the first missing value, or an error for the first infinity. One pass, whose result is kept.
    pub fn check_finite(&self) -> Result<Option<(usize, usize)>> {
        if let Some(missing) = self.checked.get() {
            return Ok(*missing);
        }
        let missing = first_missing(&self.values, self.columns)?;
        Ok(*self.checked.get_or_init(|| missing))
    }

    /// Refuses a missing value, with its place.
    pub(crate) fn refuse_missing(&self) -> Result<()> {
        match self.check_finite()? {
            Some((row, column)) => Err(Error::NotFinite { row, column, value: f64::NAN }),
            None => Ok(()),
        }
    }
}

impl PartialEq for Matrix {
    /// The same shape, names, categories and bits; missing equals missing.
    fn eq(&self, other: &Matrix) -> bool {
        let bits = |matrix: &Matrix| matrix.values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        (self.rows, self.columns, &self.info) == (other.rows, other.columns, &other.info)
            && self.exact == other.exact
            && (Arc::ptr_eq(&self.values, &other.values) || bits(self) == bits(other))
    }
}

/// Values that are looked at together; a block without NaN or infinity is passed over quickly.
const BLOCK: usize = 1 << 15;

pub(super) fn first_missing(values: &[f32], columns: usize) -> Result<Option<(usize, usize)>> {
    const EXPONENT: u32 = 0x7f80_0000;
    let place = |at: usize| (at / columns, at % columns);
    let suspect =
        |block: &[f32]| block.iter().fold(0, |found, value| found | u32::from(value.to_bits() & EXPONENT == EXPONENT));
    // (first missing, first infinite) of each suspect block, in order.
    let found: Vec<(Option<usize>, Option<usize>)> = values
        .par_chunks(BLOCK)
        .enumerate()
        .filter(|(_, block)| suspect(block) != 0)
        .map(|(number, block)| {
            let first = |wanted: fn(&f32) -> bool| block.iter().position(wanted).map(|at| number * BLOCK + at);
            (first(|value| value.is_nan()), first(|value| value.is_infinite()))
        })
        .collect();
    if let Some(at) = found.iter().find_map(|(_, infinite)| *infinite) {
        let (row, column) = place(at);
        return Err(Error::NotFinite { row, column, value: values[at] as f64 });
    }
    Ok(found.iter().find_map(|(missing, _)| *missing).map(place))
}
