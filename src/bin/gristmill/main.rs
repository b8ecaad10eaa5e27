//! The `gristmill` command.
#![forbid(unsafe_code)]

mod bench;
mod devices;
mod measure;
mod peak;
mod profile;
#[path = "../../../benches/ops/suite.rs"]
mod suite;
mod tour;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// Classical machine learning on any GPU.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    everywhere: Everywhere,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  gristmill devices                 what this machine has, and which device is the default
  gristmill tour                    what the crate does, on the CPU and on the GPU
  gristmill bench gemm              one kernel, CPU against GPU
  GRISTMILL_DEVICE=gpu gristmill tour";

/// Flags that every command takes.
#[derive(Args, Clone)]
struct Everywhere {
    /// cpu, gpu, an index or part of a name from `gristmill devices`; wins over GRISTMILL_DEVICE
    #[arg(long, global = true)]
    device: Option<String>,
    /// Threads of the CPU twins; all cores if not given
    #[arg(long, global = true)]
    threads: Option<usize>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    /// Count dispatches, times, bytes, submits and read-backs
    #[arg(long, global = true)]
    profile: bool,
    /// No progress, no notes
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// List the devices of this machine
    Devices,
    /// See what the crate does, on the CPU and on the GPU
    Tour,
    /// Measure the kernels, CPU against GPU, and against this machine's peak
    Bench(bench::Options),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().filter_or("RUST_LOG", "error")).init();
    let cli = Cli::parse();
    if let Some(threads) = cli.everywhere.threads
        && let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()
    {
        eprintln!("gristmill: {threads} threads: {error}");
        return ExitCode::FAILURE;
    }
    let done = match &cli.command {
        Command::Devices => devices::run(&cli.everywhere),
        Command::Tour => tour::run(&cli.everywhere),
        Command::Bench(options) => bench::run(options, &cli.everywhere),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gristmill: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a line to standard output; a closed pipe ends the program quietly.
fn print(text: &str) {
    use std::io::Write;
    if writeln!(std::io::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// A table with a header, in the style of all commands.
fn table(header: &[&str]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_FULL_CONDENSED);
    table.set_header(header.to_vec());
    table
}

/// Prints a value as JSON.
fn print_json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => print(&text),
        Err(error) => eprintln!("gristmill: {error}"),
    }
}
