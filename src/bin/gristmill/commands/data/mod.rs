//! `gristmill data`: what is in a file.

use std::collections::HashSet;
use std::path::PathBuf;

use gristmill::data::Missing;
use gristmill::{Dataset, Labels, Matrix, Target};
use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::{GlobalArgs, ReadArgs, TargetArgs};
use crate::report::{CommandResult, Seconds, note, number, show, table_of, timed};

/// Columns that a table shows; JSON has all.
const MOST_SHOWN: usize = 200;
/// Categories of a column that the table names.
const MOST_NAMED: usize = 5;

const EXAMPLES: &str = "Examples:
  gristmill data data/iris.csv --target species
  gristmill data train.csv.gz --json
  gristmill data images.npy --labels labels.npy";

/// What `data` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DataCommandArgs {
    /// The file: CSV, TSV, JSON lines, Parquet, Arrow, LIBSVM, NPY or IDX, gzip or not; a pattern such as 'part-*.csv' for
    /// several
    file: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
    /// Columns whose numbers are categories
    #[arg(long, value_name = "COLS", value_delimiter = ',', allow_negative_numbers = true)]
    categorical: Vec<String>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Serialize)]
struct DataDescription {
    file: String,
    rows: usize,
    /// Of sparse rows there are too many columns to describe each.
    #[serde(skip_serializing_if = "Option::is_none")]
    sparse: Option<Sparse>,
    columns: Vec<Column>,
    /// Rows whose features are all the same as those of an earlier row.
    duplicates: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<TargetSummary>,
    seconds: Seconds,
}

#[derive(Serialize)]
struct Sparse {
    columns: usize,
    nonzero: usize,
}

/// A column of `x`, or of a target of numbers.
#[derive(Serialize)]
struct Column {
    name: String,
    /// `number`, `integer`, `text`, or `empty` if every value is missing.
    #[serde(rename = "type")]
    kind: &'static str,
    missing: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
    /// The values below which a quarter, half and three quarters of the values lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    quartiles: Option<[f64; 3]>,
    /// How many different values there are.
    distinct: usize,
    /// Of a text column, how many rows have each category.
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<Count>>,
}

#[derive(Serialize)]
struct Count {
    name: String,
    count: usize,
}

#[derive(Serialize)]
struct TargetSummary {
    /// The classes, where the target can serve as classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<Count>>,
    /// The numbers, where it can serve as numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<Column>,
}

pub fn run(args: &DataCommandArgs, global: &GlobalArgs) -> CommandResult {
    let mut seconds = Seconds::default();
    let data = timed(&mut seconds, "load", || read(args, global))?;
    data.warnings().iter().take(MOST_NAMED).for_each(|text| note(global, &format!("warning: {text}")));
    let file = args.file.display().to_string();
    let columns = (0..data.x.columns()).into_par_iter().map(|at| column(&data.x, at)).collect();
    let target = summary(&data.target, &args.target.target);
    let sparse = data.sparse.as_ref().map(|sparse| Sparse { columns: sparse.columns(), nonzero: sparse.nnz() });
    let described =
        DataDescription { file, rows: data.rows(), sparse, columns, duplicates: duplicates(&data.x), target, seconds };
    show(global, &described, page);
    Ok(())
}

fn read(args: &DataCommandArgs, global: &GlobalArgs) -> gristmill::Result<Dataset> {
    let mut reading =
        args.read.options().missing(Missing::Keep).exact(true).categorical(args.categorical.iter().cloned());
    reading.targets = args.target.target.clone();
    let (data, notes) = Dataset::read_with_notes(&args.file, &reading)?;
    notes.iter().for_each(|text| note(global, text));
    match &args.target.labels {
        Some(labels) => data.with_labels_file(labels),
        None => Ok(data),
    }
}

fn column(x: &Matrix, at: usize) -> Column {
    let name = x.names().map_or_else(|| (at + 1).to_string(), |names| names[at].clone());
    let values = || x.as_slice().iter().skip(at).step_by(x.columns()).copied().filter(|value| !value.is_nan());
    let present = values().count();
    let missing = x.rows() - present;
    let (kind, quartiles, categories) = ("empty", None, None);
    let described = Column {
        name,
        kind,
        missing,
        min: None,
        max: None,
        mean: None,
        deviation: None,
        quartiles,
        distinct: 0,
        categories,
    };
    if let Some(categories) = x.categories(at) {
        let mut counts = vec![0; categories.len()];
        values().for_each(|code| counts[code as usize] += 1);
        let distinct = counts.iter().filter(|count| **count > 0).count();
        let categories = categories.iter().zip(counts).map(|(name, count)| Count { name: name.clone(), count });
        return Column { kind: "text", distinct, categories: Some(categories.collect()), ..described };
    }
    // The numbers of the file; those of a file of f32 as they are written.
    let is_f32 = (0..x.rows()).all(|row| !(f64::from(x.get(row, at)) != x.get_f64(row, at)));
    let written = |value: f64| if is_f32 { (value as f32).to_string().parse().unwrap_or(value) } else { value };
    let mut sorted: Vec<f64> = x.column_f64(at).into_iter().filter(|value| !value.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let [Some(&min), Some(&max)] = [sorted.first(), sorted.last()] else { return described };
    let mean = min + sorted.iter().map(|value| value - min).sum::<f64>() / present as f64;
    let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / present as f64;
    let integer = sorted.iter().all(|value| value.fract() == 0.0);
    // Linear between neighbouring values, as numpy's.
    let quartile = |quarter: usize| {
        let place = (sorted.len() - 1) * quarter;
        let (low, high) = (sorted[place / 4], sorted[(place / 4 + 1).min(sorted.len() - 1)]);
        low + (high - low) * (place % 4) as f64 / 4.0
    };
    Column {
        kind: if integer { "integer" } else { "number" },
        min: Some(written(min)),
        max: Some(written(max)),
        mean: Some(mean),
        deviation: Some(variance.sqrt()),
        quartiles: Some([1, 2, 3].map(|quarter| written(quartile(quarter)))),
        distinct: 1 + sorted.windows(2).filter(|pair| pair[0] != pair[1]).count(),
        ..described
    }
}

/// How many rows are the same as an earlier one.
fn duplicates(x: &Matrix) -> usize {
    let mut seen = HashSet::new();
    let bits = |row: usize| x.row(row).iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
    (0..x.rows()).filter(|row| x.columns() > 0 && !seen.insert(bits(*row))).count()
}

fn summary(target: &Target, names: &[String]) -> Option<TargetSummary> {
    let counts = |labels: &Labels| {
        let pairs = labels.names().iter().zip(labels.counts());
        Some(pairs.map(|(name, count)| Count { name: name.clone(), count }).collect())
    };
    let columns = |numbers: &Matrix| {
        let mut columns: Vec<Column> = (0..numbers.columns()).map(|at| column(numbers, at)).collect();
        if numbers.names().is_none() {
            columns.iter_mut().zip(names).for_each(|(column, name)| column.name = name.clone());
        }
        columns
    };
    match target {
        Target::None => None,
        Target::Classes(labels) => Some(TargetSummary { classes: counts(labels), numbers: vec![] }),
        Target::Numbers(numbers) => Some(TargetSummary { classes: None, numbers: columns(numbers) }),
        Target::Whole { classes, numbers } => {
            Some(TargetSummary { classes: counts(classes), numbers: columns(numbers) })
        }
    }
}

fn page(described: &DataDescription) -> String {
    // Numbers and texts have little in common, and side by side they would not fit a terminal.
    let table_of_columns = |what: &str, columns: &[Column]| {
        let (text, numbers): (Vec<&Column>, Vec<&Column>) = columns.iter().partition(|column| column.kind == "text");
        let mut tables = vec![];
        if !numbers.is_empty() {
            let header = [what, "type", "missing", "min", "median", "mean", "max"];
            tables.push(table_of(&header, numbers.into_iter().map(number_row)));
        }
        if !text.is_empty() {
            tables.push(table_of(&[what, "type", "missing", "categories"], text.into_iter().map(text_row)));
        }
        tables.join("\n")
    };
    let (rows, columns) = (described.rows, described.columns.len());
    let mut page = match &described.sparse {
        Some(Sparse { columns, nonzero }) => {
            format!("{}: {rows} sparse rows × {columns} columns, {nonzero} values that are not 0", described.file)
        }
        None => {
            let shown = table_of_columns("column", &described.columns[..columns.min(MOST_SHOWN)]);
            format!("{}: {rows} rows × {columns} columns\n{shown}", described.file)
        }
    };
    if columns > MOST_SHOWN {
        page += &format!("\n… {} more columns; --json has all", columns - MOST_SHOWN);
    }
    let constant: Vec<&str> =
        described.columns.iter().filter(|column| column.distinct == 1).map(|column| column.name.as_str()).collect();
    if rows > 1 && !constant.is_empty() {
        page += &format!("\nOne value in all rows: {}", constant.join(", "));
    }
    if described.duplicates > 0 {
        page += &format!("\n{} rows are the same as an earlier one", described.duplicates);
    }
    let Some(target) = &described.target else { return page };
    if let Some(classes) = target.classes.as_ref().filter(|classes| classes.len() <= MOST_SHOWN) {
        let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / rows as f64);
        let counts = classes.iter().map(|class| [class.name.clone(), class.count.to_string(), share(class.count)]);
        let shown = table_of(&["class", "rows", "share"], counts);
        page += &format!("\nThe target as {} classes\n{shown}", classes.len());
    }
    if !target.numbers.is_empty() {
        page += &format!("\nThe target as numbers\n{}", table_of_columns("target", &target.numbers));
    }
    page
}

fn number_row(column: &Column) -> [String; 7] {
    // Of large numbers the digits before the point are what tells them apart.
    let shown = |value: f64| if (1e6..1e15).contains(&value.abs()) { format!("{value:.0}") } else { number(value) };
    let or_nothing = |value: Option<f64>| value.map_or_else(String::new, shown);
    [
        column.name.clone(),
        column.kind.to_string(),
        column.missing.to_string(),
        or_nothing(column.min),
        or_nothing(column.quartiles.map(|[_, median, _]| median)),
        or_nothing(column.mean),
        or_nothing(column.max),
    ]
}

fn text_row(column: &Column) -> [String; 4] {
    let mut order: Vec<&Count> = column.categories.iter().flatten().collect();
    order.sort_by_key(|category| std::cmp::Reverse(category.count));
    let named: Vec<String> =
        order.iter().take(MOST_NAMED).map(|Count { name, count }| format!("{name} ({count})")).collect();
    let more = if order.len() > MOST_NAMED { ", …" } else { "" };
    let categories = format!("{}: {}{more}", order.len(), named.join(", "));
    [column.name.clone(), column.kind.to_string(), column.missing.to_string(), categories]
}
