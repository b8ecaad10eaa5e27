//! Columns one by one, as JSON lines, Parquet and Arrow files have them, made into a table.

use std::collections::BTreeMap;

use super::text_codes::TextCodes;
use crate::array::{Exact, LARGE, Rounding, is_kept};
use crate::data::choice::Choice;
use crate::data::options::ReadOptions;
use crate::data::read::{Raw, check_budget, check_width};
use crate::error::{Error, Result};

/// What the values of a column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Number,
    Text,
    /// Texts that are dates, which are taken apart.
    Date,
}

/// A column that is being read.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) meaning: Meaning,
    /// Numbers, or the codes of texts; NaN is missing.
    pub(super) values: Vec<f64>,
    pub(super) texts: TextCodes,
}

impl Column {
    pub(super) fn new(name: String, meaning: Meaning) -> Column {
        Column { name, meaning, values: vec![], texts: TextCodes::default() }
    }

    /// The code of a text, as a value.
    pub(super) fn code(&mut self, text: &str) -> Result<f64> {
        let code = self.texts.code(text).map(f64::from);
        let most = TextCodes::MOST as u64;
        code.ok_or_else(|| Error::Limit {
            what: format!("categories of column {}", self.name),
            need: most + 1,
            have: most,
        })
    }

    /// The numbers as texts of their own, for a column that is named as categorical.
    fn into_texts(mut self) -> Result<Column> {
        for at in 0..self.values.len() {
            if !self.values[at].is_nan() {
                self.values[at] = self.code(&self.values[at].to_string())?;
            }
        }
        self.meaning = Meaning::Text;
        Ok(self)
    }

    /// Codes in the order of the names, and the names; nothing for numbers.
    fn ordered(self) -> (Vec<f64>, Option<Vec<String>>) {
        if self.meaning == Meaning::Number {
            return (self.values, None);
        }
        let (names, places) = self.texts.in_order();
        let place = |code: f64| if code.is_nan() { code } else { f64::from(places[code as usize]) };
        (self.values.into_iter().map(place).collect(), Some(names))
    }
}

/// Which of these columns are wanted, before they are read; a target cannot be a date.
pub(super) fn choose(options: &ReadOptions, names: &[String], is_date: impl Fn(usize) -> bool) -> Result<Choice> {
    let mut choice = Choice::new(options, Some(names), names.len())?;
    if let Some(column) = choice.targets.iter().find(|column| is_date(**column)) {
        return Err(Error::param("target", "numbers or classes, not a date", format!("{:?}", names[*column])));
    }
    let others: Vec<usize> = choice.features.iter().copied().filter(|column| is_date(*column)).collect();
    choice.dates.extend(others.into_iter().filter(|column| !options.dates.contains(&names[*column])));
    choice.dates.sort_unstable();
    choice.dates.dedup();
    Ok(choice)
}

/// The table of the wanted columns, which come in the order of the file and are all as long.
pub(super) fn into_raw(file: String, columns: Vec<Column>, choice: Choice, options: &ReadOptions) -> Result<Raw> {
    let width = columns.len();
    let rows = columns.first().map_or(0, |column| column.values.len());
    let wrong = |column: &str, why: String| {
        Err(Error::Data { path: file.clone(), line: None, column: Some(column.to_string()), why })
    };
    if rows == 0 {
        let why = "there are no rows of data; expected one at least".to_string();
        return Err(Error::Data { path: file, line: None, column: None, why });
    }
    check_budget(&file, (rows as u64).saturating_mul(width as u64), options.budget)?;
    check_width(&file, rows as u64, width as u64, 0)?;
    let mut values = vec![0.0_f32; rows * width];
    let (mut names, mut categories, mut exact) = (vec![], vec![], BTreeMap::new());
    for (at, mut column) in columns.into_iter().enumerate() {
        let named = choice.categorical.contains(&at) || choice.dates.contains(&at);
        if named && column.meaning == Meaning::Number {
            column = column.into_texts()?;
        }
        names.push(column.name.clone());
        let name = column.name.clone();
        let (own, texts) = column.ordered();
        for (row, value) in own.iter().enumerate() {
            let rounded = *value as f32;
            if value.is_infinite() || rounded.is_infinite() {
                let why = format!("row {}: {value:e} is beyond the range of f32, ±3.4e38; rescale it", row + 1);
                return wrong(&name, why);
            }
            values[row * width + at] = rounded;
        }
        let lossy = |value: &f64| value.abs() >= LARGE && f64::from(*value as f32) != *value;
        let kept = || options.exact || (own.iter().any(lossy) && is_kept(&Rounding::of(&own)));
        if texts.is_none() && kept() {
            exact.insert(at, own);
        }
        categories.push(texts);
    }
    let mut raw = Raw::new(file, width, values);
    (raw.names, raw.categories, raw.choice, raw.exact) = (Some(names), categories, Some(choice), Exact::new(exact));
    Ok(raw)
}
