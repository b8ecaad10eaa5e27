//! Learning a conjunction of literals: the hypotheses that agree with every row.

use crate::error::{Error, Result};

/// Hypotheses are counted one by one up to this many.
const MOST_COUNTED: u64 = 1 << 24;

/// A conjunction over M attributes: each must be true, must be false, or does not matter.
///
/// ```
/// use gristmill::theory::Conjunction;
/// let first_and_not_third = Conjunction { literals: vec![Some(true), None, Some(false)] };
/// assert!(first_and_not_third.holds(&[true, true, false]) && !first_and_not_third.holds(&[true, true, true]));
/// assert_eq!(first_and_not_third.to_string(), "x1 ∧ ¬x3");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conjunction {
    /// What each attribute must be; `None` where it does not matter.
    pub literals: Vec<Option<bool>>,
}

impl Conjunction {
    /// Whether a row satisfies all literals.
    pub fn holds(&self, row: &[bool]) -> bool {
        self.literals.iter().zip(row).all(|(literal, value)| literal.is_none_or(|literal| literal == *value))
    }
}

impl std::fmt::Display for Conjunction {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let literal = |(at, literal): (usize, &Option<bool>)| {
            literal.map(|wanted| format!("{}x{}", if wanted { "" } else { "¬" }, at + 1))
        };
        let literals: Vec<String> = self.literals.iter().enumerate().filter_map(literal).collect();
        formatter.write_str(if literals.is_empty() { "true" } else { "" })?;
        formatter.write_str(&literals.join(" ∧ "))
    }
}

/// All conjunctions that agree with every row: the version space (003 §4.1).
///
/// ```
/// use gristmill::theory::VersionSpace;
/// let rows = [vec![true, true, false], vec![true, false, false], vec![false, true, false]];
/// let space = VersionSpace::of(&rows, &[true, true, false])?;
/// assert_eq!(space.most_specific.unwrap().to_string(), "x1 ∧ ¬x3");
/// assert_eq!(space.count, 2); // x1, and x1 ∧ ¬x3
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionSpace {
    /// The conjunction with the most literals, found by dropping those that a positive row breaks; none without positive
    /// rows. If it breaks a negative row, no conjunction agrees with all.
    pub most_specific: Option<Conjunction>,
    /// The number of conjunctions that agree with all rows, of 3^M.
    pub count: u64,
}

impl VersionSpace {
    /// From n rows of M attributes, and whether each belongs to the concept. Costs n steps for each hypothesis that the
    /// positive rows leave: at most 2^M after one of them, 3^M before.
    pub fn of(rows: &[Vec<bool>], labels: &[bool]) -> Result<VersionSpace> {
        let attributes = rows.first().map_or(0, Vec::len);
        if rows.is_empty() || rows.len() != labels.len() || rows.iter().any(|row| row.len() != attributes) {
            let expected = format!("one label for each of {} rows of {attributes} attributes", rows.len().max(1));
            return Err(Error::shape("VersionSpace::of", expected, format!("{} labels", labels.len())));
        }
        let positive = || rows.iter().zip(labels).filter(|(_, label)| **label).map(|(row, _)| row);
        let negative: Vec<&Vec<bool>> =
            rows.iter().zip(labels).filter(|(_, label)| !**label).map(|(row, _)| row).collect();
        let kept = |at: usize| {
            let mut values = positive().map(|row| row[at]);
            let first = values.next()?;
            values.all(|value| value == first).then_some(first)
        };
        let most_specific = positive().next().map(|_| Conjunction { literals: (0..attributes).map(kept).collect() });
        // What each attribute may be in a hypothesis that holds for all positive rows.
        let choices = |at: usize| match &most_specific {
            Some(specific) => [None].into_iter().chain(specific.literals[at].map(Some)).collect(),
            None => vec![None, Some(true), Some(false)],
        };
        let choices: Vec<Vec<Option<bool>>> = (0..attributes).map(choices).collect();
        let size = choices.iter().try_fold(1_u64, |size, own| size.checked_mul(own.len() as u64));
        let Some(size) = size.filter(|size| *size <= MOST_COUNTED) else {
            let what = "hypotheses of a version space to count".to_string();
            return Err(Error::Limit { what, need: size.unwrap_or(u64::MAX), have: MOST_COUNTED });
        };
        let agrees = |code: u64| {
            let mut rest = code;
            let literal = |own: &Vec<Option<bool>>| {
                let choice = own[(rest % own.len() as u64) as usize];
                rest /= own.len() as u64;
                choice
            };
            let hypothesis = Conjunction { literals: choices.iter().map(literal).collect() };
            negative.iter().all(|row| !hypothesis.holds(row))
        };
        Ok(VersionSpace { most_specific, count: (0..size).filter(|code| agrees(*code)).count() as u64 })
    }
}
