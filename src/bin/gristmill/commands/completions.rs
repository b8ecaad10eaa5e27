//! `gristmill completions`: what a shell needs to complete the arguments.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::report::{CommandResult, write_out};

const EXAMPLES: &str = "Examples:
  gristmill completions bash > ~/.local/share/bash-completion/completions/gristmill
  gristmill completions zsh > ~/.zfunc/_gristmill
  gristmill completions fish > ~/.config/fish/completions/gristmill.fish";

/// What `completions` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> CommandResult {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "gristmill", &mut script);
    Ok(write_out(|out| out.write_all(&script))?)
}
