//! The commands, one file or folder each.

mod bench;
mod bound;
mod choose;
mod completions;
mod cv;
mod data;
mod decide;
mod devices;
mod doctor;
mod evaluate;
mod export;
mod fit;
mod inspect;
mod lectures;
mod man;
mod models;
mod predict;
mod text;
mod tour;
mod transform;

use clap::Subcommand;
pub use models::short;

use crate::arguments::GlobalArgs;
use crate::report::CommandResult;

/// What the program can be asked to do.
#[derive(Subcommand)]
pub enum Command {
    /// Fit a model to the rows of a file; score, save and draw it
    Fit(Box<fit::FitArgs>),
    /// Cross-validate a model, and search for its best parameters
    Cv(Box<cv::CvArgs>),
    /// Choose columns: the best subset, forward, backward, recursive
    Select(Box<choose::select::SelectArgs>),
    /// Draw scores over the rows, a parameter or the iterations
    Curve(Box<choose::curve::CurveArgs>),
    /// Show the cost and the silhouette of clusters over their number
    Clusters(Box<choose::clusters::ClustersArgs>),
    /// Split the error of a model into bias, variance and noise
    BiasVariance(Box<choose::bias_variance::BiasVarianceArgs>),
    /// Predict for the rows of a file with a saved model
    Predict(predict::PredictArgs),
    /// Transform the rows of a file with a saved transformer
    Transform(transform::TransformArgs),
    /// Score a saved model on the rows of a file
    Evaluate(evaluate::EvaluateArgs),
    /// List the models with their parameters and what they mean
    Models(models::ModelsArgs),
    /// Describe a data file: columns, ranges, missing values, classes
    Data(data::DataCommandArgs),
    /// Describe a model file
    Inspect(inspect::InspectArgs),
    /// Write a model of boosted trees in LightGBM's text format
    Export(export::ExportArgs),
    /// List the devices of this machine
    Devices,
    /// Check that a device computes what it should, and measure it
    Doctor(doctor::DoctorArgs),
    /// Show what the crate does, on the CPU and on the GPU
    Tour(tour::TourArgs),
    /// Reproduce the experiments of the lecture notes
    Lectures(lectures::LecturesArgs),
    /// Measure the kernels, CPU against GPU and this machine's peak
    Bench(bench::BenchArgs),
    /// Learn, sample and score text with language models
    Text(text::TextArgs),
    /// Solve a decision process: values and the best policy
    Decide(decide::DecideArgs),
    /// Say what theory guarantees: bounds on errors, sample sizes
    Bound(bound::BoundArgs),
    /// Write a script that completes the arguments in a shell
    Completions(completions::CompletionsArgs),
    /// Write a page of the manual
    Man(man::ManArgs),
}

impl Command {
    /// Runs the command.
    pub fn run(&self, global: &GlobalArgs) -> CommandResult {
        match self {
            Command::Fit(args) => fit::run(args, global),
            Command::Cv(args) => cv::run(args, global),
            Command::Select(args) => choose::select::run(args, global),
            Command::Curve(args) => choose::curve::run(args, global),
            Command::Clusters(args) => choose::clusters::run(args, global),
            Command::BiasVariance(args) => choose::bias_variance::run(args, global),
            Command::Predict(args) => predict::run(args, global),
            Command::Transform(args) => transform::run(args, global),
            Command::Evaluate(args) => evaluate::run(args, global),
            Command::Models(args) => models::run(args, global),
            Command::Data(args) => data::run(args, global),
            Command::Inspect(args) => inspect::run(args, global),
            Command::Export(args) => export::run(args, global),
            Command::Devices => devices::run(global),
            Command::Doctor(args) => doctor::run(args, global),
            Command::Tour(args) => tour::run(args, global),
            Command::Lectures(args) => lectures::run(args, global),
            Command::Bench(args) => bench::run(args, global),
            Command::Text(args) => text::run(args, global),
            Command::Decide(args) => decide::run(args, global),
            Command::Bound(args) => bound::run(args, global),
            Command::Completions(args) => completions::run(args),
            Command::Man(args) => man::run(args, global),
        }
    }
}
