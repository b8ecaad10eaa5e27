//! Networks of dense layers as estimators.

mod classes;
mod classifier;
mod convolutional;
mod fit;
mod fitted;
mod regressor;
mod whole;

use serde::{Deserialize, Serialize};

pub use classifier::{MlpClassifier, MlpClassifierModel};
pub use convolutional::{ConvClassifier, ConvClassifierModel};
pub use regressor::{MlpRegressor, MlpRegressorModel, RegressionLoss};

pub(in crate::neural) use fit::Problem;
pub(in crate::neural) use fitted::{Fitted, Progress};
pub(in crate::neural) use whole::refuse_lbfgs;

use super::layers::Dense;
use super::learning::TrainingOptions;
use super::network::Network;
use super::shape::Shape;
use super::start::Start;
use crate::cost::Cost;
use crate::error::Result;
use crate::estimator::FitShape;
use crate::model_file::Container;
use crate::ops::neural::{Activation, OutputLoss};
use crate::solvers::{Rate, UpdateRule};

/// What a step makes of a gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// Means of gradients and their squares (Kingma and Ba 2015).
    #[default]
    Adam,
    /// Gradients with momentum, by default Nesterov's.
    Sgd,
    /// Adam whose weights decay by themselves, by `alpha` (Loshchilov and Hutter 2019).
    #[serde(alias = "adam_w")]
    Adamw,
    /// Gradients over the root of the sum of their squares.
    Adagrad,
    /// Gradients over the root of the mean of their squares.
    #[serde(alias = "rms_prop")]
    Rmsprop,
    /// Steps by the curvature that the last ten showed, on all rows at once (L-BFGS), for few rows: `max_iter` counts its
    /// iterations, `tol` is what the largest slope has to fall to.
    Lbfgs,
}

/// How long a step is, for the solver sgd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearningRate {
    /// learning_rate_init.
    #[default]
    Constant,
    /// learning_rate_init / (1 + t)^power_t.
    InvScaling,
    /// Divided by five whenever `n_iter_no_change` epochs bring no progress.
    Adaptive,
}

/// What both networks share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MlpSettings {
    pub(in crate::neural) hidden_layer_sizes: Vec<usize>,
    pub(in crate::neural) activation: Activation,
    pub(in crate::neural) solver: Solver,
    pub(in crate::neural) alpha: f64,
    pub(in crate::neural) l1: f64,
    pub(in crate::neural) batch_size: usize,
    pub(in crate::neural) learning_rate: LearningRate,
    pub(in crate::neural) learning_rate_init: f64,
    pub(in crate::neural) power_t: f64,
    pub(in crate::neural) max_iter: usize,
    pub(in crate::neural) shuffle: bool,
    pub(in crate::neural) tol: f64,
    pub(in crate::neural) momentum: f64,
    pub(in crate::neural) nesterovs_momentum: bool,
    pub(in crate::neural) early_stopping: bool,
    pub(in crate::neural) validation_fraction: f64,
    pub(in crate::neural) beta_1: f64,
    pub(in crate::neural) beta_2: f64,
    pub(in crate::neural) epsilon: f64,
    pub(in crate::neural) n_iter_no_change: usize,
    pub(in crate::neural) dropout: f64,
    pub(in crate::neural) clip_norm: Option<f64>,
    pub(in crate::neural) noise: f64,
    pub(in crate::neural) seed: u64,
}

impl MlpSettings {
    /// The network for so many inputs and outputs.
    fn network(&self, inputs: usize, outputs: usize, activation: Activation, loss: OutputLoss) -> Result<Network> {
        self.dense_layers(Network::new(Shape::Flat(inputs), loss), outputs, activation)
    }

    /// The network with the hidden layers and the outputs behind what it has.
    fn dense_layers(&self, mut network: Network, outputs: usize, activation: Activation) -> Result<Network> {
        let sizes = self.hidden_layer_sizes.iter().map(|units| (*units, self.activation, self.dropout));
        for (units, activation, dropout) in sizes.chain([(outputs, activation, 0.0)]) {
            // scikit-learn's starts, of the activation of hidden layers throughout.
            let fan = (network.outputs() + units).max(1) as f64;
            let start = match self.activation {
                Activation::Logistic => Start::Uniform((2.0 / fan).sqrt()),
                _ => Start::Glorot,
            };
            let layer = Dense { dropout, start, bias_start: start, ..Dense::new(units, activation) };
            network = network.layer(layer)?;
        }
        Ok(network)
    }

    fn options(&self) -> TrainingOptions {
        let (first, second, epsilon) = (self.beta_1, self.beta_2, self.epsilon);
        let rule = match self.solver {
            Solver::Adam => UpdateRule::Adam { first, second, epsilon },
            Solver::Adamw => UpdateRule::AdamW { first, second, epsilon, weight_decay: self.alpha },
            Solver::Adagrad => UpdateRule::Adagrad { epsilon },
            Solver::Rmsprop => UpdateRule::RmsProp { decay: self.momentum, epsilon },
            Solver::Lbfgs => UpdateRule::Gradient,
            Solver::Sgd if self.momentum == 0.0 => UpdateRule::Gradient,
            Solver::Sgd if self.nesterovs_momentum => UpdateRule::Nesterov { decay: self.momentum },
            Solver::Sgd => UpdateRule::Momentum { decay: self.momentum },
        };
        let first = self.learning_rate_init;
        let rate = match (self.solver, self.learning_rate) {
            (Solver::Sgd, LearningRate::InvScaling) => Rate::RobbinsMonro { first, power: self.power_t },
            _ => Rate::Constant(first),
        };
        TrainingOptions {
            batch_size: self.batch_size,
            rule,
            rate,
            l1: self.l1,
            l2: if self.solver == Solver::Adamw { 0.0 } else { self.alpha },
            clip_norm: self.clip_norm,
            noise: self.noise,
            shuffle: self.shuffle,
            seed: self.seed,
        }
    }
}

/// What a fit takes, if it runs a tenth of its epochs.
pub(in crate::neural) fn cost(settings: &MlpSettings, shape: &FitShape) -> Cost {
    let epochs = (settings.max_iter as f64 / 10.0).max(1.0);
    let sizes = [shape.columns].into_iter().chain(settings.hidden_layer_sizes.iter().copied()).chain([shape.outputs]);
    let sizes: Vec<usize> = sizes.collect();
    let weights: usize = sizes.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let work = Cost { operations: 6.0 * (shape.rows * weights) as f64, syncs: 1.0, ..Cost::default() };
    let once = Cost { kernels: 12.0, ..Cost::uploading(shape.rows, shape.columns) };
    work * epochs + once
}

/// Refuses layers that a file claims and does not hold.
fn check_sizes(hidden: &[usize], container: &Container) -> Result<()> {
    for (layer, units) in hidden.iter().enumerate() {
        let [_, columns] = container.shape(&format!("layer{layer}.weights"))?;
        if columns != *units {
            return Err(container.refuse(format!("layer {layer} of {columns} units in place of {units}")));
        }
    }
    container.shape::<2>(&format!("layer{}.weights", hidden.len())).map(|_| ())
}

/// What both models tell.
macro_rules! mlp_model {
    ($model:ident, $($fitted:ident).+) => {
        impl $model {
            /// The weights of each layer, inputs×outputs.
            pub fn weights(&self) -> Result<Vec<Matrix>> {
                self.$($fitted).+.blocks("weights")
            }

            /// The biases of each layer, 1×outputs.
            pub fn biases(&self) -> Result<Vec<Matrix>> {
                self.$($fitted).+.blocks("bias")
            }

            /// The same model with other weights of a layer, inputs×outputs.
            pub fn with_weights(mut self, layer: usize, weights: &Matrix) -> Result<$model> {
                self.$($fitted).+.set_block("weights", layer, weights)?;
                Ok(self)
            }

            /// The same model with other biases of a layer, 1×outputs.
            pub fn with_biases(mut self, layer: usize, biases: &Matrix) -> Result<$model> {
                self.$($fitted).+.set_block("bias", layer, biases)?;
                Ok(self)
            }

            /// The loss of each epoch.
            pub fn losses(&self) -> &[f64] {
                &self.$($fitted).+.losses
            }

            /// The score of the validation rows after each epoch, where there are any.
            pub fn validation_scores(&self) -> &[f64] {
                &self.$($fitted).+.scores
            }

            /// The length of the last gradient, by layer.
            pub fn gradient_norms(&self) -> &[f64] {
                &self.$($fitted).+.gradient_norms
            }

            /// Epochs of the fit.
            pub fn iterations(&self) -> usize {
                self.$($fitted).+.progress.epochs as usize
            }

            /// Whether the fit came to an end by itself.
            pub fn converged(&self) -> bool {
                self.$($fitted).+.progress.converged
            }

            /// Whether the steps diverged: the weights are those before the epoch that did.
            pub fn diverged(&self) -> bool {
                self.$($fitted).+.progress.diverged
            }
        }
    };
}

pub(in crate::neural::mlp) use mlp_model;

/// What both models of classes predict.
macro_rules! class_model {
    ($model:ident, $estimator:ident) => {
        impl Predict for $model {
            type Output = Labels;
        }

        impl PredictProba for $model {}

        impl Model for $model {
            fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
                Ok(self.net.winners(&self.net.probabilities($estimator::TYPE, x)?)?.into())
            }

            fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
                self.net.probabilities($estimator::TYPE, x).map(Some)
            }

            fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
                let probabilities = self.net.probabilities($estimator::TYPE, x)?;
                Ok((self.net.winners(&probabilities)?.into(), Some(probabilities)))
            }

            fn classes(&self) -> &[String] {
                self.net.classes.names()
            }

            fn report(&self) -> FitReport {
                self.net.fitted.report()
            }

            fn figures(&self, _: &crate::estimator::PictureInput<'_>) -> Result<Vec<crate::plot::Figure>> {
                Ok(crate::neural::pictures::first_layer(&self.weights()?)?.into_iter().collect())
            }
        }
    };
}

pub(in crate::neural::mlp) use class_model;

/// Declares one of the two: they share all but the target's own parameters.
macro_rules! mlp_parameters {
    (
        $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ident;
        about $about:literal; { $($own:tt)* }
    ) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            { $($own)* }
            shared MlpSettings {
                /// Units of each hidden layer.
                hidden_layer_sizes: Vec<usize> = vec![100];
                /// Activation of hidden layers: identity, logistic, tanh, relu, leaky_relu.
                activation: Activation = Activation::Relu;
                /// What a step makes of a gradient: adam, sgd, adamw, adagrad, rmsprop, or lbfgs on all rows at once.
                solver: Solver = Solver::Adam;
                /// Strength of L2 on weights; for adamw their decay.
                alpha: f64 = 1e-4, at_least(0.0);
                /// Strength of L1 on weights.
                l1: f64 = 0.0, at_least(0.0);
                /// Rows of a batch; more than there are means all.
                batch_size: usize = 200, at_least(1.0);
                /// Rate of sgd: constant, invscaling, adaptive.
                learning_rate: LearningRate = LearningRate::Constant;
                /// The first rate.
                learning_rate_init: f64 = 1e-3, above(0.0);
                /// The power of invscaling.
                power_t: f64 = 0.5, at_least(0.0);
                /// Maximum number of epochs.
                max_iter: usize = 200, at_least(1.0);
                /// Whether each epoch has an order of its own.
                shuffle: bool = true;
                /// An epoch must lower the loss by this much, or raise the validation score.
                tol: f64 = 1e-4, at_least(0.0);
                /// What sgd keeps of its momentum, and rmsprop of its mean.
                momentum: f64 = 0.9, from_to(0.0, 1.0);
                /// Whether momentum looks ahead.
                nesterovs_momentum: bool = true;
                /// Whether some rows are held out, and an epoch must raise their score; the best epoch's weights are kept.
                early_stopping: bool = false;
                /// Share of the rows that early_stopping holds out.
                validation_fraction: f64 = 0.1, between(0.0, 1.0);
                /// What adam keeps of the mean of gradients.
                beta_1: f64 = 0.9, from_to(0.0, 1.0);
                /// What adam keeps of the mean of their squares.
                beta_2: f64 = 0.999, from_to(0.0, 1.0);
                /// Keeps quotients of adam, adagrad and rmsprop finite.
                epsilon: f64 = 1e-8, above(0.0);
                /// Epochs without progress before the fit ends.
                n_iter_no_change: usize = 10, at_least(1.0);
                /// Share of the units of hidden layers left out in each step.
                dropout: f64 = 0.0, from_to(0.0, 0.99);
                /// The longest gradient of a step; none: as long as it is.
                clip_norm: Option<f64> = None, above(0.0);
                /// Deviation of normal noise that is added to the inputs of each step.
                noise: f64 = 0.0, at_least(0.0);
                /// Seed of first weights, orders, dropout and noise.
                seed: u64 = 0;
            }
        }
    };
}

pub(in crate::neural::mlp) use mlp_parameters;
