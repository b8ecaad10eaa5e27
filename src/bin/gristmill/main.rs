//! The `gristmill` command.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod pictures;
mod report;
#[path = "../../../benches/ops/suite.rs"]
mod suite;

use std::process::ExitCode;

use arguments::GlobalArgs;
use clap::Parser;
use commands::Command;
use report::CliError;

/// Classical machine learning on any GPU.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
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
  gristmill devices                 what this machine has, and which device is the default
  GRISTMILL_DEVICE=gpu gristmill tour";

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().filter_or("RUST_LOG", "error")).init();
    let cli = Cli::parse();
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
        Err(error) => {
            if cli.global.json && !matches!(error, report::CliError::Reported(_)) {
                report::print_json_error(&error);
            }
            eprintln!("gristmill: {error}");
            ExitCode::from(error.code())
        }
    }
}
