//! `gristmill fit` of a CSV file that is too large for memory, chunk by chunk.

use gristmill::cluster::{MiniBatchKMeans, MiniBatchKMeansModel};
use gristmill::data::{CsvChunks, Format};
use gristmill::model_file::Persist;
use gristmill::pipeline::{Column, PipelineModel};
use gristmill::prelude::*;

use super::FitArgs;
use crate::arguments::{DataArgs, GlobalArgs, MissingChoice};
use crate::report::{CliError, CommandResult, Progress, Report, guarded, interrupted, timed};

/// Files above this are read in chunks, for models that take them.
const LARGE: u64 = 256 << 20;
/// Rows of a chunk, unless that is given.
const CHUNK: usize = 16_384;

/// How many rows to take at a time, if the file is to be read in chunks: when that is asked for, or when the file is
/// large and nothing that is asked for needs all rows at once.
pub fn chunk_rows(args: &FitArgs) -> CommandResult<Option<usize>> {
    let takes_chunks = args.model.model == MiniBatchKMeansModel::KIND;
    let needs_all = [
        (args.model.scale, "--scale"),
        (args.model.one_hot, "--one-hot"),
        (args.split.is_some(), "--split"),
        (args.test.is_some(), "--test"),
        (args.data.target.labels.is_some(), "--labels"),
        (matches!(args.data.missing, Some(MissingChoice::Mean | MissingChoice::Median)), "--missing mean and median"),
    ];
    let needs_all = needs_all.iter().find(|(asked, _)| *asked).map(|(_, flag)| *flag);
    match (args.chunk_rows, takes_chunks, needs_all) {
        (None, false, _) | (None, _, Some(_)) => Ok(None),
        (None, true, None) => Ok(is_large(&args.data)?.then_some(CHUNK)),
        (Some(_), false, _) => {
            let why = format!("--chunk-rows is for models that learn from chunks: {}", MiniBatchKMeansModel::KIND);
            Err(CliError::Usage(why))
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

/// One pass over the file; each chunk is a batch.
pub fn fit(
    args: &FitArgs,
    global: &GlobalArgs,
    estimator: &AnyEstimator,
    device: &Device,
    rows: usize,
    report: &mut Report,
) -> CommandResult<PipelineModel> {
    let parameters = serde_json::Value::Object(estimator.parameters()?);
    let batches: MiniBatchKMeans =
        serde_json::from_value(parameters).map_err(|error| CliError::Usage(error.to_string()))?;
    let mut read = args.data.read_options(estimator);
    // The target is no part of what is clustered.
    read.drop.append(&mut read.targets);
    // The start is chosen among the rows of the first chunk.
    let rows = if args.chunk_rows.is_none() { rows.max(4 * batches.n_clusters) } else { rows };
    let mut chunks = timed(&mut report.seconds.load, || CsvChunks::open(&args.data.data, &read, rows))?;
    let progress = Progress::new(global);
    let model = guarded(|| -> CommandResult<Option<MiniBatchKMeansModel>> {
        let mut model = None;
        while let Some(chunk) = timed(&mut report.seconds.load, || chunks.next()).transpose()? {
            refuse_text(&chunks)?;
            let batch = match device {
                Device::Cpu => chunk.to(device)?,
                Device::Gpu(_) => timed(&mut report.seconds.upload, || chunk.to(device))?,
            };
            report.rows += chunk.rows();
            report.columns = chunk.columns();
            model = Some(timed(&mut report.seconds.fit, || batches.partial_fit(model.take(), &batch))?);
            progress.count("mini-batch k-means", report.rows);
            if interrupted() {
                break;
            }
        }
        Ok(model)
    })?;
    let Some(model) = model else {
        let why = "there are no rows of data; expected one at least".to_string();
        let path = args.data.data.display().to_string();
        return Err(CliError::Run(Error::Data { path, line: None, column: None, why }));
    };
    let names = chunks.names().map(<[String]>::to_vec);
    let name = |column: usize| names.as_ref().map_or_else(String::new, |names| names[column].clone());
    let columns = (0..chunks.columns()).map(|column| Column { name: name(column), categories: None }).collect();
    Ok(PipelineModel::from(AnyModel::new(model)).with_columns(columns))
}

/// Categories are known only at the end of the file, so text cannot be encoded on the way.
fn refuse_text(chunks: &CsvChunks) -> Result<()> {
    let categories = chunks.categories();
    let text = categories.iter().enumerate().filter(|(_, categories)| categories.is_some());
    let name = |column: usize| chunks.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
    let text: Vec<String> = text.map(|(column, _)| name(column)).collect();
    if text.is_empty() {
        return Ok(());
    }
    let expected = "columns of numbers in a file that is read in chunks; leave the others out (--drop)".to_string();
    Err(Error::Shape { op: MiniBatchKMeansModel::KIND, expected, got: format!("text in {}", text.join(", ")) })
}
