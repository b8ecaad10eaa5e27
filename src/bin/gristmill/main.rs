//! The `gristmill` command.
#![forbid(unsafe_code)]

mod bench;
mod cv;
mod data;
mod data_arguments;
mod devices;
mod evaluate;
mod export;
mod failure;
mod fit;
mod inspect;
mod known_columns;
mod measure;
mod model_arguments;
mod model_panels;
mod models;
mod output;
mod peak;
mod pictures;
mod predict;
mod predicting;
mod profile;
mod progress;
mod report;
mod scores;
mod stream;
#[path = "../../../benches/ops/suite.rs"]
mod suite;
mod tour;
mod tree_picture;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use gristmill::Device;

use failure::Failure;
use output::{print, print_json, table};

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
  gristmill fit kneighbors-classifier data/digits.csv --target digit --split 0.8 --plot digits.svg
  gristmill fit kmeans data/iris.csv --drop species --set n_clusters=3 --save iris.gm
  gristmill predict iris.gm data/iris.csv --out clusters.csv
  gristmill models                  every model, with its parameters
  gristmill data data/iris.csv      what is in a file
  gristmill devices                 what this machine has, and which device is the default
  GRISTMILL_DEVICE=gpu gristmill tour";

/// Flags that every command takes.
#[derive(Args, Clone)]
struct Everywhere {
    /// cpu, gpu, an index or part of a name from `gristmill devices`; wins over GRISTMILL_DEVICE
    #[arg(long, global = true)]
    device: Option<String>,
    /// Decides the split, and what is random in the model; 0 if not given
    #[arg(long, global = true)]
    seed: Option<u64>,
    /// Threads of the CPU twins; all cores if not given
    #[arg(long, global = true)]
    threads: Option<usize>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    /// Count dispatches, times, bytes, submits and read-backs
    #[arg(long, global = true)]
    profile: bool,
    /// No progress, no notes
    #[arg(long, short, global = true)]
    quiet: bool,
}

impl Everywhere {
    /// The device that the flag names, or `GRISTMILL_DEVICE`, or the best there is; counting if that is asked for.
    fn open_device(&self) -> gristmill::Result<Device> {
        let device = match &self.device {
            Some(name) => Device::open(name)?,
            None => Device::auto()?,
        };
        if self.profile {
            device.profile(true);
        }
        Ok(device)
    }
}

#[derive(Subcommand)]
enum Command {
    /// Learn from a file: fit a model, score it, save it, draw it
    Fit(Box<fit::Options>),
    /// Score a model on rows it has not seen, fold by fold, and find the best parameters
    Cv(Box<cv::Options>),
    /// Say what a saved model makes of the rows of a file
    Predict(predict::Options),
    /// Score a saved model on the rows of a file
    Evaluate(evaluate::Options),
    /// List every model with its parameters, their defaults and what they mean
    Models(models::Options),
    /// See what is in a data file: columns, types, ranges, missing values, classes
    Data(data::Options),
    /// See what is in a model file
    Inspect(inspect::Options),
    /// Write a model of boosted trees in LightGBM's text format
    Export(export::Options),
    /// List the devices of this machine
    Devices,
    /// See what the crate does, on the CPU and on the GPU
    Tour(tour::Options),
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
    progress::listen();
    let everywhere = &cli.everywhere;
    let done = match &cli.command {
        Command::Fit(options) => fit::run(options, everywhere),
        Command::Cv(options) => cv::run(options, everywhere),
        Command::Predict(options) => predict::run(options, everywhere),
        Command::Evaluate(options) => evaluate::run(options, everywhere),
        Command::Models(options) => models::run(options, everywhere),
        Command::Data(options) => data::run(options, everywhere),
        Command::Inspect(options) => inspect::run(options, everywhere),
        Command::Export(options) => export::run(options, everywhere),
        Command::Devices => devices::run(everywhere).map_err(Failure::from),
        Command::Tour(options) => tour::run(options, everywhere),
        Command::Bench(options) => bench::run(options, everywhere).map_err(Failure::from),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("gristmill: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
