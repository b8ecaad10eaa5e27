//! `gristmill text fit`: counts a text and saves the model.

use std::path::PathBuf;

use clap::ValueEnum;
use gristmill::model_file::Persist;
use gristmill::sequence::{Ngram, Smoothing, Tokens};
use serde::Serialize;

use crate::arguments::{GlobalArgs, check_folder, check_outputs};
use crate::report::{CliError, CommandResult, Seconds, bytes, show, table_of, timed};

const EXAMPLES: &str = "The text is read in pieces: memory grows with the different n-grams, not with the text.

Examples:
  gristmill text fit words.gm corpus.txt --order 3 --min-count 2
  gristmill text fit letters.gm corpus.txt --tokens characters --order 5
  gristmill text fit words.gm corpus.txt --smoothing add-k --k 0.1";

/// What the help lists the parameters of a model under.
const LANGUAGE_MODEL: &str = "Language model";

/// Kinds of language models.
#[derive(Clone, Copy, ValueEnum)]
enum ModelKind {
    /// Counts of n tokens in a row
    Ngram,
}

#[derive(Clone, Copy, ValueEnum)]
enum TokenKind {
    /// Words between white space, a line a sequence
    Words,
    /// Characters, the text one sequence
    Characters,
}

#[derive(Clone, Copy, ValueEnum, PartialEq)]
enum SmoothingKind {
    /// Interpolated Kneser–Ney
    KneserNey,
    /// A number added to each count
    AddK,
    /// Counts as they are
    MaximumLikelihood,
}

/// What `text fit` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FitTextArgs {
    /// The model file to write
    model_file: PathBuf,
    /// The text, in UTF-8
    file: PathBuf,
    /// The kind of language model
    #[arg(long, value_enum, default_value = "ngram", help_heading = LANGUAGE_MODEL)]
    model: ModelKind,
    /// What the text is made of
    #[arg(long, value_enum, default_value = "words", help_heading = LANGUAGE_MODEL)]
    tokens: TokenKind,
    /// Tokens of an n-gram
    #[arg(long, default_value_t = 3, help_heading = LANGUAGE_MODEL)]
    order: usize,
    /// How probabilities follow from counts
    #[arg(long, value_enum, default_value = "kneser-ney", help_heading = LANGUAGE_MODEL)]
    smoothing: SmoothingKind,
    /// What add-k adds to each count
    #[arg(long, default_value_t = 1.0, help_heading = LANGUAGE_MODEL)]
    k: f64,
    /// The discount of Kneser–Ney; estimated from the counts by default
    #[arg(long, help_heading = LANGUAGE_MODEL)]
    discount: Option<f64>,
    /// Leaves out n-grams of two tokens and more that were seen fewer times
    #[arg(long, default_value_t = 1, help_heading = LANGUAGE_MODEL)]
    min_count: u32,
    /// Takes tokens that were seen fewer times, and unknown ones later, for <unk>
    #[arg(long, default_value_t = 1, help_heading = LANGUAGE_MODEL)]
    min_token_count: u32,
}

#[derive(Serialize)]
struct TextFitReport {
    model: &'static str,
    tokens: u64,
    vocabulary: usize,
    ngrams: Vec<usize>,
    discounts: Vec<[f64; 3]>,
    saved: String,
    bytes: u64,
    seconds: Seconds,
}

impl FitTextArgs {
    fn params(&self) -> CommandResult<Ngram> {
        let tokens = match self.tokens {
            TokenKind::Words => Tokens::Words,
            TokenKind::Characters => Tokens::Characters,
        };
        if self.discount.is_some() && self.smoothing != SmoothingKind::KneserNey {
            return Err(CliError::Usage("--discount is that of --smoothing kneser-ney".to_string()));
        }
        let smoothing = match self.smoothing {
            SmoothingKind::KneserNey => Smoothing::KneserNey(self.discount),
            SmoothingKind::AddK => Smoothing::AddK(self.k),
            SmoothingKind::MaximumLikelihood => Smoothing::MaximumLikelihood,
        };
        let params = Ngram::new(self.order).tokens(tokens).smoothing(smoothing);
        Ok(params.min_count(self.min_count).min_token_count(self.min_token_count))
    }
}

pub fn run(args: &FitTextArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&Some(args.model_file.clone())], [args.file.as_path()])?;
    check_folder(&args.model_file)?;
    let ModelKind::Ngram = args.model;
    let params = args.params()?;
    let mut seconds = Seconds::default();
    let model = timed(&mut seconds, "fit", || params.fit_file(&args.file))?;
    timed(&mut seconds, "save", || model.save(&args.model_file))?;
    let report = TextFitReport {
        model: "ngram",
        tokens: model.corpus_tokens(),
        vocabulary: model.vocabulary().len(),
        ngrams: model.ngrams(),
        discounts: model.discounts().to_vec(),
        saved: args.model_file.display().to_string(),
        bytes: std::fs::metadata(&args.model_file).map_or(0, |about| about.len()),
        seconds,
    };
    show(global, &report, |report| {
        let rows = report.ngrams.iter().zip(&report.discounts).zip(1..).map(|((count, discounts), order)| {
            let discounts = discounts.iter().map(|discount| format!("{discount:.3}")).collect::<Vec<_>>().join(", ");
            [order.to_string(), count.to_string(), discounts]
        });
        format!(
            "{} tokens, {} different\n{}\nsaved to {}, {}",
            report.tokens,
            report.vocabulary,
            table_of(&["order", "n-grams", "discounts of 1, 2, more"], rows),
            report.saved,
            bytes(report.bytes)
        )
    });
    Ok(())
}
