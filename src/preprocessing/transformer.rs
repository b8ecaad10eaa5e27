//! The contract of fitted transformers: each says what becomes of a matrix and of its columns; what is checked, where the
//! rows live and how the new columns are described is the same for all.

use std::fmt::Debug;

use super::table::column_names;
use crate::array::{ColumnInfo, Matrix};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Declared, Estimator, Fit, InputColumns, Model, OwnedRows, Parameters, Rows, Save, Transform};
use crate::ops::{self, ColumnLines};

/// A fitted transformer: that is [`Model`] and [`Transform`] for it.
pub trait Transformer: Save + Debug + Send + Sync + 'static {
    /// What rows it takes, for one that takes sparse rows with some parameters only.
    const TAKES: &'static str = "dense rows";

    /// Columns of the rows that were fitted.
    fn columns(&self) -> usize;

    /// The new columns of columns with these names: the name of each, and which of the old ones it still is, if any.
    /// Columns of numbers with the old names, unless written.
    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        names.into_iter().map(|name| (name, None)).collect()
    }

    /// The new rows on the host. `x` has the fitted width, and no missing values unless the estimator takes them.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix>;

    /// The new rows where `x` lives; made on the host, unless written.
    fn transform_there(&self, x: Rows<'_>) -> Result<OwnedRows> {
        OwnedRows::beside(x, transformed(self, &to_transform(self, x)?)?)
    }
}

impl<M: Transformer> Transform for M {}

impl<M: Transformer> Model for M {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        self.transform_there(x)
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        let (names, kept): (Vec<_>, Vec<_>) = described(self, Some(&input.names));
        let categories = |at: usize| input.categories.get(at).cloned().flatten();
        Some(InputColumns { names, categories: kept.into_iter().map(|kept| kept.and_then(categories)).collect() })
    }
}

/// Names of the new columns, and which of the old ones they still are.
fn described<M: Transformer>(model: &M, names: Option<&[String]>) -> (Vec<String>, Vec<Option<usize>>) {
    model.new_columns(column_names(names, model.columns())).into_iter().unzip()
}

/// The new rows of checked ones, with what is known of their columns.
pub(super) fn transformed<M: Transformer>(model: &M, x: &Matrix) -> Result<Matrix> {
    Ok(model.transform_matrix(x)?.with_column_info(new_info(model, x)))
}

/// What is known of the columns that are made of those of `x`.
pub(super) fn new_info<M: Transformer>(model: &M, x: &Matrix) -> ColumnInfo {
    if *x.column_info() == ColumnInfo::default() {
        return ColumnInfo::default();
    }
    let (names, kept) = described(model, x.names());
    x.column_info().derive(x.names().map(|_| names), kept.into_iter())
}

/// Checks rows to fit, wherever they are: at least one, with a column; categories only if the estimator takes them, and no
/// weights.
pub(super) fn check_fit<E: Estimator + Declared>(estimator: &E, x: Rows<'_>, options: &Fit<'_>) -> Result<()>
where
    E::Model: Transformer,
{
    let (op, abilities) = (E::TYPE, estimator.abilities());
    options.refuse_weights(op)?;
    let (info, columns) = x.column_info();
    match x {
        Rows::Sparse(x) if !abilities.sparse => Err(x.refusal(E::NAME, E::Model::TAKES)),
        _ if x.rows() == 0 || columns == 0 => {
            Err(Error::shape(op, "at least one row and one column", format!("{}×{columns}", x.rows())))
        }
        _ if abilities.categories => Ok(()),
        _ => info.refuse_categories(op),
    }
}

/// Checked rows to fit, on the host; with missing values only if the estimator takes them.
pub(super) fn to_fit<E: Estimator + Declared>(estimator: &E, x: Rows<'_>, options: &Fit<'_>) -> Result<Matrix>
where
    E::Model: Transformer,
{
    check_fit(estimator, x, options)?;
    let x = x.on_host()?;
    if !estimator.abilities().missing {
        x.refuse_missing()?;
    }
    Ok(x)
}

/// Rows to transform, on the host, of the width that was fitted; with missing values only if the estimator takes them.
pub(super) fn to_transform<M: Transformer>(model: &M, x: Rows<'_>) -> Result<Matrix> {
    let x = x.on_host()?;
    check_width(model, x.columns())?;
    if !model.estimator().abilities().missing {
        x.refuse_missing()?;
    }
    Ok(x)
}

/// Rows to turn back, on the host, of the width that `transform` gives.
pub(super) fn to_turn_back<M: Transformer>(_: &M, x: Rows<'_>, columns: usize) -> Result<Matrix> {
    let x = x.on_host()?;
    if x.columns() != columns {
        let expected = format!("{columns} columns, as transform gives");
        return Err(Error::shape(M::Estimator::TYPE, expected, format!("{} columns", x.columns())));
    }
    Ok(x)
}

/// Refuses rows of another width than was fitted.
pub(super) fn check_width<M: Transformer>(model: &M, width: usize) -> Result<()> {
    if width == model.columns() {
        return Ok(());
    }
    let expected = format!("{} columns, as in the data that was fitted", model.columns());
    Err(Error::shape(M::Estimator::TYPE, expected, format!("{width} columns")))
}

/// Each value by the line of its column, where the rows live; lines of sparse rows have neither centre nor base.
pub(super) fn affine_rows<M: Transformer>(model: &M, x: Rows<'_>, lines: ColumnLines) -> Result<OwnedRows> {
    if let Rows::Sparse(x) = x {
        if !model.estimator().abilities().sparse {
            return Err(x.refusal(M::Estimator::NAME, M::TAKES));
        }
        check_width(model, x.columns())?;
        // In f64 and rounded once, as dense columns are.
        let scaled = x.map(|_, column, value| (f64::from(value) * lines.factor[column]) as f32)?;
        return Ok(OwnedRows::Sparse(scaled));
    }
    let on_device = x.on_device()?;
    check_width(model, on_device.columns())?;
    let mut stream = on_device.device().stream();
    let moved = ops::affine(&mut stream, &on_device, &lines)?;
    match (x, on_device.device()) {
        (Rows::Device(_), Device::Gpu(_)) => Ok(OwnedRows::Device(moved)),
        // On the CPU the values are shared, and what is beyond the range of `f32` is refused now.
        (Rows::Device(_), Device::Cpu) => moved.to_matrix(&mut stream).map(|_| OwnedRows::Device(moved)),
        _ => moved.to_matrix(&mut stream).map(OwnedRows::Host),
    }
}

/// Each value by the line of its column, on the host.
pub(super) fn affine(x: &Matrix, lines: ColumnLines) -> Result<Matrix> {
    let mut stream = Device::Cpu.stream();
    ops::affine(&mut stream, &x.to(&Device::Cpu)?, &lines)?.to_matrix(&mut stream)
}
