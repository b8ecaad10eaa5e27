//! A report of a run as one page of HTML: nothing beside it is needed to read it.

mod html;
mod style;

use std::path::Path;
use std::time::SystemTime;

use gristmill::Result;
use gristmill::model_file::write_atomically;
use gristmill::plot::Figure;
use serde_json::Value;

pub use self::html::Html;
use self::html::escaped;
use super::error::{CliError, CommandResult};
use super::format::{moment, number, seconds};
use super::run::{Confusion, Report};
use super::scores::label;
use crate::arguments::check_folder;

/// Classes up to which each has a row of its own in the table of which is taken for which.
const MOST_CLASSES: usize = 20;
/// Columns whose importances are shown.
const MOST_COLUMNS: usize = 20;
/// Scores that stand at the top.
const MOST_CARDS: usize = 4;

/// Refuses a page that could not be written, or would not be what its name says, before the work is done.
pub fn check_page(path: &Path) -> CommandResult {
    match path.extension() {
        Some(ending) if !["html", "htm"].iter().any(|known| ending.eq_ignore_ascii_case(known)) => {
            let why = "--report writes HTML: let the name end in .html, not as";
            Err(CliError::Usage(format!("{why} {}", path.display())))
        }
        _ => Ok(check_folder(path)?),
    }
}

/// Writes the page, atomically.
pub fn write_page(path: &Path, report: &Report, figures: &[Figure]) -> Result<()> {
    let mut page = Html::new(&format!("{}: {}", report.model, report.files.join(", ")));
    head(&mut page, report);
    page.open("main");
    scores(&mut page, report);
    importances(&mut page, report);
    if let Some(confusion) = &report.confusion {
        classes(&mut page, confusion);
    }
    // What is in a table already needs no picture.
    let tabled = |figure: &&Figure| {
        let title = figure.title_text();
        let confusion = report.confusion.as_ref().is_some_and(|confusion| confusion.classes.len() <= MOST_CLASSES);
        (title.starts_with("Confusion matrix") && confusion) || title.starts_with("Importances")
    };
    pictures(&mut page, &figures.iter().filter(|figure| !tabled(figure)).collect::<Vec<_>>());
    run(&mut page, report);
    page.close("main");
    write_atomically(path, page.finish().as_bytes())
}

/// What was fitted to what, and the scores that matter most.
fn head(page: &mut Html, report: &Report) {
    page.open("header");
    page.element("h1", &report.model);
    let target = if report.target.is_empty() { String::new() } else { format!("{} from ", report.target.join(", ")) };
    let data = format!("{target}{} columns of {} rows", report.columns, report.rows);
    let files = if report.files.is_empty() { String::new() } else { format!(" in {}", report.files.join(", ")) };
    page.element("p", &format!("{data}{files}"));
    let cards = report.scores.labelled();
    if !cards.is_empty() {
        page.open("div class=\"cards\"");
        for (name, value) in cards.iter().take(MOST_CARDS) {
            page.raw(&format!("<div><b>{}</b><span>{}</span></div>", number(*value), escaped(name)));
        }
        page.close("div");
    }
    page.close("header");
}

fn scores(page: &mut Html, report: &Report) {
    let rows = report.scores.labelled();
    if rows.is_empty() {
        return;
    }
    page.section("Scores");
    let of = match report.scored_rows {
        Some(rows) => format!("Of {rows} rows that the model was not fitted on."),
        None => "Of the rows that the model was fitted on.".to_string(),
    };
    page.element("p", &of);
    if let Some(rows) = report.early_stopping_rows {
        page.element("p", &format!("Early stopping went by these {rows} rows, so their scores flatter."));
    }
    page.table(&["score", "value"], rows.into_iter().map(|(name, value)| vec![name, number(value)]));
    page.close("section");
}

/// How well each class was found, and which was taken for which, darker where there are more rows.
fn classes(page: &mut Html, confusion: &Confusion) {
    page.section("Classes");
    let rows = confusion
        .per_class
        .iter()
        .map(|of| vec![of.class.clone(), number(of.precision), number(of.recall), number(of.f1), number(of.rows)]);
    page.table(&["class", "precision", "recall", "F1", "rows"], rows);
    let classes = &confusion.classes;
    if classes.len() <= MOST_CLASSES {
        page.element("p", "Rows of each class, down, and what they were taken for, across.");
        page.open("table class=\"confusion\"");
        let names = classes.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect::<String>();
        page.raw(&format!("<tr><th></th>{names}</tr>"));
        for (name, counts) in classes.iter().zip(&confusion.counts) {
            let total: f64 = counts.iter().sum();
            let cell = |count: &f64| {
                let share = if total > 0.0 { count / total } else { 0.0 };
                let ink = if share > 0.55 { "#fff" } else { "#222" };
                let paint = format!("background:rgba(8,81,156,{share:.3});color:{ink}");
                format!("<td style=\"{paint}\">{}</td>", number(*count))
            };
            let cells: String = counts.iter().map(cell).collect();
            page.raw(&format!("<tr><th>{}</th>{cells}</tr>", escaped(name)));
        }
        page.close("table");
    }
    page.close("section");
}

/// Bars of what the model says of its columns, and of what was found by permuting them.
fn importances(page: &mut Html, report: &Report) {
    let by_column = |values: &[f64]| report.inputs.iter().cloned().zip(values.iter().copied()).collect::<Vec<_>>();
    if let Some(array) = report.arrays.get("importances").filter(|array| array.values.len() == report.inputs.len()) {
        bars(page, "Importances", "What each column gave to the splits of the trees.", by_column(&array.values));
    }
    let permuted: Vec<(String, f64)> = report.importances.iter().map(|of| (of.column.clone(), of.mean)).collect();
    if !permuted.is_empty() {
        bars(page, "Permuted columns", "What the first score loses when a column is permuted.", permuted);
    }
}

fn bars(page: &mut Html, title: &str, what: &str, mut values: Vec<(String, f64)>) {
    values.sort_by(|one, other| other.1.total_cmp(&one.1));
    let (all, longest) = (values.len(), values.first().map_or(0.0, |(_, value)| *value));
    if all == 0 || longest <= 0.0 {
        return;
    }
    page.section(title);
    let top = if all > MOST_COLUMNS { format!(" The top {MOST_COLUMNS} of {all}.") } else { String::new() };
    page.element("p", &format!("{what}{top}"));
    page.open("table class=\"bars\"");
    for (name, value) in values.iter().take(MOST_COLUMNS) {
        let width = (100.0 * value / longest).clamp(0.0, 100.0);
        let bar = format!("<i style=\"width:{width:.1}%\"></i>");
        page.raw(&format!("<tr><th>{}</th><td>{bar}</td><td>{}</td></tr>", escaped(name), number(*value)));
    }
    page.close("table");
    page.close("section");
}

fn pictures(page: &mut Html, figures: &[&Figure]) {
    if figures.is_empty() {
        return;
    }
    page.section("Pictures");
    page.pictures(figures.iter().copied());
    page.close("section");
}

/// Parameters and how the run went.
fn run(page: &mut Html, report: &Report) {
    if !report.parameters.is_empty() {
        page.section("Parameters");
        let rows = report.parameters.iter().map(|(name, value)| vec![name.clone(), written(value)]);
        page.table(&["parameter", "value"], rows);
        page.close("section");
    }
    page.section("Run");
    let mut rows = vec![
        ("files", report.files.join(", ")),
        ("target", report.target.join(", ")),
        ("classes", report.known_classes.join(", ")),
        ("device", report.device.clone()),
        ("seed", report.seed.map_or_else(String::new, |seed| seed.to_string())),
        ("saved", report.saved.as_ref().map_or_else(String::new, |path| format!("{path}{}", report.describe_saved()))),
    ];
    let iterations = report.iterations.as_ref().map(|of| format!("{}{}", of.count, plural(of.unit, of.ending)));
    rows.push(("iterations", iterations.unwrap_or_default()));
    let phases = report.seconds.phases().map(|(phase, time)| format!("{phase} {}", seconds(time)));
    rows.push(("time", phases.collect::<Vec<_>>().join(", ")));
    rows.push(("command", super::resolved::command_line().unwrap_or_default()));
    rows.push(("written", format!("{} by gristmill {}", moment(SystemTime::now()), report.version)));
    let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
    page.table(&["", ""], rows.map(|(name, value)| vec![name.to_string(), value]));
    for (name, values) in report.curves.iter().filter(|(_, values)| !values.is_empty()) {
        let (first, last) = (values[0], values[values.len() - 1]);
        let steps = values.len();
        page.element("p", &format!("{}: {} to {} in {steps} steps.", label(name), number(first), number(last)));
    }
    page.close("section");
}

fn plural(unit: &str, ending: Option<&str>) -> String {
    format!(" {unit}s{}", ending.map_or_else(String::new, |ending| format!(", {ending}")))
}

fn written(value: &Value) -> String {
    crate::commands::short(value)
}
