//! Cells of a CSV file.

use std::borrow::Cow;
use std::io::Write;

/// Numbers with as many digits as tell them apart, with commas between them.
pub fn write_numbers(out: &mut dyn Write, numbers: &[f32]) -> std::io::Result<()> {
    for (at, number) in numbers.iter().enumerate() {
        if at > 0 {
            write!(out, ",")?;
        }
        write!(out, "{number}")?;
    }
    Ok(())
}

/// A text as a cell of a CSV file.
pub fn quoted(text: &str) -> Cow<'_, str> {
    let special = |letter: char| matches!(letter, ',' | '"' | '\n' | '\r') || (letter.is_whitespace() && letter != ' ');
    if text.contains(special) || text.starts_with(' ') || text.ends_with(' ') || text.is_empty() {
        return Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")));
    }
    Cow::Borrowed(text)
}
