//! `gristmill text`: language models of texts.

mod any;
mod fit;
mod sample;
mod score;

use clap::Subcommand;

use crate::arguments::GlobalArgs;
use crate::report::CommandResult;

const EXAMPLES: &str = "Examples:
  gristmill text fit words.gm corpus.txt --order 3
  gristmill text fit letters.gm corpus.txt --tokens characters --order 5
  gristmill text fit lstm.gm corpus.txt --model lstm --tokens characters
  gristmill text score letters.gm other.txt
  gristmill text sample letters.gm --prompt \"To be\" --length 200";

/// What `text` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct TextArgs {
    #[command(subcommand)]
    command: TextCommand,
}

#[derive(Subcommand)]
enum TextCommand {
    /// Fit a language model to a text and save it
    Fit(fit::FitTextArgs),
    /// Write text that a model draws
    Sample(sample::SampleArgs),
    /// Tell how well a model predicts a text
    Score(score::ScoreArgs),
}

pub fn run(args: &TextArgs, global: &GlobalArgs) -> CommandResult {
    match &args.command {
        TextCommand::Fit(args) => fit::run(args, global),
        TextCommand::Sample(args) => sample::run(args, global),
        TextCommand::Score(args) => score::run(args, global),
    }
}
