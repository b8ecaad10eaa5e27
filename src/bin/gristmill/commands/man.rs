//! `gristmill man`: pages of the manual.

use std::path::PathBuf;

use clap::CommandFactory;
use gristmill::data::nearest_name;
use gristmill::model_file::write_atomically;

use crate::arguments::{GlobalArgs, OUTPUT};
use crate::report::{CliError, CommandResult, note, write_out};

const EXAMPLES: &str = "Examples:
  gristmill man | man -l -
  gristmill man fit | man -l -
  gristmill man --folder ~/.local/share/man/man1";

/// What `man` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ManArgs {
    /// The command to describe; without it the whole program
    command: Option<String>,
    /// Writes the page of the program and one for each command into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command", help_heading = OUTPUT)]
    folder: Option<PathBuf>,
}

pub fn run(args: &ManArgs, global: &GlobalArgs) -> CommandResult {
    let mut program = crate::Cli::command();
    program.build();
    if let Some(folder) = &args.folder {
        let commands: Vec<&clap::Command> = [&program].into_iter().chain(program.get_subcommands()).collect();
        for command in &commands {
            // Once built, a command knows its page: gristmill-fit.
            let path = folder.join(format!("{}.1", command.get_display_name().unwrap_or(command.get_name())));
            write_atomically(&path, &page(command)?)?;
        }
        note(global, &format!("{} pages in {}", commands.len(), folder.display()));
        return Ok(());
    }
    let command = match &args.command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let near = nearest_name(name, program.get_subcommands().map(clap::Command::get_name));
            let near = near.map_or_else(String::new, |near| format!("; the nearest is {near:?}"));
            CliError::Usage(format!("there is no command {name:?}{near}"))
        })?,
    };
    let page = page(command)?;
    Ok(write_out(|out| out.write_all(&page))?)
}

/// The page in roff.
fn page(command: &clap::Command) -> CommandResult<Vec<u8>> {
    let mut page = vec![];
    let man = clap_mangen::Man::new(command.clone());
    let mut write = || -> std::io::Result<()> {
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        // The usage of the help, not a list of every option.
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
        page.extend_from_slice(format!(".SH SYNOPSIS\n{usage}\n").as_bytes());
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_subcommands_section(&mut page)?;
        man.render_extra_section(&mut page)?;
        if command.get_version().is_some() {
            man.render_version_section(&mut page)?;
        }
        Ok(())
    };
    write().map_err(|error| CliError::Unfit(format!("a page of the manual: {error}")))?;
    Ok(page)
}
