//! What goes to standard output, and notes that go to standard error.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gristmill::Error;
use gristmill::model_file::write_atomically_with;
use serde::Serialize;

use super::error::CliError;
use super::readable::{is_ascii, readable, wrapped};
use super::resolved::{self, ResolvedRun};
use crate::arguments::GlobalArgs;

/// Writes a line to standard output; a closed pipe ends the program quietly, a full disk with an error.
pub fn print(text: &str) {
    print_line(&readable(text));
}

fn print_line(text: &str) {
    let done = write_out(|out| writeln!(out, "{text}"));
    if let Err(error) = done {
        eprintln!("gristmill: {error}");
        std::process::exit(1);
    }
}

/// Whether the one JSON object of a run has been printed.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Prints why a run failed as its JSON object, unless it has printed one.
pub fn print_json_error(error: &CliError) {
    if !PRINTED.load(Ordering::SeqCst) {
        print_json(&serde_json::json!({ "error": { "message": error.to_string(), "code": error.code() } }));
    }
}

/// A JSON object with the run that it is of.
#[derive(Serialize)]
struct Told<'a, T: Serialize> {
    #[serde(flatten)]
    value: &'a T,
    run: &'static ResolvedRun,
}

/// Prints a value as JSON.
pub fn print_json(value: &impl Serialize) {
    let text = match resolved::run() {
        Some(run) => serde_json::to_string_pretty(&Told { value, run }),
        None => serde_json::to_string_pretty(value),
    };
    match text {
        Ok(text) => {
            PRINTED.store(true, Ordering::SeqCst);
            print_line(&text);
        }
        Err(error) => {
            eprintln!("gristmill: {error}");
            std::process::exit(1);
        }
    }
}

/// Prints a value as JSON with `--json`, else as a page.
pub fn show<T: Serialize>(global: &GlobalArgs, value: &T, page: impl FnOnce(&T) -> String) {
    if global.json { print_json(value) } else { print(&page(value)) }
}

/// Lets `write` write to standard output, in large pieces; a closed pipe ends the program quietly.
pub fn write_out(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> gristmill::Result<()> {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            let why = format!("cannot be written: {error}");
            // What is still in the buffer has no place to go; dropping the writer would try again.
            let _ = out.into_parts();
            Err(Error::Io { path: "standard output".to_string(), why })
        }
    }
}

/// Lets `write` write to a file, in large pieces; never a partial file.
pub fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> gristmill::Result<()> {
    write_atomically_with(path, |file| {
        let mut out = std::io::BufWriter::with_capacity(1 << 16, file);
        write(&mut out).and_then(|()| out.flush())
    })
}

/// Writes a note to standard error, unless `--quiet`.
pub fn note(global: &GlobalArgs, text: &str) {
    if !global.quiet {
        eprintln!("gristmill: {}", readable(text));
    }
}

/// A table in the style of all commands.
pub struct Table {
    shown: comfy_table::Table,
    /// Columns that hold nothing but numbers so far.
    numbers: Vec<bool>,
}

impl Table {
    /// Adds a row; its signs are made readable before there are widths to keep to.
    pub fn add_row(&mut self, row: impl Into<comfy_table::Row>) -> &mut Table {
        let row: comfy_table::Row = row.into();
        let cells: Vec<String> = row.cell_iter().map(|cell| readable(&cell.content())).collect();
        let is_number = |cell: &String| cell.is_empty() || cell.parse::<f64>().is_ok();
        self.numbers.iter_mut().zip(&cells).for_each(|(numbers, cell)| *numbers &= is_number(cell));
        self.shown.add_row(cells);
        self
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A name goes on in the next line where there is no room for it; half a number would mislead.
        let mut shown = self.shown.clone();
        let whole = shown.column_iter_mut().zip(&self.numbers).filter(|(_, numbers)| **numbers);
        whole.for_each(|(column, _)| {
            column.set_constraint(comfy_table::ColumnConstraint::ContentWidth);
        });
        shown.fmt(formatter)
    }
}

/// A table with a header.
pub fn table(header: &[&str]) -> Table {
    let mut table = comfy_table::Table::new();
    let lines = match is_ascii() {
        true => comfy_table::presets::ASCII_FULL_CONDENSED,
        false => comfy_table::presets::UTF8_FULL_CONDENSED,
    };
    table.load_style(lines);
    table.set_header(header.iter().map(|name| readable(name)).collect::<Vec<_>>());
    if let Some(width) = width() {
        table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic).set_width(width);
    }
    let numbers = (0..header.len()).map(|column| column > 0).collect();
    Table { shown: table, numbers }
}

/// Words in lines that fit the terminal; those of a file or pipe are as long as they are.
pub fn paragraph(text: &str) -> String {
    width().map_or_else(|| text.to_string(), |width| wrapped(text, width.into()))
}

/// A text behind what it explains: its further lines begin where the first does, or below where that leaves no room.
pub fn hanging(lead: &str, text: &str) -> String {
    const LEAST: usize = 30;
    const INDENT: usize = 8;
    let Some(width) = width().map(usize::from) else { return format!("{lead}{text}") };
    let behind = lead.chars().count();
    let (indent, first) =
        if behind + LEAST <= width { (behind, lead.to_string()) } else { (INDENT, below(lead, INDENT)) };
    let lines = wrapped(&readable(text), width - indent).replace('\n', &below("", indent));
    format!("{first}{lines}")
}

fn below(lead: &str, indent: usize) -> String {
    format!("{}\n{:indent$}", lead.trim_end(), "")
}

/// Columns that a line may take: those of `COLUMNS`, or 80 on a terminal; any number in a file or pipe.
fn width() -> Option<u16> {
    const NARROWEST: u16 = 40;
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<u16>().ok());
    let usual = || std::io::stdout().is_terminal().then_some(80);
    told.or_else(usual).map(|width| width.max(NARROWEST))
}

/// The same with its rows, as text.
pub fn table_of(header: &[&str], rows: impl IntoIterator<Item = impl Into<comfy_table::Row>>) -> String {
    let mut table = table(header);
    for row in rows {
        table.add_row(row);
    }
    table.to_string()
}
