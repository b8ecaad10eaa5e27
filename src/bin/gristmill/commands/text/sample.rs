//! `gristmill text sample`: text that a model draws.

use std::path::PathBuf;

use gristmill::sequence::Tokens;
use serde::Serialize;

use super::any::AnyLanguageModel;
use crate::arguments::GlobalArgs;
use crate::report::{CommandResult, show};

const EXAMPLES: &str = "Examples:
  gristmill text sample letters.gm
  gristmill text sample letters.gm --prompt \"To be\" --length 500 --seed 7
  gristmill text sample words.gm --length 50 --temperature 0.7";

/// What `text sample` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct SampleArgs {
    /// The model file that `text fit` wrote
    model: PathBuf,
    /// The text to go on from
    #[arg(long, default_value = "")]
    prompt: String,
    /// Tokens to draw
    #[arg(long, default_value_t = 200)]
    length: usize,
    /// Below 1 the likely becomes likelier, above 1 less so
    #[arg(long, default_value_t = 1.0)]
    temperature: f64,
}

#[derive(Serialize)]
struct SampleReport {
    prompt: String,
    text: String,
}

pub fn run(args: &SampleArgs, global: &GlobalArgs) -> CommandResult {
    let model = AnyLanguageModel::load(&args.model)?;
    let text = model.generate(&args.prompt, args.length, args.temperature, global.seed.unwrap_or(0))?;
    let report = SampleReport { prompt: args.prompt.clone(), text };
    show(global, &report, |report| {
        format!("{}{}", report.prompt, joined(&report.prompt, &report.text, model.tokens()))
    });
    Ok(())
}

/// A space between the words of a prompt and those behind it.
fn joined(prompt: &str, text: &str, tokens: Tokens) -> String {
    let words = tokens == Tokens::Words;
    let apart = words && !prompt.is_empty() && !prompt.ends_with(char::is_whitespace) && !text.starts_with('\n');
    if apart { format!(" {text}") } else { text.to_string() }
}
