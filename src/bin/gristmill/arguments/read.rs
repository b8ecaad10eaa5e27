//! How a data file is read.

use clap::ValueEnum;
use gristmill::data::{Encoding, Format, Header, ReadOptions};

use super::headings::READING;

/// How a data file is read; what is not given is found out from the file.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = READING)]
pub struct ReadArgs {
    /// The format, if its content and name do not tell
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatChoice>,
    /// Whether the first line of a CSV file names the columns
    #[arg(long, value_name = "YES|NO")]
    header: Option<YesNo>,
    /// What separates cells: a character, or comma, semicolon, tab, bar or blank (any number of them)
    #[arg(long, value_name = "C", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Leaves out this many lines before the header or the first row
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    skip_lines: usize,
    /// Leaves out lines that begin with this
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    comment: String,
    /// What is missing beside an empty cell, instead of NA, N/A, nan, null, None, ?, ., - and \N
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    na: Option<Vec<String>>,
    /// The decimal mark, a point or a comma
    #[arg(long, value_name = "C", value_parser = character)]
    decimal: Option<u8>,
    /// What groups the digits of a number, as the comma in 1,234,567
    #[arg(long, value_name = "C", value_parser = character)]
    thousands: Option<u8>,
    /// The encoding of a CSV file
    #[arg(long, value_name = "NAME")]
    encoding: Option<EncodingChoice>,
    /// Columns of dates, each taken apart into year, month, day, weekday, days since 1970, and the time if there is one
    #[arg(long, value_name = "COLS", value_delimiter = ',', allow_negative_numbers = true)]
    dates: Vec<String>,
    /// Reads a LIBSVM file as a sparse matrix, for models that take sparse rows; automatic above 256 MiB
    #[arg(long, conflicts_with = "dense")]
    sparse: bool,
    /// Reads a LIBSVM file as a dense matrix, whatever its size
    #[arg(long)]
    dense: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum FormatChoice {
    #[value(alias = "tsv")]
    Csv,
    Libsvm,
    Npy,
    Idx,
    #[value(alias = "ndjson")]
    Jsonl,
    Parquet,
    #[value(alias = "feather")]
    Arrow,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum YesNo {
    Yes,
    No,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum EncodingChoice {
    #[value(alias = "utf-8")]
    Utf8,
    #[value(aliases = ["latin-1", "iso-8859-1"])]
    Latin1,
}

impl ReadArgs {
    /// Whether rows are to be sparse; nothing without a flag.
    pub fn sparse(&self) -> Option<bool> {
        (self.sparse || self.dense).then_some(self.sparse)
    }

    /// Whether columns of dates are to be taken apart.
    pub fn has_dates(&self) -> bool {
        !self.dates.is_empty()
    }

    /// The options of the library, for all columns.
    pub fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default().sparse(self.sparse()).delimiter(self.delimiter);
        options.format = self.format.map(|format| match format {
            FormatChoice::Csv => Format::Csv,
            FormatChoice::Libsvm => Format::Libsvm,
            FormatChoice::Npy => Format::Npy,
            FormatChoice::Idx => Format::Idx,
            FormatChoice::Jsonl => Format::JsonLines,
            FormatChoice::Parquet => Format::Parquet,
            FormatChoice::Arrow => Format::Arrow,
        });
        options.header = match self.header {
            None => Header::Auto,
            Some(YesNo::Yes) => Header::Yes,
            Some(YesNo::No) => Header::No,
        };
        options.encoding = match self.encoding {
            None | Some(EncodingChoice::Utf8) => Encoding::Utf8,
            Some(EncodingChoice::Latin1) => Encoding::Latin1,
        };
        options.skip_lines = self.skip_lines;
        options.comment = self.comment.clone();
        options.na = self.na.clone();
        options.decimal = self.decimal.unwrap_or(b'.');
        options.thousands = self.thousands;
        options.dates = self.dates.clone();
        options
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "comma" => Ok(b','),
        "semicolon" => Ok(b';'),
        "tab" | "\\t" => Ok(b'\t'),
        "bar" | "pipe" => Ok(b'|'),
        "blank" | "space" => Ok(b' '),
        _ => character(text),
    }
}

fn character(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => match text {
            "comma" => Ok(b','),
            "point" => Ok(b'.'),
            "blank" | "space" => Ok(b' '),
            _ => Err("expected one ASCII character".to_string()),
        },
    }
}
