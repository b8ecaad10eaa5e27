//! The rows that estimators and models take.

use std::ops::Deref;

use super::align::Queries;
use crate::array::{ColumnInfo, DeviceMatrix, Matrix, SparseMatrix};
use crate::data::Dataset;
use crate::device::Device;
use crate::error::{Error, Result};

/// Rows on the host or on a device: what `fit` and `predict` take. A `&Matrix`, `&DeviceMatrix`, `&SparseMatrix` or
/// `&Dataset` converts into it. The work runs where the rows are: for a host matrix that is the CPU, without a copy.
#[derive(Debug, Clone, Copy)]
pub enum Rows<'a> {
    /// A host matrix.
    Host(&'a Matrix),
    /// A matrix on a device.
    Device(&'a DeviceMatrix),
    /// A sparse matrix on the host, for estimators that take it ([`Abilities::sparse`](super::Abilities)).
    Sparse(&'a SparseMatrix),
}

/// Conversions of borrowed values into the variant that holds them.
macro_rules! borrowed {
    ($($from:ty $(where $length:ident)? => $to:ident::$variant:ident $(by $into:ident)?),* $(,)?) => {$(
        impl<'a $(, const $length: usize)?> From<&'a $from> for $to<'a> {
            fn from(value: &'a $from) -> Self {
                $to::$variant(value$(.$into())?)
            }
        }
    )*};
}

pub(super) use borrowed;

borrowed!(Matrix => Rows::Host, DeviceMatrix => Rows::Device, SparseMatrix => Rows::Sparse);

/// The features of a dataset, dense or sparse.
impl<'a> From<&'a Dataset> for Rows<'a> {
    fn from(data: &'a Dataset) -> Self {
        data.sparse.as_ref().map_or(Rows::Host(&data.x), Rows::Sparse)
    }
}

/// Owned rows, on the host or on a device: what `transform` returns for [`Rows`].
#[derive(Debug)]
pub enum OwnedRows {
    /// A host matrix.
    Host(Matrix),
    /// A matrix on a device.
    Device(DeviceMatrix),
    /// A sparse matrix on the host.
    Sparse(SparseMatrix),
}

impl OwnedRows {
    /// The features of a dataset on a device; sparse ones stay on the host.
    pub fn on(device: &Device, data: &Dataset) -> Result<OwnedRows> {
        match &data.sparse {
            Some(sparse) => Ok(OwnedRows::Sparse(sparse.clone())),
            None => Ok(OwnedRows::Device(data.x.to(device)?)),
        }
    }

    /// Rows that were made on the host, brought to where `x` lives.
    pub fn beside(x: Rows<'_>, made: Matrix) -> Result<OwnedRows> {
        match x {
            Rows::Device(of) => Ok(OwnedRows::Device(made.to(of.device())?)),
            _ => Ok(OwnedRows::Host(made)),
        }
    }

    /// These rows, borrowed.
    pub fn rows(&self) -> Rows<'_> {
        match self {
            OwnedRows::Host(matrix) => Rows::Host(matrix),
            OwnedRows::Device(matrix) => Rows::Device(matrix),
            OwnedRows::Sparse(matrix) => Rows::Sparse(matrix),
        }
    }

    /// The rows on the host; sparse ones become dense.
    pub fn into_host(self) -> Result<Matrix> {
        match self {
            OwnedRows::Host(matrix) => Ok(matrix),
            OwnedRows::Device(matrix) => matrix.to_matrix(&mut matrix.device().stream()),
            OwnedRows::Sparse(matrix) => matrix.to_dense(),
        }
    }
}

/// Rows that `transform` takes; it returns the same kind of rows.
pub trait Input<'a>: Into<Queries<'a>> {
    /// The kind of rows that comes back.
    type Owned;

    /// The rows as this kind.
    fn owned(op: &'static str, rows: OwnedRows) -> Result<Self::Owned>;
}

impl<'a> Input<'a> for &'a Matrix {
    type Owned = Matrix;

    fn owned(_: &'static str, rows: OwnedRows) -> Result<Matrix> {
        rows.into_host()
    }
}

impl<'a> Input<'a> for &'a DeviceMatrix {
    type Owned = DeviceMatrix;

    fn owned(op: &'static str, rows: OwnedRows) -> Result<DeviceMatrix> {
        match rows {
            OwnedRows::Device(matrix) => Ok(matrix),
            OwnedRows::Host(_) | OwnedRows::Sparse(_) => {
                Err(Error::shape(op, "rows on the device of those that were transformed", "rows on the host"))
            }
        }
    }
}

/// Sparse rows stay sparse where the transformer keeps zeros; what it makes dense is made sparse again.
impl<'a> Input<'a> for &'a SparseMatrix {
    type Owned = SparseMatrix;

    fn owned(_: &'static str, rows: OwnedRows) -> Result<SparseMatrix> {
        match rows {
            OwnedRows::Sparse(matrix) => Ok(matrix),
            rows => SparseMatrix::from_dense(&rows.into_host()?),
        }
    }
}

impl<'a> Input<'a> for Rows<'a> {
    type Owned = OwnedRows;

    fn owned(_: &'static str, rows: OwnedRows) -> Result<OwnedRows> {
        Ok(rows)
    }
}

/// What takes no sparse rows takes these.
const DENSE: &str = "dense rows";

/// Rows as a matrix on a device, borrowed or made for the occasion.
pub(crate) enum OnDevice<'a> {
    Borrowed(&'a DeviceMatrix),
    Made(DeviceMatrix),
}

impl Deref for OnDevice<'_> {
    type Target = DeviceMatrix;

    fn deref(&self) -> &DeviceMatrix {
        match self {
            OnDevice::Borrowed(matrix) => matrix,
            OnDevice::Made(matrix) => matrix,
        }
    }
}

impl<'a> Rows<'a> {
    /// Where they live, and so where the work is done.
    pub(crate) fn device(self) -> Device {
        match self {
            Rows::Host(_) | Rows::Sparse(_) => Device::Cpu,
            Rows::Device(matrix) => matrix.device().clone(),
        }
    }

    /// How many there are.
    pub(crate) fn rows(self) -> usize {
        match self {
            Rows::Host(matrix) => matrix.rows(),
            Rows::Device(matrix) => matrix.rows(),
            Rows::Sparse(matrix) => matrix.rows(),
        }
    }

    /// What is known of the columns, and how many there are.
    pub(crate) fn column_info(self) -> (&'a ColumnInfo, usize) {
        match self {
            Rows::Host(matrix) => (matrix.column_info(), matrix.columns()),
            Rows::Device(matrix) => (matrix.column_info(), matrix.columns()),
            Rows::Sparse(matrix) => (matrix.column_info(), matrix.columns()),
        }
    }

    /// The rows on their device; a host matrix becomes one of the CPU, sharing its values. Infinities are refused.
    pub(crate) fn on_device(self) -> Result<OnDevice<'a>> {
        match self {
            Rows::Host(matrix) => Ok(OnDevice::Made(matrix.to(&Device::Cpu)?)),
            Rows::Device(matrix) => Ok(OnDevice::Borrowed(matrix)),
            Rows::Sparse(matrix) => Err(matrix.refusal(Error::SOME_MODEL, DENSE)),
        }
    }

    /// The rows on the host; a matrix on a GPU is copied back. Infinities are refused.
    pub(crate) fn on_host(self) -> Result<Matrix> {
        match self {
            Rows::Host(matrix) => {
                matrix.check_finite()?;
                Ok(matrix.clone())
            }
            Rows::Device(matrix) => matrix.to_matrix(&mut matrix.device().stream()),
            Rows::Sparse(matrix) => Err(matrix.refusal(Error::SOME_MODEL, DENSE)),
        }
    }

    /// Refuses sparse rows, for what takes dense ones.
    pub(crate) fn refuse_sparse(self, op: &'static str) -> Result<()> {
        match self {
            Rows::Sparse(matrix) => Err(matrix.refusal(op, DENSE)),
            _ => Ok(()),
        }
    }

    /// The rows on their device, numbers without missing values, at least one of them, and at least one column.
    pub(crate) fn complete(self, op: &'static str) -> Result<OnDevice<'a>> {
        self.refuse_sparse(op)?;
        let rows = self.on_device()?;
        rows.column_info().refuse_categories(op)?;
        rows.refuse_missing()?;
        if rows.rows() == 0 || rows.columns() == 0 {
            let got = format!("{}×{}", rows.rows(), rows.columns());
            return Err(Error::shape(op, "at least one row and one column", got));
        }
        Ok(rows)
    }

    /// The number of columns, at least one, of rows that there are as many of as targets, at least one. Whether values
    /// may be missing is for whoever looks at them.
    pub(crate) fn complete_rows(self, op: &'static str, targets: usize) -> Result<usize> {
        self.refuse_sparse(op)?;
        let rows = self.on_device()?;
        if rows.rows() != targets || rows.rows() == 0 || rows.columns() == 0 {
            let expected = format!("rows with a column at least, and a target for each; there are {targets} targets");
            return Err(Error::shape(op, expected, format!("{}×{}", rows.rows(), rows.columns())));
        }
        Ok(rows.columns())
    }

    /// Rows to predict for, on their device: no missing values, and as wide as the model was fitted on.
    pub(crate) fn queries(self, op: &'static str, columns: usize) -> Result<OnDevice<'a>> {
        self.refuse_sparse(op)?;
        let rows = self.on_device()?;
        if rows.columns() != columns {
            let expected = format!("{columns} columns, as in the data that was fitted");
            return Err(Error::shape(op, expected, format!("{} columns", rows.columns())));
        }
        rows.refuse_missing()?;
        Ok(rows)
    }
}
