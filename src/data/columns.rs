//! Columns by name or number, and the nearest name to a wrong one.

use crate::error::{Error, Result};

/// Names shown when none is near.
const SHOWN: usize = 8;

/// The column, from 0, that a name or a number from 1 (from the end if negative) stands for. A name comes first.
pub(crate) fn find(what: &'static str, wanted: &str, names: Option<&[String]>, columns: usize) -> Result<usize> {
    if let Some(at) = names.and_then(|names| names.iter().position(|name| name == wanted)) {
        return Ok(at);
    }
    let number = wanted.parse::<i64>().ok().and_then(|number| {
        let size = usize::try_from(number.unsigned_abs()).ok()?;
        if number < 0 { columns.checked_sub(size) } else { size.checked_sub(1) }
    });
    match number {
        Some(at) if at < columns => Ok(at),
        _ => Err(Error::param(what, rule(wanted, names, columns), format!("{wanted:?}"))),
    }
}

/// Several columns, none of them twice.
pub(crate) fn find_all<S: AsRef<str>>(
    what: &'static str,
    wanted: &[S],
    names: Option<&[String]>,
    columns: usize,
) -> Result<Vec<usize>> {
    let mut taken = vec![false; columns];
    let one = |column: &S| {
        let at = find(what, column.as_ref(), names, columns)?;
        if std::mem::replace(&mut taken[at], true) {
            return Err(Error::param(what, "columns that are named once each", format!("{:?} again", column.as_ref())));
        }
        Ok(at)
    };
    wanted.iter().map(one).collect()
}

fn rule(wanted: &str, names: Option<&[String]>, columns: usize) -> String {
    let Some(names) = names else { return format!("the number of a column, 1 to {columns}") };
    match nearest(wanted, names.iter().map(String::as_str)) {
        Some(name) => format!("a column of the data (did you mean {name:?}?)"),
        None => {
            let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
            let more = if names.len() > SHOWN { ", …" } else { "" };
            format!("a column of the data ({}{more}) or its number, 1 to {columns}", shown.join(", "))
        }
    }
}

/// The name nearest to a wrong one, if it is near: at most a third of the letters, and at least two, may differ.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = (wanted.chars().count() / 3).max(2);
    let near = names.map(|name| (distance(wanted, name, most), name)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Letters to insert, delete, replace or swap with a neighbour, case apart; anything above `most` if lengths say so.
fn distance(left: &str, right: &str, most: usize) -> usize {
    let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    if left.len().abs_diff(right.len()) > 4 * most {
        return usize::MAX;
    }
    let (left, right) = (fold(left), fold(right));
    let mut before: Vec<usize> = vec![];
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for i in 0..left.len() {
        let mut row = vec![i + 1];
        for j in 0..right.len() {
            let replaced = above[j] + usize::from(left[i] != right[j]);
            let mut best = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[right.len()]
}
