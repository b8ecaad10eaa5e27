//! `gristmill fit` of a file that is too large for memory, chunk by chunk.

use gristmill::data::{Chunks, Format};
use gristmill::estimator::Task;
use gristmill::pipeline::{Column, Pipeline, PipelineModel};
use gristmill::prelude::*;
use gristmill::{Target, registry};

use super::FitArgs;
use crate::arguments::{DataArgs, GlobalArgs, MissingChoice, check_target, header, named as named_column};
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
        (matches!(args.data.missing, Some(MissingChoice::Mean | MissingChoice::Median)), "--missing mean and median"),
    ];
    let needs_all = needs_all.iter().find(|(asked, _)| *asked).map(|(_, flag)| *flag);
    match (args.chunk_rows, takes_chunks, needs_all) {
        (None, false, _) | (None, _, Some(_)) => Ok(None),
        // One pass is another fit than many: where that matters it must be asked for.
        (None, true, None) => Ok((!estimator.task().needs_target() && is_large(&args.data)?).then_some(CHUNK)),
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
    let task = estimator.task();
    let mut read = args.data.read_options(&args.read, pipeline);
    if !task.needs_target() {
        // The target is no part of what is learnt.
        read.drop.append(&mut read.targets);
    }
    let targets = read.targets.clone();
    let mut chunks = timed(&mut report.seconds, "load", || Chunks::open(&args.data.data, &read, rows))?;
    if let Some(labels) = &args.data.target.labels {
        chunks = chunks.with_labels(labels, rows)?;
    }
    let progress = Progress::new(global);
    let mut fitted: Option<(AnyModel, Dataset)> = None;
    guarded(|| -> CommandResult {
        while let Some(chunk) = timed(&mut report.seconds, "load", || chunks.next()).transpose()? {
            refuse_text(estimator.name(), &chunk)?;
            let target = learnt(task, &chunk.target, &args.classes)?;
            check_target(estimator.name(), task, &target)?;
            let batch = Uploaded::new(&chunk, device, &mut report.seconds)?;
            report.rows += chunk.rows();
            report.columns = chunk.columns();
            let model = fitted.take().map(|(model, _)| model);
            let learn = || estimator.partial_fit(model, batch.rows(), &target, Fit::default());
            let model = timed(&mut report.seconds, "fit", learn)?;
            drop(batch);
            fitted = Some((model, Dataset { target, ..chunk }));
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
    let name = |column: usize| last.names().map_or_else(String::new, |names| names[column].clone());
    let columns = (0..last.columns()).map(|column| Column { name: name(column), categories: None }).collect();
    let named = header(&args.data.data, &read)?;
    let targets = targets.iter().map(|target| named_column(target, named.as_deref())).collect();
    Ok((PipelineModel::from(model).with_columns(columns).with_targets(targets), last))
}

/// What is learnt of a chunk's target: with all classes that were named, if any were.
fn learnt(task: Task, target: &Target, classes: &[String]) -> CommandResult<Target> {
    if !task.needs_target() {
        return Ok(Target::None);
    }
    if task != Task::Classification || classes.is_empty() {
        return Ok(target.clone());
    }
    let labels = target.labels()?;
    let code = |row: usize| match classes.iter().position(|class| class == labels.name(row)) {
        Some(code) => Ok(code as u32),
        None => {
            let why = format!("the class {:?} is not among those that --classes names", labels.name(row));
            Err(CliError::Usage(why))
        }
    };
    let codes = (0..labels.len()).map(code).collect::<CommandResult<Vec<u32>>>()?;
    Ok(Target::Classes(Labels::from_codes(codes, classes.to_vec())?))
}

/// Categories are known only at the end of the file, so text cannot be encoded on the way.
fn refuse_text(op: &'static str, chunk: &Dataset) -> Result<()> {
    if chunk.sparse.is_some() {
        return Ok(());
    }
    let name = |column: usize| chunk.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
    let text: Vec<String> = (0..chunk.columns()).filter(|column| chunk.x.is_categorical(*column)).map(name).collect();
    if text.is_empty() {
        return Ok(());
    }
    let expected = "columns of numbers in a file that is read in chunks; leave the others out (--drop)".to_string();
    Err(Error::shape(op, expected, format!("text in {}", text.join(", "))))
}
