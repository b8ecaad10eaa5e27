//! Which model, with which parameters, behind which steps.

use gristmill::pipeline::Pipeline;
use gristmill::preprocessing::{OneHotEncoder, StandardScaler, UnknownCategory};
use gristmill::registry::{parse_setting, parse_value};
use gristmill::{AnyEstimator, registry};

use super::data::DataArgs;
use super::headings::MODEL;
use super::list::split_list;
use crate::report::{CliError, CommandResult};

/// The parameters and steps of the model of `fit` and `cv`.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = MODEL)]
pub struct ModelArgs {
    /// Sets a parameter, such as n_neighbors=3; estimator.max_depth=2 sets one of an inner model; a .npy path is read as an array
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Adds a transformer before the model, as part of it: min-max-scaler, or k-bins-discretizer:n_bins=8,encode=ordinal. Several are applied in their order, after --missing, --one-hot and --scale
    #[arg(long, value_name = "NAME[:KEY=VALUE,...]")]
    pub step: Vec<String>,
    /// Scales every column to mean 0 and standard deviation 1, as part of the model: --step standard-scaler
    #[arg(long)]
    pub scale: bool,
    /// Encodes every category of a text column as a column of 0 and 1, as part of the model: --step one-hot-encoder
    #[arg(long)]
    pub one_hot: bool,
    /// What --one-hot does with a category that was not fitted: error, or ignore (0 in all its columns)
    #[arg(long, value_name = "HOW", requires = "one_hot", default_value = "error", hide_default_value = true)]
    pub unknown: UnknownChoice,
}

/// What becomes of a category that was not fitted.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownChoice {
    /// An error that names it
    Error,
    /// 0 in all columns of its categories
    Ignore,
}

impl ModelArgs {
    /// The model behind the steps that are asked for: imputing, encoding, scaling, then every `--step`. The seed goes to
    /// whatever has one, then every `--set` to the model.
    pub fn pipeline(&self, model: &str, data: &DataArgs, seed: Option<u64>) -> CommandResult<Pipeline> {
        let mut estimator = seeded(registry::find(model)?.estimator(), seed)?;
        for setting in &self.set {
            let (name, value) = parse_setting(setting)?;
            estimator = estimator.set(&name, value)?;
        }
        let mut pipeline = Pipeline::from(estimator);
        if let Some(imputer) = data.imputer() {
            pipeline = pipeline.step(imputer);
        }
        if self.one_hot {
            let unknown = match self.unknown {
                UnknownChoice::Error => UnknownCategory::Error,
                UnknownChoice::Ignore => UnknownCategory::Ignore,
            };
            pipeline = pipeline.step(OneHotEncoder::default().handle_unknown(unknown));
        }
        if self.scale {
            pipeline = pipeline.step(StandardScaler::default());
        }
        for step in &self.step {
            pipeline = pipeline.with_step(parse_step(step, seed)?);
        }
        Ok(pipeline)
    }
}

fn seeded(estimator: AnyEstimator, seed: Option<u64>) -> gristmill::Result<AnyEstimator> {
    match seed.filter(|_| estimator.has("seed")) {
        Some(seed) => estimator.set("seed", seed.into()),
        None => Ok(estimator),
    }
}

/// `NAME` or `NAME:key=value,key=value`; a piece without `=` goes on with the value before it.
fn parse_step(text: &str, seed: Option<u64>) -> CommandResult<AnyEstimator> {
    let (name, settings) = text.split_once(':').unwrap_or((text, ""));
    let mut estimator = seeded(registry::find(name.trim())?.estimator(), seed)?;
    let mut pairs: Vec<(String, String)> = vec![];
    for piece in split_list(settings).into_iter().filter(|piece| !piece.trim().is_empty()) {
        match (piece.split_once('='), pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((key.trim().to_string(), value.to_string())),
            (None, Some((_, value))) => *value += &format!(",{piece}"),
            (None, None) => {
                let why = format!("--step takes NAME:KEY=VALUE,…, such as min-max-scaler:clip=true; got {text:?}");
                return Err(CliError::Usage(why));
            }
        }
    }
    for (key, value) in pairs {
        estimator = estimator.set(&key, parse_value(&value)?)?;
    }
    Ok(estimator)
}
