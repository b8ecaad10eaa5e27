//! The `gristmill` command.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod pictures;
mod report;
#[path = "../../../benches/ops/suite.rs"]
mod suite;

use std::process::ExitCode;

use arguments::{GlobalArgs, with_config};
use clap::{CommandFactory, FromArgMatches, Parser};
use commands::Command;
use report::CliError;

/// Classical machine learning on any GPU.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, disable_help_flag = true, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  gristmill fit kneighbors-classifier data/digits.csv --target digit --split 0.8 --plot digits.svg
  gristmill fit kmeans data/iris.csv --drop species --set n_clusters=3 --save iris.gm
  gristmill predict iris.gm data/iris.csv --out clusters.csv
  gristmill models                  every model, with its parameters
  gristmill data data/iris.csv      what is in a file
  gristmill devices                 this machine's devices, the default marked
  gristmill fit --config run.toml   a run whose arguments are in a file
  GRISTMILL_DEVICE=gpu gristmill tour";

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().filter_or("RUST_LOG", "error")).init();
    let cli = match read_arguments() {
        Ok(cli) => cli,
        Err(error) => return failed(&error, wants_json()),
    };
    if let Some(threads) = cli.global.threads
        && let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()
    {
        eprintln!("gristmill: {threads} threads: {error}");
        return ExitCode::FAILURE;
    }
    report::listen();
    let instructions = gristmill::cpu::simd::check().map_err(CliError::from);
    match instructions.and_then(|()| cli.command.run(&cli.global)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error, cli.global.json),
    }
}

/// What was typed, with what the file of `--config` adds; help and mistakes end the program here.
fn read_arguments() -> Result<Cli, CliError> {
    let mut command = Cli::command();
    command.build();
    let words = with_config(&command, std::env::args_os().collect())?;
    let matches = report::wrapped_help(Cli::command()).try_get_matches_from(words);
    let matches = matches.unwrap_or_else(|error| misused(&error));
    report::remember(&command, &matches);
    Ok(Cli::from_arg_matches(&matches).unwrap_or_else(|error| misused(&error)))
}

/// Help, or what is wrong with the arguments, which is an object too if that is asked for.
fn misused(error: &clap::Error) -> ! {
    if error.use_stderr() && wants_json() {
        let text = error.to_string();
        let why = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        report::print_json_error(&CliError::Usage(why.to_string()));
    }
    error.exit()
}

/// Whether an object is asked for, whatever else is typed.
fn wants_json() -> bool {
    std::env::args().any(|word| word == "--json")
}

fn failed(error: &CliError, json: bool) -> ExitCode {
    if json && !matches!(error, CliError::Reported(_)) {
        report::print_json_error(error);
    }
    eprintln!("gristmill: {}", report::readable(&error.to_string()));
    ExitCode::from(error.code())
}
