//! What the transformers share: checked input, blocks of rows in parallel, names of columns.

use rayon::prelude::*;

use crate::array::Matrix;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{OwnedRows, Rows};
use crate::model_file::Container;
use crate::ops;

/// Numbers that a task reads or writes, some 20 µs.
const BLOCK_NUMBERS: usize = 1 << 16;

/// Rows of numbers to fit, on the host: at least one of them, and at least one column.
pub(super) fn to_fit(op: &'static str, x: Rows<'_>) -> Result<Matrix> {
    let x = codes_to_fit(op, x)?;
    x.column_info().refuse_categories(op)?;
    Ok(x)
}

/// The same for what takes categories too.
pub(super) fn codes_to_fit(op: &'static str, x: Rows<'_>) -> Result<Matrix> {
    let x = x.on_host()?;
    if x.rows() == 0 || x.columns() == 0 {
        let (expected, got) = ("at least one row and one column", format!("{}×{}", x.rows(), x.columns()));
        return Err(Error::Shape { op, expected: expected.to_string(), got });
    }
    Ok(x)
}

/// Rows to transform, on the host, of the width that was fitted.
pub(super) fn to_transform(op: &'static str, x: Rows<'_>, columns: usize) -> Result<Matrix> {
    let x = x.on_host()?;
    check_width(op, x.columns(), columns)?;
    Ok(x)
}

fn check_width(op: &'static str, width: usize, columns: usize) -> Result<()> {
    if width == columns {
        return Ok(());
    }
    let expected = format!("{columns} columns, as in the data that was fitted");
    Err(Error::Shape { op, expected, got: format!("{width} columns") })
}

/// `(x − center)·factor + base` for each value, with the numbers of its column, where the rows live; of the width that was
/// fitted.
pub(super) fn affine_rows(
    op: &'static str,
    x: Rows<'_>,
    columns: usize,
    lines: impl Iterator<Item = (f64, f64, f64)>,
) -> Result<OwnedRows> {
    let Rows::Device(on_device) = x else {
        return Ok(OwnedRows::Host(affine(&to_transform(op, x, columns)?, lines)?));
    };
    check_width(op, on_device.columns(), columns)?;
    let mut stream = on_device.device().stream();
    let moved = ops::affine(&mut stream, on_device, &lines.collect())?;
    if let Device::Cpu = on_device.device() {
        // Shares the values, and refuses what is beyond the range of `f32` now.
        moved.to_matrix(&mut stream)?;
    }
    Ok(OwnedRows::Device(moved))
}

/// Rows to turn back, on the host, of the width that `transform` gives.
pub(super) fn to_turn_back(op: &'static str, x: Rows<'_>, columns: usize) -> Result<Matrix> {
    let x = x.on_host()?;
    if x.columns() != columns {
        let expected = format!("{columns} columns, as transform gives");
        return Err(Error::Shape { op, expected, got: format!("{} columns", x.columns()) });
    }
    Ok(x)
}

/// Refuses a missing value, with its place.
pub(super) fn refuse_missing(x: &Matrix) -> Result<()> {
    match x.check_finite()? {
        Some((row, column)) => Err(Error::NotFinite { row, column, value: f64::NAN }),
        None => Ok(()),
    }
}

/// A matrix of n×`columns`: `map` gets the number of a block's first row, the block's rows, and room for its results.
///
/// Of several failures the one in the lowest block is returned. A result beyond the range of `f32` is an error.
pub(super) fn map_blocks(
    x: &Matrix,
    columns: usize,
    map: impl Fn(usize, &[f32], &mut [f32]) -> Result<()> + Sync,
) -> Result<Matrix> {
    let mut out = Matrix::zeros(x.rows(), columns)?;
    if x.columns() == 0 || columns == 0 {
        return Ok(out);
    }
    let rows = (BLOCK_NUMBERS / columns.max(x.columns())).max(1);
    let sources = x.as_slice().par_chunks(rows * x.columns());
    let blocks = sources.zip(out.as_mut_slice().par_chunks_mut(rows * columns)).enumerate();
    let done: Vec<Result<()>> = blocks.map(|(block, (source, target))| map(block * rows, source, target)).collect();
    done.into_iter().collect::<Result<()>>()?;
    out.check_finite()?;
    Ok(out)
}

/// [`map_blocks`] for rows that do not depend on their number and cannot fail.
pub(super) fn map_rows(x: &Matrix, columns: usize, map: impl Fn(&[f32], &mut [f32]) + Sync) -> Result<Matrix> {
    map_blocks(x, columns, |_, source, target| {
        let pairs = source.chunks_exact(x.columns()).zip(target.chunks_exact_mut(columns));
        pairs.for_each(|(row, out)| map(row, out));
        Ok(())
    })
}

/// `(x − center)·factor + base` for each value, with the numbers of its column.
pub(super) fn affine(x: &Matrix, lines: impl Iterator<Item = (f64, f64, f64)>) -> Result<Matrix> {
    let mut stream = Device::Cpu.stream();
    ops::affine(&mut stream, &x.to(&Device::Cpu)?, &lines.collect())?.to_matrix(&mut stream)
}

/// The names of `columns` columns: those given, or `x0`, `x1`, … where there are none or not as many.
pub(super) fn column_names(input: Option<&[String]>, columns: usize) -> Vec<String> {
    match input {
        Some(names) if names.len() == columns => names.to_vec(),
        _ => (0..columns).map(|column| format!("x{column}")).collect(),
    }
}

/// Names the columns of `result` when those of the input have names.
pub(super) fn named(
    result: Matrix,
    input: &Matrix,
    names: impl FnOnce(Option<&[String]>) -> Vec<String>,
) -> Result<Matrix> {
    match input.names() {
        Some(given) => result.with_names(names(Some(given))),
        None => Ok(result),
    }
}

/// Puts the number of fitted columns into a container that holds no array of that length.
pub(super) fn store_columns(container: &mut Container, columns: usize) -> Result<()> {
    container.insert("columns", &[1], vec![columns as u64])
}

/// Takes it out again.
pub(super) fn restore_columns(container: &mut Container) -> Result<usize> {
    let columns: Vec<u64> = container.take("columns", &[1])?;
    match columns.first().map(|columns| usize::try_from(*columns)) {
        Some(Ok(columns)) if columns > 0 => Ok(columns),
        _ => Err(container.refuse("the number of columns cannot be")),
    }
}

/// Puts lists of different lengths into a container: `<name>` holds them one after the other, `<name>.counts` how long
/// each is.
pub(super) fn store_lists(container: &mut Container, name: &str, lists: &[Vec<f64>]) -> Result<()> {
    let counts: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
    let values: Vec<f64> = lists.concat();
    container.insert(&format!("{name}.counts"), &[counts.len()], counts)?;
    container.insert(name, &[values.len()], values)
}

/// Takes them out again; each has at least `shortest` values.
pub(super) fn restore_lists(container: &mut Container, name: &str, shortest: usize) -> Result<Vec<Vec<f64>>> {
    let counts_name = format!("{name}.counts");
    let ([lists], [total]) = (container.shape(&counts_name)?, container.shape(name)?);
    let counts: Vec<u64> = container.take(&counts_name, &[lists])?;
    let values: Vec<f64> = container.take(name, &[total])?;
    let unfit = || container.refuse(format!("the lists of {name} are not as long as they should be"));
    let mut rest = values.as_slice();
    let mut taken = Vec::with_capacity(lists);
    for count in counts {
        let count = usize::try_from(count).map_err(|_| unfit())?;
        let (list, behind) = rest.split_at_checked(count).filter(|_| count >= shortest).ok_or_else(unfit)?;
        taken.push(list.to_vec());
        rest = behind;
    }
    if rest.is_empty() && !taken.is_empty() { Ok(taken) } else { Err(unfit()) }
}
