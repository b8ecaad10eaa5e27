//! How the cells of a CSV file are written: the decimal mark, the mark between thousands, and what is missing.

use super::number::{Cell, classify, is_missing_word};
use crate::data::options::ReadOptions;
use crate::error::{Error, Result};

/// How numbers and missing values are written.
#[derive(Clone, Debug)]
pub(super) struct Notation {
    decimal: u8,
    thousands: Option<u8>,
    /// The texts of missing values, if they are not the usual ones.
    missing: Option<Vec<Vec<u8>>>,
    /// Whether a number can be read without looking at any of this.
    pub(super) plain: bool,
}

impl Notation {
    /// What the options ask for.
    pub(super) fn new(options: &ReadOptions) -> Result<Notation> {
        let (decimal, thousands) = (options.decimal, options.thousands);
        if !b".,".contains(&decimal) {
            return Err(Error::param("decimal", "a point or a comma", format!("{:?}", decimal as char)));
        }
        if thousands.is_some_and(|mark| mark == decimal || !b".,' _".contains(&mark)) {
            let rule = "a point, comma, apostrophe, blank or underscore other than the decimal mark";
            return Err(Error::param("thousands", rule, format!("{:?}", thousands.unwrap_or(0) as char)));
        }
        let missing = options.na.as_ref().map(|texts| texts.iter().map(|text| text.as_bytes().to_vec()).collect());
        let mut notation = Notation { decimal, thousands, missing, plain: true };
        let numbers = notation.missing.iter().flatten().any(|text| matches!(classify(text), Cell::Number(..)));
        notation.plain = decimal == b'.' && thousands.is_none() && !numbers;
        Ok(notation)
    }

    /// What a cell holds; it has no blanks at its ends.
    pub(super) fn classify(&self, cell: &[u8]) -> Cell {
        if let Some(missing) = &self.missing {
            if cell.is_empty() || missing.iter().any(|text| text == cell) {
                return Cell::Missing;
            }
            // What is otherwise taken for missing is a text here.
            if is_missing_word(cell) {
                return Cell::Text;
            }
        }
        if self.decimal == b'.' && self.thousands.is_none() || !cell.iter().any(u8::is_ascii_digit) {
            return classify(cell);
        }
        self.rewritten(cell).map_or(Cell::Text, |number| classify(&number))
    }

    /// A number with a decimal point and nothing between its digits; nothing if thousands are not in threes.
    fn rewritten(&self, cell: &[u8]) -> Option<Vec<u8>> {
        let whole = cell.iter().position(|byte| *byte == self.decimal).unwrap_or(cell.len());
        let mut groups = cell[..whole].split(|byte| Some(*byte) == self.thousands);
        let mut number = groups.next()?.to_vec();
        for group in groups {
            // In front of an exponent or a sign there is nothing to group.
            if group.len() != 3 || !group.iter().all(u8::is_ascii_digit) || number.is_empty() {
                return None;
            }
            number.extend_from_slice(group);
        }
        let rest = &cell[whole..];
        if self.decimal == b',' && (number.contains(&b'.') || rest.contains(&b'.')) {
            return None;
        }
        number.extend(rest.iter().map(|byte| if *byte == self.decimal { b'.' } else { *byte }));
        Some(number)
    }
}
