//! What the transformers share: blocks of rows in parallel, names of columns, lists in model files.

use rayon::prelude::*;

use crate::array::Matrix;
use crate::error::Result;
use crate::model_file::Container;

/// Numbers that a task reads or writes, some 20 µs.
const BLOCK_NUMBERS: usize = 1 << 16;

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

/// The names of `columns` columns: those given, or `x0`, `x1`, … where there are none or not as many.
pub(super) fn column_names(input: Option<&[String]>, columns: usize) -> Vec<String> {
    match input {
        Some(names) if names.len() == columns => names.to_vec(),
        _ => (0..columns).map(|column| format!("x{column}")).collect(),
    }
}

/// Puts the number of fitted columns into a container that holds no array of that length.
pub(super) fn store_columns(container: &mut Container, columns: usize) -> Result<()> {
    container.insert("columns", &[1], vec![columns as u64])
}

/// Takes it out again.
pub(super) fn restore_columns(container: &mut Container) -> Result<usize> {
    let columns: Vec<u64> = container.take("columns", &[1])?;
    match container.size("columns", columns[0])? {
        0 => Err(container.refuse("the number of columns cannot be")),
        columns => Ok(columns),
    }
}

/// Saves models that are made again from their parameters and the number of their columns: estimator, model, and how.
macro_rules! saved_by_columns {
    ($estimator:ident => $model:ident, $make:expr) => {
        impl crate::estimator::Save for $model {
            type Estimator = $estimator;

            fn save_fitted(&self, container: &mut Container) -> Result<()> {
                crate::preprocessing::table::store_columns(container, self.columns)
            }

            fn load_fitted(params: FittedWith<$estimator>, container: &mut Container) -> Result<$model> {
                let columns = crate::preprocessing::table::restore_columns(container)?;
                let made: Result<$model> = $make(params, columns);
                made.map_err(|error| container.refuse(error.to_string()))
            }
        }
    };
}

pub(super) use saved_by_columns;

/// Puts lists of different lengths into a container: `<name>` holds them one after the other, `<name>.counts` how long
/// each is.
pub(super) fn store_lists(container: &mut Container, name: &str, lists: &[Vec<f64>]) -> Result<()> {
    let counts: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
    container.insert_list(&format!("{name}.counts"), &counts)?;
    container.insert_list(name, &lists.concat())
}

/// Takes them out again; each has at least `shortest` values.
pub(super) fn restore_lists(container: &mut Container, name: &str, shortest: usize) -> Result<Vec<Vec<f64>>> {
    let counts: Vec<u64> = container.take_list(&format!("{name}.counts"))?;
    let values: Vec<f64> = container.take_list(name)?;
    let unfit = || container.refuse(format!("the lists of {name} are not as long as they should be"));
    let mut rest = values.as_slice();
    let mut taken = Vec::with_capacity(counts.len());
    for count in counts {
        let count = usize::try_from(count).map_err(|_| unfit())?;
        let (list, behind) = rest.split_at_checked(count).filter(|_| count >= shortest).ok_or_else(unfit)?;
        taken.push(list.to_vec());
        rest = behind;
    }
    if rest.is_empty() && !taken.is_empty() { Ok(taken) } else { Err(unfit()) }
}
