//! `gristmill inspect`: what is in a model file.

mod part;
mod plain;

use std::path::{Path, PathBuf};

use gristmill::model_file::Container;
use gristmill::pipeline::PipelineModel;
use gristmill::{AnyModel, Result};
use serde::Serialize;

use self::part::{Part, add, part_of};
use crate::arguments::{GlobalArgs, OUTPUT, PlotArgs, check_folder, check_outputs};
use crate::pictures::figures_alone;
use crate::report::{
    CliError, CommandResult, FitNotes, bytes, moment, number, quoted, show, table, table_of, write_file,
};

/// Categories and classes that a line names.
const MOST_NAMED: usize = 12;
/// Letters of a parameter's value that a line shows.
const LONGEST: usize = 60;
/// Importances that a page shows.
const MOST_IMPORTANCES: usize = 20;

const EXAMPLES: &str = "A model file is a safetensors file: any reader of that format can open its arrays.

Examples:
  gristmill inspect digits.gm
  gristmill inspect digits.gm --tensors
  gristmill inspect forest.gm --importances importances.csv
  gristmill inspect digits.gm --json
  gristmill inspect tennis.gm --plot tree.svg";

/// What `inspect` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct InspectArgs {
    /// The model file
    model: PathBuf,
    /// Lists the arrays of the file too
    #[arg(long, help_heading = OUTPUT)]
    tensors: bool,
    /// Writes the importances of all columns to this CSV file, the largest first
    #[arg(long, value_name = "FILE.csv", help_heading = OUTPUT)]
    importances: Option<PathBuf>,
    #[command(flatten)]
    plot: PlotArgs,
}

#[derive(Serialize)]
struct ModelFileDescription {
    file: String,
    bytes: u64,
    /// When the file was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fit: Option<FitNotes>,
    #[serde(flatten)]
    part: Part,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<Column>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    /// The steps before the model, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<&'static str>,
    /// How much each column that the model sees matters to it, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    importances: Vec<ColumnImportance>,
    /// The model in words, if it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct ColumnImportance {
    column: String,
    importance: f64,
}

#[derive(Serialize)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<String>>,
}

pub fn run(args: &InspectArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&args.plot.plot, &args.importances], [args.model.as_path()])?;
    args.importances.as_deref().map_or(Ok(()), check_folder)?;
    args.plot.check()?;
    let container = Container::load(&args.model)?;
    let part = part_of(&container);
    if plain::is_plain(container.kind()) {
        if args.plot.plot.is_some() || args.importances.is_some() {
            let why = "has no columns, and no picture without rows; leave out --plot and --importances";
            return Err(CliError::Usage(format!("{} {why}", container.kind())));
        }
        plain::check(container)?;
        show(global, &about(args, part), |described| page(described, args.tensors));
        return Ok(());
    }
    let model = PipelineModel::from(AnyModel::from_container(container)?);
    if args.plot.plot.is_some() {
        args.plot.save(&figures_alone(&model)?)?;
    }
    let described = describe(args, part, &model)?;
    if let Some(path) = &args.importances {
        if described.importances.is_empty() {
            let why = "tells no importances of columns; leave out --importances, or see evaluate";
            return Err(CliError::Usage(format!("{} {why} --permutation-importance", model.model().kind())));
        }
        write_importances(path, &described.importances)?;
    }
    show(global, &described, |described| page(described, args.tensors));
    Ok(())
}

/// What is known of any model file.
fn about(args: &InspectArgs, part: Part) -> ModelFileDescription {
    let about = std::fs::metadata(&args.model).ok();
    ModelFileDescription {
        file: args.model.display().to_string(),
        bytes: about.as_ref().map_or(0, |about| about.len()),
        written: about.and_then(|about| about.modified().ok()).map(moment),
        fit: None,
        part,
        columns: vec![],
        targets: vec![],
        classes: vec![],
        steps: vec![],
        importances: vec![],
        text: None,
    }
}

fn describe(args: &InspectArgs, part: Part, model: &PipelineModel) -> Result<ModelFileDescription> {
    let columns = model.columns().into_iter().map(|column| Column {
        name: column.name,
        kind: if column.categories.is_some() { "text" } else { "number" },
        categories: column.categories,
    });
    Ok(ModelFileDescription {
        fit: FitNotes::of(model),
        columns: columns.collect(),
        targets: model.targets().to_vec(),
        classes: model.model().classes().to_vec(),
        steps: model.steps().iter().map(|step| step.kind()).collect(),
        importances: importances_of(model),
        text: model.model().text(&model.input_columns()),
        ..about(args, part)
    })
}

fn importances_of(model: &PipelineModel) -> Vec<ColumnImportance> {
    let (report, columns) = (model.model().report(), model.input_columns().names);
    let Some(array) = report.array("importances") else { return vec![] };
    let name = |at: usize| match columns.len() == array.values.len() {
        true => columns[at].clone(),
        false => format!("x{at}"),
    };
    let all = array.values.iter().enumerate();
    let mut all: Vec<ColumnImportance> =
        all.map(|(at, importance)| ColumnImportance { column: name(at), importance: *importance }).collect();
    all.sort_by(|one, other| other.importance.total_cmp(&one.importance));
    all
}

fn write_importances(path: &Path, importances: &[ColumnImportance]) -> Result<()> {
    write_file(path, |out| {
        writeln!(out, "column,importance")?;
        importances.iter().try_for_each(|of| writeln!(out, "{},{}", quoted(&of.column), of.importance))
    })
}

fn page(described: &ModelFileDescription, tensors: bool) -> String {
    let part = &described.part;
    let inner = part.models.iter().find(|inner| inner.name == "model");
    let kind = inner.map_or(String::new(), |inner| format!(" with {}", inner.part.kind));
    let mut lines =
        vec![format!("{}: {}{kind}, version {}, {}", described.file, part.kind, part.version, bytes(described.bytes))];
    lines.extend(described.written.as_ref().map(|written| format!("written {written}")));
    lines.extend(described.fit.as_ref().map(FitNotes::describe));
    if !described.steps.is_empty() {
        lines.push(format!("steps: {}", described.steps.join(" → ")));
    }
    if !described.targets.is_empty() {
        lines.push(format!("target: {}", described.targets.join(", ")));
    }
    if !described.classes.is_empty() {
        lines.push(format!("classes: {}", list(&described.classes)));
    }
    let importances = &described.importances;
    if !importances.is_empty() {
        let top = match importances.len() > MOST_IMPORTANCES {
            true => format!("importance, top {MOST_IMPORTANCES} of {}", importances.len()),
            false => "importance".to_string(),
        };
        let rows = importances.iter().take(MOST_IMPORTANCES).map(|of| [of.column.clone(), number(of.importance)]);
        lines.push(table_of(&["column", &top], rows));
    }
    if !described.columns.is_empty() {
        let mut shown = table(&["column", "type", "categories"]);
        for (at, column) in described.columns.iter().enumerate() {
            let name = if column.name.is_empty() { (at + 1).to_string() } else { column.name.clone() };
            shown.add_row([name, column.kind.to_string(), column.categories.as_deref().map_or_else(String::new, list)]);
        }
        lines.push(shown.to_string());
    }
    let mut shown = table(&["in", "what", "value or shape", "size"]);
    add(&mut shown, &[part], &part.kind, tensors);
    lines.push(shown.to_string());
    lines.extend(described.text.clone());
    lines.join("\n")
}

fn list(names: &[String]) -> String {
    let more = if names.len() > MOST_NAMED { format!(", … {} in all", names.len()) } else { String::new() };
    shortened(&names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ")) + &more
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
