//! `gristmill data`: what is in a file.

mod column;
mod page;

use std::path::PathBuf;

use column::{Column, Count, column, correlation};
use gristmill::data::Missing;
use gristmill::{Dataset, Labels, Matrix, Target};
use page::page;
use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::{GlobalArgs, ReadArgs, TargetArgs};
use crate::report::{CommandResult, Seconds, note, show, timed};

/// Warnings that are told.
const MOST_WARNINGS: usize = 5;

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
pub struct DataDescription {
    pub file: String,
    pub rows: usize,
    /// Of sparse rows there are too many columns to describe each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sparse: Option<Sparse>,
    pub columns: Vec<Column>,
    /// Rows whose features are all the same as those of an earlier row.
    pub duplicates: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetSummary>,
    pub seconds: Seconds,
}

#[derive(Serialize)]
pub struct Sparse {
    pub columns: usize,
    pub nonzero: usize,
}

#[derive(Serialize)]
pub struct TargetSummary {
    /// The classes, where the target can serve as classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<Count>>,
    /// The numbers, where it can serve as numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<Column>,
}

pub fn run(args: &DataCommandArgs, global: &GlobalArgs) -> CommandResult {
    let mut seconds = Seconds::default();
    let data = timed(&mut seconds, "load", || read(args, global))?;
    data.warnings().iter().take(MOST_WARNINGS).for_each(|text| note(global, &format!("warning: {text}")));
    let file = args.file.display().to_string();
    let numbers = numbers_of(&data.target);
    let described = |at: usize| match &numbers {
        Some(numbers) if data.x.categories(at).is_none() => {
            Column { correlation: correlation(&data.x, at, numbers), ..column(&data.x, at) }
        }
        _ => column(&data.x, at),
    };
    let columns = (0..data.x.columns()).into_par_iter().map(described).collect();
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

/// How many rows are the same as an earlier one, by their hashes.
fn duplicates(x: &Matrix) -> usize {
    if x.columns() == 0 {
        return 0;
    }
    let hash = |row: &[f32]| twox_hash::XxHash3_128::oneshot(bytemuck::cast_slice(row));
    let mut hashes: Vec<u128> = x.as_slice().par_chunks(x.columns()).map(hash).collect();
    hashes.par_sort_unstable();
    hashes.windows(2).filter(|pair| pair[0] == pair[1]).count()
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

/// The target as one number a row, where it is that, or one of two classes.
fn numbers_of(target: &Target) -> Option<Vec<f64>> {
    match target {
        Target::Classes(labels) if labels.classes() == 2 => {
            Some(labels.codes().iter().map(|code| f64::from(*code)).collect())
        }
        Target::Numbers(numbers) | Target::Whole { numbers, .. } if numbers.columns() == 1 => {
            Some(numbers.column_f64(0))
        }
        _ => None,
    }
}
