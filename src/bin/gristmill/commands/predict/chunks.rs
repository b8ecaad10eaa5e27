//! Predictions for a file that is read in chunks.

use std::io::Write;

use gristmill::prelude::*;

use super::columns::Columns;
use super::{PredictArgs, asked_for};
use crate::arguments::{GlobalArgs, SavedModel};
use crate::report::{CliError, CommandResult, Predicted, Report, print_json, timed, write_file, write_out};

/// Writes the predictions of each chunk before the next one is read.
pub fn run(
    args: &PredictArgs,
    global: &GlobalArgs,
    saved: &SavedModel,
    device: &Device,
    rows: usize,
    mut report: Report,
) -> CommandResult {
    let needs_all = [
        (!args.keep.is_empty(), "--keep"),
        (args.contributions, "--contributions"),
        (global.json && args.out.is_none(), "--json without --out"),
    ];
    if let Some((_, flag)) = needs_all.iter().find(|(asked, _)| *asked) {
        return Err(CliError::Usage(format!("{flag} needs all rows at once, and --chunk-rows reads some at a time")));
    }
    let targets = saved.model.targets();
    let targets = if saved.columns.has_targets(&args.data, targets)? { targets } else { &[] };
    let mut chunks = saved.columns.chunks(&args.data, targets, rows)?;
    let mut failed = None;
    let mut write = |out: &mut dyn Write| -> std::io::Result<()> {
        let mut next = || -> CommandResult<Option<(Dataset, Predicted)>> {
            let Some(chunk) = timed(&mut report.seconds, "load", || chunks.next()).transpose()? else {
                return Ok(None);
            };
            let chunk = saved.align(chunk)?;
            let predicted = asked_for(args, saved, &chunk, device, global, &mut report)?;
            Ok(Some((chunk, predicted)))
        };
        let mut first = true;
        let (mut read, mut width) = (0, 0);
        loop {
            match next() {
                Ok(Some((chunk, predicted))) => {
                    let columns = Columns::new(&predicted, saved.model.targets(), None, None);
                    if std::mem::take(&mut first) {
                        columns.write_header(out)?;
                    }
                    columns.write_rows(out)?;
                    (read, width) = (read + chunk.rows(), chunk.columns());
                }
                Ok(None) => break,
                Err(error) => {
                    failed = Some(error);
                    return Err(std::io::Error::other("the rows could not be predicted"));
                }
            }
        }
        (report.rows, report.columns) = (read, width);
        Ok(())
    };
    let written = match &args.out {
        Some(path) => write_file(path, &mut write),
        None => write_out(&mut write),
    };
    // What went wrong with the rows says more than that they were not written.
    failed.map_or(Ok(()), Err)?;
    written?;
    if let (Some(path), true) = (&args.out, global.json) {
        report.saved = Some(path.display().to_string());
        print_json(&report);
    }
    Ok(())
}
