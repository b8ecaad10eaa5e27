//! `gristmill fit` of a CSV file that is too large for memory, chunk by chunk.

use gristmill::data::{CsvChunks, Format};
use gristmill::pipeline::{Column, Pipeline, PipelineModel};
use gristmill::prelude::*;
use gristmill::{Target, registry};

use super::FitArgs;
use crate::arguments::{DataArgs, GlobalArgs, MissingChoice};
use crate::report::{CliError, CommandResult, Progress, Report, Uploaded, guarded, interrupted, timed};

/// Files above this are read in chunks, for models that learn from them.
const LARGE: u64 = 256 << 20;
/// Rows of a chunk, unless that is given.
const CHUNK: usize = 16_384;

/// How many rows to take at a time, if the file is to be read in chunks: when that is asked for, or when the file is
/// large and nothing that is asked for needs all rows at once.
pub fn chunk_rows(args: &FitArgs, estimator: &AnyEstimator) -> CommandResult<Option<usize>> {
    let takes_chunks = estimator.abilities().chunks;
    let needs_all = [
        (args.settings.scale, "--scale"),
        (args.settings.one_hot, "--one-hot"),
        (!args.settings.step.is_empty(), "--step"),
        (args.split.is_some(), "--split"),
        (args.split_column.is_some(), "--split-column"),
        (args.test.is_some(), "--test"),
        (args.read.has_dates(), "--dates"),
        (args.data.weight.is_some(), "--weight"),
        (!args.data.more.is_empty(), "several files"),
        (args.data.target.labels.is_some(), "--labels"),
        (estimator.task().needs_target(), "a target"),
        (matches!(args.data.missing, Some(MissingChoice::Mean | MissingChoice::Median)), "--missing mean and median"),
    ];
    let needs_all = needs_all.iter().find(|(asked, _)| *asked).map(|(_, flag)| *flag);
    match (args.chunk_rows, takes_chunks, needs_all) {
        (None, false, _) | (None, _, Some(_)) => Ok(None),
        (None, true, None) => Ok(is_large(&args.data)?.then_some(CHUNK)),
        (Some(_), false, _) => {
            let known = registry::entries().iter().filter(|entry| entry.estimator().abilities().chunks);
            let known: Vec<&str> = known.map(|entry| entry.name).collect();
            Err(CliError::Usage(format!("--chunk-rows is for models that learn from chunks: {}", known.join(", "))))
        }
        (Some(_), true, Some(flag)) => {
            Err(CliError::Usage(format!("{flag} needs all rows at once, and --chunk-rows reads some at a time")))
        }
        (Some(rows), true, None) => Ok(Some(rows)),
    }
}

fn is_large(data: &DataArgs) -> Result<bool> {
    let large = std::fs::metadata(&data.data).is_ok_and(|about| about.is_file() && about.len() > LARGE);
    Ok(large && Format::of(&data.data)? == Format::Csv)
}

/// One pass over the file; the model goes on with each chunk. Also the rows of the last chunk, which a picture can show.
pub fn fit(
    args: &FitArgs,
    global: &GlobalArgs,
    pipeline: &Pipeline,
    device: &Device,
    rows: usize,
    report: &mut Report,
) -> CommandResult<(PipelineModel, Dataset)> {
    let estimator = pipeline.estimator();
    let mut read = args.data.read_options(&args.read, pipeline);
    // The target is no part of what is learnt.
    read.drop.append(&mut read.targets);
    let mut chunks = timed(&mut report.seconds, "load", || CsvChunks::open(&args.data.data, &read, rows))?;
    let progress = Progress::new(global);
    let mut fitted: Option<(AnyModel, Dataset)> = None;
    guarded(|| -> CommandResult {
        while let Some(chunk) = timed(&mut report.seconds, "load", || chunks.next()).transpose()? {
            refuse_text(estimator.name(), &chunks)?;
            let chunk = Dataset::new(chunk, Target::None)?;
            let batch = Uploaded::new(&chunk, device, &mut report.seconds)?;
            report.rows += chunk.rows();
            report.columns = chunk.columns();
            let model = fitted.take().map(|(model, _)| model);
            let learn = || estimator.partial_fit(model, batch.rows(), &Target::None, Fit::default());
            fitted = Some((timed(&mut report.seconds, "fit", learn)?, chunk));
            progress.count(estimator.name(), report.rows);
            if interrupted() {
                break;
            }
        }
        Ok(())
    })?;
    let Some((model, last)) = fitted else {
        let why = "there are no rows of data; expected one at least".to_string();
        let path = args.data.data.display().to_string();
        return Err(CliError::Run(Error::Data { path, line: None, column: None, why }));
    };
    let names = chunks.names().map(<[String]>::to_vec);
    let name = |column: usize| names.as_ref().map_or_else(String::new, |names| names[column].clone());
    let columns = (0..chunks.columns()).map(|column| Column { name: name(column), categories: None }).collect();
    Ok((PipelineModel::from(model).with_columns(columns), last))
}

/// Categories are known only at the end of the file, so text cannot be encoded on the way.
fn refuse_text(op: &'static str, chunks: &CsvChunks) -> Result<()> {
    let categories = chunks.categories();
    let text = categories.iter().enumerate().filter(|(_, categories)| categories.is_some());
    let name = |column: usize| chunks.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
    let text: Vec<String> = text.map(|(column, _)| name(column)).collect();
    if text.is_empty() {
        return Ok(());
    }
    let expected = "columns of numbers in a file that is read in chunks; leave the others out (--drop)".to_string();
    Err(Error::shape(op, expected, format!("text in {}", text.join(", "))))
}
