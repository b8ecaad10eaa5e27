//! `gristmill text score`: how well a model predicts a text.

use std::path::PathBuf;

use gristmill::Error;
use serde::Serialize;

use super::any::AnyLanguageModel;
use crate::arguments::GlobalArgs;
use crate::report::{CommandResult, number, show};

const EXAMPLES: &str = "Examples:
  gristmill text score letters.gm other.txt
  gristmill text score words.gm other.txt --json";

/// What `text score` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ScoreArgs {
    /// The model file that `text fit` wrote
    model: PathBuf,
    /// The text, in UTF-8
    file: PathBuf,
}

#[derive(Serialize)]
struct TextScoreReport {
    tokens: usize,
    /// Null where a token had the probability 0.
    perplexity: f64,
    bits: f64,
    log_likelihood: f64,
    unknown: usize,
    impossible: usize,
}

pub fn run(args: &ScoreArgs, global: &GlobalArgs) -> CommandResult {
    let model = AnyLanguageModel::load(&args.model)?;
    let path = args.file.display().to_string();
    let file = std::fs::File::open(&args.file)
        .map_err(|error| Error::Io { path: path.clone(), why: format!("cannot be opened: {error}") })?;
    let score = model.score_reader(file, &path).map_err(|error| named(error, &path))?;
    let report = TextScoreReport {
        tokens: score.tokens,
        perplexity: score.perplexity(),
        bits: score.bits(),
        log_likelihood: score.log_likelihood,
        unknown: score.unknown,
        impossible: score.impossible,
    };
    show(global, &report, |report| {
        let mut lines = vec![
            format!("perplexity  {}", number(report.perplexity)),
            format!("bits        {} a token", number(report.bits)),
            format!("tokens      {}", report.tokens),
        ];
        if report.unknown > 0 {
            lines.push(format!("unknown     {}, taken for <unk>", report.unknown));
        }
        if report.impossible > 0 {
            lines.push(format!("impossible  {}: fit with smoothing to give them a probability", report.impossible));
        }
        lines.join("\n")
    });
    Ok(())
}

/// An unknown token with its file, line and place from 1.
fn named(error: Error, path: &str) -> Error {
    match error {
        Error::Symbol { sequence, position, symbol, known } => {
            let why = format!(
                "token {}, {symbol:?}, is none of the {known} that were fitted; fit with --min-token-count 2 to take such \
                 for <unk>",
                position + 1
            );
            Error::Data { path: path.to_string(), line: Some(sequence as u64 + 1), column: None, why }
        }
        other => other,
    }
}
