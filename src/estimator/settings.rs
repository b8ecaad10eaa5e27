//! Parameters set by name, with values that came as text.

use serde_json::{Map, Number, Value};

use super::any_estimator::{AnyEstimator, MODEL};
use super::parameters::Parameter;
use crate::data::{Dataset, nearest_name};
use crate::error::{Error, Result};

/// Parses a `key=value` of the command line.
pub fn parse_setting(text: &str) -> Result<(String, Value)> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_string(), parse_value(value)?)),
        _ => Err(Error::param("set", "key=value, such as n_neighbors=3", format!("{text:?}"))),
    }
}

/// Parses a value that is given as text: a number, `true`, `false`, `none`, a JSON list or object, the array of a
/// `.npy` file, or a word.
///
/// ```
/// use gristmill::estimator::parse_value;
/// assert_eq!(parse_value("0.5")?, 0.5);
/// assert_eq!(parse_value("distance")?, "distance");
/// assert!(parse_value("none")?.is_null());
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn parse_value(text: &str) -> Result<Value> {
    let text = text.trim();
    if text.to_ascii_lowercase().ends_with(".npy") {
        return array(&Dataset::read(text)?.x);
    }
    match text {
        "none" | "None" => Ok(Value::Null),
        "True" => Ok(Value::Bool(true)),
        "False" => Ok(Value::Bool(false)),
        _ => Ok(serde_json::from_str(text).unwrap_or_else(|_| number(text))),
    }
}

/// Numbers that JSON does not know (`.5`, `+3`, `1e3` is known) are numbers all the same; anything else is a word.
fn number(text: &str) -> Value {
    let parsed = text.parse::<f64>().ok().and_then(Number::from_f64);
    parsed.map_or_else(|| Value::String(text.to_string()), Value::Number)
}

fn array(x: &crate::array::Matrix) -> Result<Value> {
    let rows: Vec<&[f32]> = (0..x.rows()).map(|row| x.row(row)).collect();
    let unfit = |error: serde_json::Error| Error::param("set", "an array of finite numbers", error);
    serde_json::to_value(rows).map_err(unfit)
}

/// What else a value may stand for: an integer that was written as `10.0` or `1e1`, a list that was written without
/// brackets or has one number, or the list that a `.npy` file of one column holds.
pub(super) fn other_form(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            let number = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15)?;
            Some((number as i64).into())
        }
        Value::Number(_) => Some(Value::Array(vec![value.clone()])),
        Value::String(text) if text.contains(',') => {
            let values = text.split(',').map(parse_value).collect::<Result<Vec<Value>>>().ok()?;
            Some(Value::Array(values))
        }
        Value::Array(rows) => {
            let only = |row: &Value| row.as_array().filter(|row| row.len() == 1).map(|row| row[0].clone());
            rows.iter().map(only).collect::<Option<Vec<Value>>>().map(Value::Array)
        }
        _ => None,
    }
}

/// Puts a value under a name that is known; behind a point it belongs to the estimator of that name.
pub(super) fn put(
    model: &str,
    help: &'static [Parameter],
    parameters: &mut Map<String, Value>,
    name: &str,
    value: Value,
) -> Result<()> {
    let (own, inner) = match name.split_once('.') {
        Some((own, inner)) => (own, Some(inner)),
        None => (name, None),
    };
    if !help.iter().any(|known| known.name == own) {
        let names = || help.iter().map(|known| known.name);
        let rule = match nearest_name(own, names()) {
            Some(near) => format!("one that {model} has (did you mean {near}?)"),
            None => format!("one that {model} has ({})", names().collect::<Vec<_>>().join(", ")),
        };
        return Err(Error::param("parameter", rule, format!("{name:?}")));
    }
    match inner {
        None => parameters.insert(own.to_string(), value),
        Some(inner) => {
            let outer = parameters.get(own).cloned().unwrap_or(Value::Null);
            parameters.insert(own.to_string(), put_inside(help, own, outer, inner, value)?)
        }
    };
    Ok(())
}

/// An estimator inside, by its name or whole, with one of its parameters set.
fn put_inside(help: &'static [Parameter], own: &str, outer: Value, inner: &str, value: Value) -> Result<Value> {
    let unfit = |got: String| {
        let rule = format!("an estimator before {own}.{inner} can be set; set {own} first");
        Error::param(fixed(help, own), rule, got)
    };
    // `estimators.0.max_depth`: of a list, by place.
    if let (Value::Array(list), Some((place, inner))) = (&outer, inner.split_once('.')) {
        let mut list = list.clone();
        let place = place.parse::<usize>().ok().filter(|place| *place < list.len());
        let Some(place) = place else { return Err(unfit(format!("a list of {}", list.len()))) };
        list[place] = put_inside(help, own, list[place].take(), inner, value)?;
        return Ok(Value::Array(list));
    }
    let estimator: AnyEstimator = match &outer {
        Value::String(_) => serde_json::from_value(outer).map_err(|error| unfit(error.to_string()))?,
        Value::Object(map) if map.contains_key(MODEL) => {
            serde_json::from_value(outer).map_err(|error| unfit(error.to_string()))?
        }
        other => return Err(unfit(other.to_string())),
    };
    serde_json::to_value(estimator.set(inner, value)?).map_err(|error| unfit(error.to_string()))
}

/// The error for a value of the wrong type.
pub(super) fn refused(help: &'static [Parameter], name: &str, error: &serde_json::Error) -> Error {
    let own = name.split_once('.').map_or(name, |(own, _)| own);
    let words = error.to_string();
    // Our own messages have the form "metric must be …, got …". Those of serde end with what was expected.
    let (rule, got) = match (words.split_once(" must be "), words.rsplit_once(", expected ")) {
        (Some((whose, rest)), _) => {
            let (rule, got) = rest.rsplit_once(", got ").unwrap_or((rest, "something else"));
            // A mistake inside a nested value is reported with its place there.
            match whose == own || whose == MODEL {
                true => (rule.to_string(), got.to_string()),
                false => (format!("set so that {whose} is {rule}"), got.to_string()),
            }
        }
        (None, Some((got, expected))) => (plain(expected), plain(got)),
        (None, None) => ("a value of its type".to_string(), words),
    };
    Error::param(fixed(help, own), rule, got)
}

/// Serde's message in our wording.
fn plain(words: &str) -> String {
    let words = words.replace("invalid type: ", "").replace("invalid value: ", "").replace("unknown variant ", "");
    words
        .replace("usize", "an integer of at least 0")
        .replace("u64", "an integer of at least 0")
        .replace("f64", "a number")
        .replace("a sequence", "a list, such as [1,2,3]")
        .replace('`', "")
}

/// The name of a parameter as the model wrote it.
fn fixed(help: &'static [Parameter], own: &str) -> &'static str {
    help.iter().find(|known| known.name == own).map_or("parameter", |known| known.name)
}
