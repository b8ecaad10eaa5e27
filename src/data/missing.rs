//! What becomes of missing values.

use rayon::prelude::*;

use super::choice::places;
use super::dataset::Dataset;
use super::options::Missing;
use crate::array::{Exact, Matrix};
use crate::error::{Error, Result};

/// What to do about a missing value.
pub(super) const ADVICE: &str = "drop such rows, impute them, or keep them for a model that accepts missing values \
                                 (fit --missing drop, mean, median or keep)";

/// Leaves out rows without one of the targets, columns of `x` still; how many went.
pub(super) fn drop_unlabelled(data: Dataset, targets: &[usize], path: &str) -> Result<(Dataset, usize)> {
    let rows = data.x.rows();
    let data = drop_rows(data, path, |row| targets.iter().all(|column| !row[*column].is_nan()))?;
    let dropped = rows - data.x.rows();
    Ok((data, dropped))
}

/// Refuses, drops or replaces the missing values of `x`; those of the targets, columns of `x` still, are never replaced.
pub(super) fn settle(data: Dataset, missing: Missing, targets: &[usize], path: &str) -> Result<Dataset> {
    if missing == Missing::Keep && targets.is_empty() {
        return Ok(data);
    }
    let Some(first) = data.x.check_finite()? else { return Ok(data) };
    match missing {
        Missing::Refuse => Err(refusal(&data, first, path, ADVICE)),
        Missing::Drop => drop_rows(data, path, |row| row.iter().all(|value| !value.is_nan())),
        Missing::Keep | Missing::Mean | Missing::Median => {
            let d = data.x.columns();
            let in_target = |row: usize| targets.iter().find(|column| data.x.get(row, **column).is_nan());
            let blank = (0..data.x.rows()).find_map(|row| in_target(row).map(|column| (row, *column)));
            if let Some(place) = blank {
                return Err(refusal(
                    &data,
                    place,
                    path,
                    "a target is never imputed; drop such rows (--drop-unlabelled)",
                ));
            }
            if missing == Missing::Keep {
                return Ok(data);
            }
            let fill: Vec<Option<f32>> = (0..d).into_par_iter().map(|column| typical(&data, column, missing)).collect();
            replace(data, &fill, path)
        }
    }
}

fn refusal(data: &Dataset, (row, column): (usize, usize), path: &str, advice: &str) -> Error {
    let label = data.x.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
    let why = format!("row {} has no value there; {advice}", row + 1);
    Error::Data { path: path.to_string(), line: None, column: Some(label), why }
}

/// Keeps the rows that are `whole`, and the categories that one of them has.
fn drop_rows(data: Dataset, path: &str, whole: impl Fn(&[f32]) -> bool) -> Result<Dataset> {
    let rows: Vec<usize> = (0..data.x.rows()).filter(|row| whole(data.x.row(*row))).collect();
    if rows.len() == data.x.rows() {
        return Ok(data);
    }
    if rows.is_empty() {
        let why = "every row has a missing value, so none is left; impute them instead".to_string();
        return Err(Error::Data { path: path.to_string(), line: None, column: None, why });
    }
    let mut data = data.select(&rows)?;
    for column in 0..data.x.columns() {
        data.x = forget_unused(data.x, column)?;
    }
    Ok(data)
}

fn forget_unused(mut x: Matrix, column: usize) -> Result<Matrix> {
    let Some(names) = x.categories(column) else { return Ok(x) };
    let d = x.columns();
    let mut used = vec![false; names.len()];
    x.as_slice()
        .iter()
        .skip(column)
        .step_by(d)
        .filter(|code| !code.is_nan())
        .for_each(|code| used[*code as usize] = true);
    if used.iter().all(|used| *used) {
        return Ok(x);
    }
    let names: Vec<String> = names.iter().zip(&used).filter(|(_, used)| **used).map(|(name, _)| name.clone()).collect();
    let (place, exact) = (places(&used), x.exact().clone());
    x.as_mut_slice()
        .iter_mut()
        .skip(column)
        .step_by(d)
        .filter(|code| !code.is_nan())
        .for_each(|code| *code = place[*code as usize] as f32);
    x.with_category_names(column, names)?.with_exact(exact)
}

/// What stands for a missing value of the column; nothing if all are missing. O(n), O(n) memory for a median.
fn typical(data: &Dataset, column: usize, missing: Missing) -> Option<f32> {
    let values = data.x.as_slice().iter().skip(column).step_by(data.x.columns()).filter(|value| !value.is_nan());
    if let Some(names) = data.x.categories(column) {
        let mut counts = vec![0_u64; names.len()];
        values.for_each(|code| counts[*code as usize] += 1);
        // The lowest of equally frequent categories.
        let most = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count).filter(|(_, count)| **count > 0);
        return most.map(|(code, _)| code as f32);
    }
    if missing == Missing::Mean {
        let (sum, count) = values.fold((0.0_f64, 0_u64), |(sum, count), value| (sum + f64::from(*value), count + 1));
        return (count > 0).then(|| (sum / count as f64) as f32);
    }
    let mut values: Vec<f32> = values.copied().collect();
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    if values.is_empty() {
        return None;
    }
    let (below, upper, _) = values.select_nth_unstable_by(middle, f32::total_cmp);
    let upper = f64::from(*upper);
    let lower = if even { f64::from(below.iter().copied().fold(f32::NEG_INFINITY, f32::max)) } else { upper };
    Some(((lower + upper) / 2.0) as f32)
}

fn replace(mut data: Dataset, fill: &[Option<f32>], path: &str) -> Result<Dataset> {
    if let Some(column) = fill.iter().position(Option::is_none) {
        let label = data.x.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
        let why = "every value is missing, so there is nothing to impute from; drop the column".to_string();
        return Err(Error::Data { path: path.to_string(), line: None, column: Some(label), why });
    }
    let d = fill.len();
    // What is kept in f64 stays where nothing was missing, as in a target.
    let filled = |values: &[f64]| values.iter().all(|value| !value.is_nan());
    let exact = data.x.exact().columns().filter(|(_, values)| filled(values));
    let exact = Exact::new(exact.map(|(column, values)| (column, values.to_vec())).collect());
    data.x.as_mut_slice().par_chunks_mut(d).for_each(|row| {
        let blanks = row.iter_mut().zip(fill).filter(|(value, _)| value.is_nan());
        blanks.for_each(|(value, fill)| *value = fill.unwrap_or(f32::NAN));
    });
    data.x = data.x.with_exact(exact)?;
    Ok(data)
}
