//! Which data, and what in it is what.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gristmill::data::{CsvChunks, Format, Missing, ReadOptions, column_names, matching_files};
use gristmill::estimator::{Estimator, Task};
use gristmill::pipeline::Pipeline;
use gristmill::preprocessing::{ImputeStrategy, SimpleImputer};
use gristmill::{Dataset, Error, Result, Target, registry};

use super::headings::DATA;
use super::{GlobalArgs, ReadArgs};
use crate::report::{CliError, CommandResult, note};

/// Warnings about the data that are shown.
const MOST_WARNINGS: usize = 8;
/// Classes of few rows that are named, each in a warning of its own.
const MOST_RARE: usize = 3;

/// Where the target is.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = DATA)]
pub struct TargetArgs {
    /// The column to predict, by name or by number from 1 (-1 is the last); several columns of numbers as A,B
    #[arg(long, value_name = "COL", value_delimiter = ',', allow_negative_numbers = true)]
    pub target: Vec<String>,
    /// A file with one column: the target of each row of the data, instead of --target
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    pub labels: Option<PathBuf>,
}

impl DataArgs {
    /// The files that are read.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.files().into_iter().chain(&self.target.labels).map(PathBuf::as_path)
    }

    /// The files of the data, of which each may be a pattern.
    pub fn files(&self) -> Vec<&PathBuf> {
        std::iter::once(&self.data).chain(&self.more).collect()
    }
}

/// The data of `fit` and `cv`.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = DATA)]
pub struct DataArgs {
    /// The data: CSV, TSV, JSON lines, Parquet, Arrow, LIBSVM, NPY or IDX, gzip or not; - is standard input
    #[arg(help_heading = None)]
    pub data: PathBuf,
    /// More files with the same columns; each may be a pattern such as 'part-*.csv'
    #[arg(value_name = "MORE", help_heading = None)]
    pub more: Vec<PathBuf>,
    #[command(flatten)]
    pub target: TargetArgs,
    /// The columns to learn from; by default all but the target
    #[arg(long, value_name = "COLS", value_delimiter = ',', allow_negative_numbers = true, conflicts_with = "drop")]
    pub features: Vec<String>,
    /// Columns to ignore
    #[arg(long, value_name = "COLS", value_delimiter = ',', allow_negative_numbers = true)]
    pub drop: Vec<String>,
    /// The column that says how much each row counts in a fit, at least 0; it is no column to learn from
    #[arg(long, value_name = "COL", allow_negative_numbers = true)]
    pub weight: Option<String>,
    /// Columns whose numbers are categories
    #[arg(long, value_name = "COLS", value_delimiter = ',', allow_negative_numbers = true)]
    pub categorical: Vec<String>,
    /// What to do with missing values; without this they are an error unless the model takes them
    #[arg(long, value_name = "HOW")]
    pub missing: Option<MissingChoice>,
    /// Leaves out rows whose target is missing, whatever becomes of other missing values
    #[arg(long)]
    pub drop_unlabelled: bool,
    /// Columns that say something of the rows and are no features, with the flags that name them
    #[arg(skip)]
    pub set_aside: Vec<(&'static str, String)>,
}

/// What to do with missing values.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingChoice {
    /// The first one is an error that names its row and column
    Refuse,
    /// Rows with a missing value are dropped
    Drop,
    /// Filled with the mean of the column, as part of the model
    Mean,
    /// Filled with the median of the column, as part of the model
    Median,
    /// Kept as they are, for models that take them
    Keep,
}

/// What was read.
pub struct Loaded {
    pub data: Dataset,
    /// The names of the target's columns in the file; none where the target has a file of its own.
    pub targets: Vec<String>,
}

impl DataArgs {
    /// How the data is read for a pipeline.
    pub fn read_options(&self, reading: &ReadArgs, pipeline: &Pipeline) -> ReadOptions {
        let missing = match self.missing {
            Some(MissingChoice::Refuse) => Missing::Refuse,
            Some(MissingChoice::Drop) => Missing::Drop,
            Some(MissingChoice::Mean | MissingChoice::Median | MissingChoice::Keep) => Missing::Keep,
            None if pipeline.abilities().missing => Missing::Keep,
            None => Missing::Refuse,
        };
        let mut options = reading.options().missing(missing).drop_unlabelled(self.drop_unlabelled);
        options.features = (!self.features.is_empty()).then(|| self.features.clone());
        options.drop = self.drop.clone();
        if self.features.is_empty() {
            options.drop.extend(self.others().map(|(_, column)| column.clone()));
        }
        options.categorical = self.categorical.clone();
        options.targets = self.target.target.clone();
        // What takes dense rows only is given those.
        options.sparse = reading.sparse().or((!pipeline.abilities().sparse).then_some(false));
        options
    }

    /// Columns that are left out without --drop, with the flags that name them.
    fn others(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let weight = self.weight.iter().map(|column| ("--weight", column));
        weight.chain(self.set_aside.iter().map(|(flag, column)| (*flag, column)))
    }

    /// An error of the reader, which drops these columns, speaks of the flag that names them.
    fn as_typed(&self, error: Error) -> Error {
        match error {
            Error::Param { name: "drop", rule, got } => {
                let named = self.others().find(|(_, column)| got.starts_with(&format!("{column:?}")));
                Error::Param { name: named.map_or("drop", |(flag, _)| flag), rule, got }
            }
            other => other,
        }
    }

    /// The numbers, from 1, of the columns to learn from in a file of so many columns without names.
    fn file_numbers(&self, width: usize) -> Vec<usize> {
        let number = |column: &String| match column.parse::<i64>() {
            Ok(number @ 1..) => number as usize,
            Ok(number) => (width as i64 + 1 + number).max(0) as usize,
            Err(_) => 0,
        };
        if !self.features.is_empty() {
            return self.features.iter().map(number).collect();
        }
        let others = self.target.target.iter().chain(&self.drop).chain(self.others().map(|(_, column)| column));
        let others: Vec<usize> = others.map(number).collect();
        (1..=width).filter(|number| !others.contains(number)).collect()
    }

    /// How much each of so many rows counts, if a column says so.
    pub fn weights(&self, reading: &ReadArgs, rows: usize) -> CommandResult<Option<Vec<f32>>> {
        let Some(column) = &self.weight else { return Ok(None) };
        let mut options = reading.options().features([column]);
        options.dates = vec![];
        let x = Dataset::read_all(&self.files(), &options).map_err(of_flag("--weight"))?.0.to_dense(1 << 32)?.x;
        if x.rows() != rows {
            let why = "--weight needs every row: leave out --missing drop and --drop-unlabelled";
            return Err(CliError::Usage(why.to_string()));
        }
        if x.categories(0).is_some() {
            return Err(CliError::Usage(format!("--weight takes a column of numbers, and {column} is text")));
        }
        Ok(Some(x.into_vec()))
    }

    /// The step that fills in missing values, if one is asked for.
    pub fn imputer(&self) -> Option<SimpleImputer> {
        let strategy = match self.missing {
            Some(MissingChoice::Mean) => ImputeStrategy::Mean,
            Some(MissingChoice::Median) => ImputeStrategy::Median,
            _ => return None,
        };
        Some(SimpleImputer::default().strategy(strategy))
    }

    /// Reads the data for a pipeline, and checks that there is the target it learns from.
    pub fn read(&self, reading: &ReadArgs, pipeline: &Pipeline, global: &GlobalArgs) -> CommandResult<Loaded> {
        if reading.sparse() == Some(true) && !pipeline.abilities().sparse {
            let name = pipeline.estimator().name();
            let steps = if pipeline.steps().is_empty() { "" } else { " with these steps" };
            return Err(CliError::Usage(format!("{name}{steps} takes dense rows: leave out --sparse")));
        }
        let read = Dataset::read_all(&self.files(), &self.read_options(reading, pipeline));
        let (mut data, notes) = read.map_err(|error| self.as_typed(error))?;
        notes.iter().for_each(|text| note(global, text));
        if data.x.names().is_none()
            && data.sparse.is_none()
            && let Some(width) = unnamed_width(&self.data, &reading.options())?
        {
            let numbers = self.file_numbers(width);
            if numbers.len() == data.x.columns() {
                data.x = data.x.with_names(numbers.iter().map(|number| numbered_name(*number)))?;
            }
        }
        if let Some(labels) = &self.target.labels {
            data = data.with_labels_file(labels)?;
        }
        check_target(pipeline.estimator().name(), pipeline.estimator().task(), &data.target)?;
        let names = if self.target.target.is_empty() { None } else { header(&self.data, &reading.options())? };
        let targets = self.target.target.iter().map(|wanted| named(wanted, names.as_deref())).collect();
        let of_classes = many_numbers(pipeline, &data).map_or_else(|| rare_classes(pipeline, &data), |text| vec![text]);
        for text in data.warnings().iter().chain(&of_classes).take(MOST_WARNINGS) {
            note(global, &format!("warning: {text}"));
        }
        Ok(Loaded { data, targets })
    }
}

/// What a column of a file without names is called, by its number in the file from 1.
pub fn numbered_name(number: usize) -> String {
    format!("column_{number}")
}

/// Whether that is what a column is called.
pub fn is_numbered(name: &str) -> bool {
    name.strip_prefix("column_").is_some_and(|number| number.parse::<usize>().is_ok())
}

/// The classes that have fewer rows than a leaf of the model must have: no leaf can be of such a class.
fn rare_classes(pipeline: &Pipeline, data: &Dataset) -> Vec<String> {
    let parameters = pipeline.estimator().parameters().unwrap_or_default();
    let leaf = parameters.get("min_samples_leaf").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let Ok(labels) = data.labels() else { return vec![] };
    let classes = labels.names().iter().zip(labels.counts());
    let rare =
        classes.filter(|(_, count)| pipeline.estimator().task() == Task::Classification && (*count as u64) < leaf);
    let rows = |count: usize| if count == 1 { "1 row".to_string() } else { format!("{count} rows") };
    let rare: Vec<(&String, usize)> = rare.collect();
    if let Some(least) = rare.iter().map(|(_, count)| *count).min().filter(|_| rare.len() > MOST_RARE) {
        let remedy = format!("set min_samples_leaf={least} or less");
        return vec![format!("{} classes have fewer rows than a leaf, {leaf} at least: {remedy}", rare.len())];
    }
    let warning = |(name, count): (&String, usize)| {
        let has = rows(count);
        format!("class {name:?} has {has}, and a leaf at least {leaf}: set min_samples_leaf={count} or less")
    };
    rare.into_iter().map(warning).collect()
}

/// Numbers of which there are many are likelier a quantity than classes.
fn many_numbers(pipeline: &Pipeline, data: &Dataset) -> Option<String> {
    const MOST_CLASSES: usize = 50;
    let Target::Whole { classes, .. } = &data.target else { return None };
    let (model, task, found) = (pipeline.estimator().name(), pipeline.estimator().task(), classes.classes());
    let many = task == Task::Classification && found > MOST_CLASSES && found > data.rows() / 10;
    many.then(|| {
        let other = twin(model, "-regressor");
        format!("the target has {found} different numbers, which {model} takes for classes: {other} predicts numbers")
    })
}

/// The model of the other task that is most like this one.
fn twin(model: &str, ending: &str) -> String {
    let stem = model.trim_end_matches("-classifier").trim_end_matches("-regressor");
    let found = registry::find(&format!("{stem}{ending}"));
    found.map_or_else(|_| format!("random-forest{ending}"), |entry| entry.name.to_string())
}

/// Refuses data without the target that a model learns from, or with one of another kind.
pub fn check_target(model: &str, task: Task, target: &Target) -> CommandResult {
    if task.needs_target() && matches!(target, Target::None) {
        let why = format!("{model} learns from a target: name its column with --target, or its file with --labels");
        return Err(CliError::Usage(why));
    }
    let (predicts, has, ending) = match (task, target) {
        (Task::Classification, Target::Numbers(numbers)) if numbers.columns() > 1 => {
            ("classes", "several columns of numbers", "-regressor")
        }
        (Task::Classification, Target::Numbers(_)) => ("classes", "numbers that are not all integers", "-regressor"),
        (Task::Regression, Target::Classes(_)) => ("numbers", "classes in words", "-classifier"),
        _ => return Ok(task.check(target)?),
    };
    let other = twin(model, ending);
    Err(CliError::Unfit(format!("{model} predicts {predicts}, and the target has {has}: try {other}")))
}

/// Whether a path is a file that can be read twice, unlike a pipe; standard input is kept.
pub fn readable_twice(path: &Path) -> bool {
    path == Path::new("-") || std::fs::metadata(path).is_ok_and(|about| about.is_file())
}

/// A CSV file that was opened for its columns; nothing for other formats, and for what is read only once.
fn csv_columns(path: &Path, read: &ReadOptions) -> Result<Option<CsvChunks>> {
    let files = matching_files(path)?;
    let path = files.first().map_or(path, PathBuf::as_path);
    if !readable_twice(path) || read.format.map_or_else(|| Format::of(path), Ok)? != Format::Csv {
        return Ok(None);
    }
    CsvChunks::open(path, &read.clone().missing(Missing::Keep), 1).map(Some)
}

/// The names of the columns of a file that has them; nothing for what is read only once.
pub fn header(path: &Path, read: &ReadOptions) -> Result<Option<Vec<String>>> {
    let files = matching_files(path)?;
    match files.first().is_some_and(|path| readable_twice(path)) {
        true => column_names(path, read),
        false => Ok(None),
    }
}

/// How many columns a CSV file has that does not name them.
pub fn unnamed_width(path: &Path, read: &ReadOptions) -> Result<Option<usize>> {
    Ok(csv_columns(path, read)?.filter(|chunks| chunks.names().is_none()).map(|chunks| chunks.columns()))
}

/// The name of a column that was asked for by name or number.
pub fn named(wanted: &str, names: Option<&[String]>) -> String {
    let Some(names) = names.filter(|names| !names.iter().any(|name| name == wanted)) else {
        return wanted.to_string();
    };
    let at = wanted.parse::<i64>().ok().and_then(|number| match number {
        1.. => usize::try_from(number - 1).ok(),
        _ => usize::try_from(names.len() as i64 + number).ok(),
    });
    at.and_then(|at| names.get(at)).map_or_else(|| wanted.to_string(), String::clone)
}

/// An error about the one column that is read speaks of the flag that names it.
pub fn of_flag(flag: &'static str) -> impl Fn(Error) -> Error {
    move |error| match error {
        Error::Param { name: "features" | "categorical", rule, got } => Error::Param { name: flag, rule, got },
        other => other,
    }
}
