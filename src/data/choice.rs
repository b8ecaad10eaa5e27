//! Which columns of a file become features and targets.

use super::columns::find_all;
use super::options::ReadOptions;
use crate::error::{Error, Result};

/// Columns by number from 0: first those of the file, then, after [`Choice::kept`], those that were read.
pub(super) struct Choice {
    pub(super) features: Vec<usize>,
    pub(super) targets: Vec<usize>,
    pub(super) categorical: Vec<usize>,
    pub(super) dates: Vec<usize>,
}

impl Choice {
    /// What the options ask for in a file of these columns.
    pub(super) fn new(options: &ReadOptions, names: Option<&[String]>, columns: usize) -> Result<Choice> {
        let targets = find_all("target", &options.targets, names, columns)?;
        let dropped = find_all("drop", &options.drop, names, columns)?;
        let categorical = find_all("categorical", &options.categorical, names, columns)?;
        let dates = find_all("dates", &options.dates, names, columns)?;
        let mut free = vec![true; columns];
        dropped.iter().for_each(|column| free[*column] = false);
        let refuse = |name, rule: &str, column: usize| {
            let got = names.map_or_else(|| (column + 1).to_string(), |names| format!("{:?}", names[column]));
            Err(Error::param(name, rule.to_string(), got))
        };
        if let Some(column) = targets.iter().find(|column| !free[**column]) {
            return refuse("drop", "columns other than the target", *column);
        }
        targets.iter().for_each(|column| free[*column] = false);
        let features = match &options.features {
            Some(features) => find_all("features", features, names, columns)?,
            None => (0..columns).filter(|column| free[*column]).collect(),
        };
        if let Some(column) = features.iter().find(|column| !free[**column]) {
            return refuse("features", "neither the target nor dropped", *column);
        }
        if features.is_empty() {
            return Err(Error::param("features", "such that a column is left", "none"));
        }
        if let Some(column) = dates.iter().find(|column| targets.contains(column)) {
            return refuse("dates", "columns other than the target", *column);
        }
        Ok(Choice { features, targets, categorical, dates })
    }

    /// Whether each of the columns is needed.
    pub(super) fn needed(&self, columns: usize) -> Vec<bool> {
        let mut needed = vec![false; columns];
        self.features.iter().chain(&self.targets).for_each(|column| needed[*column] = true);
        needed
    }

    /// The same choice among the needed columns alone, in the order of the file.
    pub(super) fn kept(self, needed: &[bool]) -> Choice {
        let place = places(needed);
        let move_up = |mut columns: Vec<usize>| {
            columns.retain(|column| needed[*column]);
            columns.iter_mut().for_each(|column| *column = place[*column] as usize);
            columns
        };
        let Choice { features, targets, categorical, dates } = self;
        Choice {
            features: move_up(features),
            targets: move_up(targets),
            categorical: move_up(categorical),
            dates: move_up(dates),
        }
    }
}

/// How many entries before each one are set: the place of a set one among the set ones.
pub(super) fn places(set: &[bool]) -> Vec<u32> {
    let mut count = 0;
    let mut place = |set: &bool| {
        count += u32::from(*set);
        count - u32::from(*set)
    };
    set.iter().map(&mut place).collect()
}
