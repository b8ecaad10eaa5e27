//! Which model, with which parameters, behind which steps.

use gristmill::pipeline::Pipeline;
use gristmill::preprocessing::{OneHotEncoder, StandardScaler};
use gristmill::{AnyEstimator, registry};

use super::data::DataArgs;
use crate::report::CommandResult;

/// The model of `fit` and `cv`.
#[derive(clap::Args, Clone, Debug)]
pub struct ModelArgs {
    /// The model; `gristmill models` lists them
    pub model: String,
    /// Sets a parameter, such as n_neighbors=3; estimator.max_depth=2 sets one of an inner model; a .npy path is read as an array
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Scales every column to mean 0 and standard deviation 1, as part of the model
    #[arg(long)]
    pub scale: bool,
    /// Encodes every category of a text column as a column of 0 and 1, as part of the model
    #[arg(long)]
    pub one_hot: bool,
}

impl ModelArgs {
    /// The model's parameters: its defaults, the seed if it has one, then every `--set` in order.
    pub fn estimator(&self, seed: Option<u64>) -> CommandResult<AnyEstimator> {
        let mut estimator = registry::find(&self.model)?.estimator();
        if let Some(seed) = seed.filter(|_| estimator.has("seed")) {
            estimator = estimator.set("seed", seed.into())?;
        }
        for setting in &self.set {
            let (name, value) = registry::parse_setting(setting)?;
            estimator = estimator.set(&name, value)?;
        }
        Ok(estimator)
    }

    /// The model behind the steps that the arguments ask for: imputing, then encoding, then scaling.
    pub fn pipeline(&self, estimator: AnyEstimator, data: &DataArgs) -> Pipeline {
        let mut pipeline = Pipeline::from(estimator);
        if let Some(imputer) = data.imputer() {
            pipeline = pipeline.step(imputer);
        }
        if self.one_hot {
            pipeline = pipeline.step(OneHotEncoder::default());
        }
        if self.scale {
            pipeline = pipeline.step(StandardScaler::default());
        }
        pipeline
    }
}
