//! `gristmill transform`: the rows that a saved transformer makes of the rows of a file.

use std::io::Write;
use std::path::PathBuf;

use gristmill::data::write_npy;
use gristmill::estimator::{InputColumns, OwnedRows};
use gristmill::{Dataset, Matrix};
use serde::Serialize;

use crate::arguments::{GlobalArgs, OUTPUT, ReadArgs, SavedModel, check_folder, check_outputs};
use crate::report::{
    CliError, CommandResult, Report, Uploaded, print_json, quoted, timed, write_file, write_numbers, write_out,
};

const EXAMPLES: &str = "Columns are matched by name, in any order; others are ignored. A pipeline whose model predicts gives the rows that its
steps make: what the model sees.

Examples:
  gristmill fit standard-scaler data/iris.csv --drop species --save scaler.gm
  gristmill transform scaler.gm data/iris.csv
  gristmill transform scaler.gm data/iris.csv --out scaled.npy";

/// What `transform` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TransformArgs {
    /// The model file that `fit --save` wrote
    model: PathBuf,
    /// The rows to transform; a target column is ignored
    data: PathBuf,
    /// Writes the rows to this file, as NPY if it ends in .npy, else as CSV, instead of CSV to standard output; never a partial file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

/// The report and, where they go nowhere else, the rows.
#[derive(Serialize)]
struct TransformReport {
    #[serde(flatten)]
    report: Report,
    names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transformed: Option<Vec<Vec<f32>>>,
}

pub fn run(args: &TransformArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&args.out], [args.model.as_path(), &args.data])?;
    args.out.as_deref().map_or(Ok(()), check_folder)?;
    let saved = SavedModel::load(&args.model, &args.read)?;
    let placed = global.placement()?.or_cpu("a pass over the rows is too little work for a GPU");
    let mut report = Report::new(saved.name());
    report.take_place(&placed);
    let device = placed.device;
    let data = saved.read_rows(&args.data, global, &mut report)?;
    let seen = if saved.model.columns().is_empty() { numbered(&data) } else { saved.model.input_columns() };
    let inner = saved.model.model();
    let columns = inner.transformed_columns(&seen);
    if columns.is_none() && saved.model.steps().is_empty() {
        let why = format!("{} predicts, and transforms no rows: see gristmill predict", saved.name());
        return Err(CliError::Usage(why));
    }
    let rows = Uploaded::new(&data, &device, &mut report.seconds)?;
    let made = timed(&mut report.seconds, "transform", || {
        let inputs = saved.model.prepare_rows(rows.rows())?;
        let made = columns.is_some().then(|| inner.transform(inputs.as_ref().map_or(rows.rows(), OwnedRows::rows)));
        made.transpose()?.or(inputs).map_or_else(|| Ok(data.x.clone()), OwnedRows::into_host)
    })?;
    let columns = columns.unwrap_or(seen);
    report.transformed_columns = Some(made.columns());
    report.take_profile(global, &device);
    let csv = |out: &mut dyn Write| write_csv(out, &made, &columns);
    if let Some(path) = &args.out {
        let npy = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
        write_file(path, |out| if npy { write_npy(out, &made) } else { csv(out) })?;
        report.saved = Some(path.display().to_string());
    }
    if global.json {
        let rows = || (0..made.rows()).map(|row| made.row(row).to_vec()).collect();
        let transformed = args.out.is_none().then(rows);
        print_json(&TransformReport { report, names: columns.names, transformed });
    } else if args.out.is_none() {
        write_out(csv)?;
    }
    Ok(())
}

/// The columns of rows whose names a model does not know.
fn numbered(data: &Dataset) -> InputColumns {
    let names: Vec<String> = (0..data.columns()).map(|column| format!("x{column}")).collect();
    InputColumns::named(data.names().unwrap_or(&names))
}

/// A header and a line for each row; categories by name, missing values as nothing.
fn write_csv(out: &mut dyn Write, made: &Matrix, columns: &InputColumns) -> std::io::Result<()> {
    let header: Vec<_> = columns.names.iter().map(|name| quoted(name)).collect();
    writeln!(out, "{}", header.join(","))?;
    if columns.categories.iter().all(Option::is_none) && !made.as_slice().iter().any(|value| value.is_nan()) {
        return (0..made.rows()).try_for_each(|row| {
            write_numbers(out, made.row(row))?;
            writeln!(out)
        });
    }
    for row in 0..made.rows() {
        let cell = |(column, value): (usize, &f32)| {
            let names = columns.categories.get(column).and_then(Option::as_ref);
            match names.and_then(|names| names.get(*value as usize)) {
                _ if value.is_nan() => String::new(),
                Some(name) => quoted(name).into_owned(),
                None => value.to_string(),
            }
        };
        let cells: Vec<String> = made.row(row).iter().enumerate().map(cell).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}
