//! The values that `--grid` names.

use gristmill::registry::parse_value;
use serde_json::Value;

use crate::arguments::split_list;
use crate::report::{CliError, CommandResult};

/// Every `--grid`; values of a parameter that is named again are added to its others.
pub fn parse_grids(texts: &[String]) -> CommandResult<Vec<(String, Vec<Value>)>> {
    let mut grid: Vec<(String, Vec<Value>)> = vec![];
    for (key, values) in texts.iter().map(|text| parse_grid(text)).collect::<CommandResult<Vec<_>>>()? {
        match grid.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => known.extend(values),
            None => grid.push((key, values)),
        }
    }
    for (_, values) in &mut grid {
        let mut seen: Vec<Value> = vec![];
        values.retain(|value| {
            !seen.contains(value) && {
                seen.push(value.clone());
                true
            }
        });
    }
    Ok(grid)
}

/// `key=v1,v2,…`.
fn parse_grid(text: &str) -> CommandResult<(String, Vec<Value>)> {
    let wrong = || CliError::Usage(format!("--grid takes KEY=V1,V2,…, such as n_neighbors=1,5,15; got {text:?}"));
    let (key, list) =
        text.split_once('=').filter(|(key, list)| !key.is_empty() && !list.is_empty()).ok_or_else(wrong)?;
    let values = split_list(list).into_iter().map(parse_value).collect::<gristmill::Result<Vec<Value>>>()?;
    Ok((key.to_string(), values))
}
