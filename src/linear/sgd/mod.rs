//! Linear models by stochastic gradient descent: a step for each row, so that rows may come in chunks without end.

mod classifier;
mod learner;
mod passes;
mod regressor;

use serde::{Deserialize, Serialize};

pub use classifier::{SgdClassifier, SgdClassifierModel};
pub use regressor::{SgdRegressor, SgdRegressorModel};

use crate::losses::ScoreLoss;
use learner::{Rules, Schedule};

/// What a score costs. Those of margins are for classes, of which each is −1 or 1 beside the others; those of differences
/// are for numbers, and for classes too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SgdLoss {
    /// max(0, 1 − y·score): a linear support vector machine.
    Hinge,
    /// ln(1 + e^(−y·score)): logistic regression, with probabilities.
    LogLoss,
    /// Squared hinge that becomes linear, with probabilities.
    ModifiedHuber,
    /// max(0, 1 − y·score)².
    SquaredHinge,
    /// max(0, −y·score).
    Perceptron,
    /// e^(−y·score).
    Exponential,
    /// ½(score − y)².
    SquaredError,
    /// |score − y|.
    AbsoluteError,
    /// |score − y|^power.
    Minkowski,
    /// ½r², linear beyond `epsilon`.
    Huber,
    /// The quantile that `quantile` names.
    Quantile,
    /// |score − y| less `epsilon`.
    EpsilonInsensitive,
    /// The square of that.
    SquaredEpsilonInsensitive,
}

impl SgdLoss {
    fn of_margins(self) -> bool {
        use SgdLoss::{Exponential, Hinge, LogLoss, ModifiedHuber, Perceptron, SquaredHinge};
        matches!(self, Hinge | LogLoss | ModifiedHuber | SquaredHinge | Perceptron | Exponential)
    }
}

/// What is added to the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SgdPenalty {
    /// ½·alpha·‖coef‖².
    #[default]
    L2,
    /// alpha·‖coef‖₁, which leaves coefficients at 0.
    L1,
    /// Both, by `l1_ratio`.
    ElasticNet,
    /// Nothing.
    None,
}

/// How long a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearningRate {
    /// 1 / (alpha·(t₀ + t)), t₀ by a heuristic of Bottou's; alpha must be above 0.
    Optimal,
    /// eta0.
    Constant,
    /// eta0 / t^power_t; a power above ½ and up to 1 meets the conditions of Robbins and Monro.
    InvScaling,
    /// eta0, divided by five whenever the loss no longer falls.
    Adaptive,
}

/// What classifier and regressor share.
pub(super) struct SgdSettings {
    loss: SgdLoss,
    penalty: SgdPenalty,
    alpha: f64,
    l1_ratio: f64,
    fit_intercept: bool,
    max_iter: usize,
    tol: Option<f64>,
    shuffle: bool,
    epsilon: f64,
    quantile: f64,
    power: f64,
    learning_rate: LearningRate,
    eta0: f64,
    power_t: f64,
    early_stopping: bool,
    validation_fraction: f64,
    n_iter_no_change: usize,
    average: usize,
    seed: u64,
}

impl SgdSettings {
    fn rules(&self) -> crate::error::Result<Rules> {
        if self.learning_rate == LearningRate::Optimal && self.alpha == 0.0 {
            let rule = "above 0 for the learning rate optimal, which is 1/(alpha·t)".to_string();
            return Err(crate::error::Error::param("alpha", rule, 0.0));
        }
        let (epsilon, quantile, power) = (self.epsilon, self.quantile, self.power);
        let loss = match self.loss {
            SgdLoss::Hinge => ScoreLoss::Hinge,
            SgdLoss::LogLoss => ScoreLoss::LogLoss,
            SgdLoss::ModifiedHuber => ScoreLoss::ModifiedHuber,
            SgdLoss::SquaredHinge => ScoreLoss::SquaredHinge,
            SgdLoss::Perceptron => ScoreLoss::Perceptron,
            SgdLoss::Exponential => ScoreLoss::Exponential,
            SgdLoss::SquaredError => ScoreLoss::SquaredError,
            SgdLoss::AbsoluteError => ScoreLoss::AbsoluteError,
            SgdLoss::Minkowski => ScoreLoss::Minkowski { power },
            SgdLoss::Huber => ScoreLoss::Huber { epsilon },
            SgdLoss::Quantile => ScoreLoss::Quantile { quantile },
            SgdLoss::EpsilonInsensitive => ScoreLoss::EpsilonInsensitive { epsilon },
            SgdLoss::SquaredEpsilonInsensitive => ScoreLoss::SquaredEpsilonInsensitive { epsilon },
        };
        let l1_share = match self.penalty {
            SgdPenalty::L1 => 1.0,
            SgdPenalty::ElasticNet => self.l1_ratio,
            SgdPenalty::L2 | SgdPenalty::None => 0.0,
        };
        let strength = if self.penalty == SgdPenalty::None { 0.0 } else { self.alpha };
        let schedule = match self.learning_rate {
            LearningRate::Optimal => {
                // The rate of a typical first step, by the size of a weight that fits the penalty.
                let typical = (1.0 / self.alpha.sqrt()).sqrt();
                let first_rate = typical / loss.slope(-typical, 1.0).abs().max(1.0);
                Schedule::Optimal { alpha: self.alpha, first: 1.0 / (first_rate * self.alpha) }
            }
            LearningRate::Constant | LearningRate::Adaptive => Schedule::Constant,
            LearningRate::InvScaling => Schedule::InverseScaling { power: self.power_t },
        };
        Ok(Rules {
            loss,
            l1: strength * l1_share,
            l2: strength * (1.0 - l1_share),
            schedule,
            fit_intercept: self.fit_intercept,
            average_from: (self.average as u64).checked_sub(1),
        })
    }
}

/// Declares one of the two: they share all but three defaults, and class weights.
macro_rules! sgd_parameters {
    (
        $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ident;
        about $about:literal; loss = $loss:expr; learning_rate = $rate:expr; power_t = $power:expr;
        { $($own:tt)* }
    ) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            { $($own)* }
            shared SgdSettings {
                /// The loss: hinge, log_loss, modified_huber, squared_hinge, perceptron, exponential, squared_error,
                /// absolute_error, minkowski, huber, quantile, epsilon_insensitive, squared_epsilon_insensitive.
                loss: SgdLoss = $loss;
                /// The penalty: l2, l1, elasticnet, none.
                penalty: SgdPenalty = SgdPenalty::L2;
                /// Strength of the penalty.
                alpha: f64 = 1e-4, at_least(0.0);
                /// Share of L1 in the penalty elasticnet.
                l1_ratio: f64 = 0.15, from_to(0.0, 1.0);
                /// Whether there is an intercept.
                fit_intercept: bool = true;
                /// Maximum number of passes over the rows.
                max_iter: usize = 1000, at_least(1.0);
                /// A pass must lower the mean loss by this much, or raise the validation score; none: all passes.
                tol: Option<f64> = Some(1e-3), at_least(0.0);
                /// Whether each pass has an order of its own.
                shuffle: bool = true;
                /// Of the losses huber and epsilon_insensitive.
                epsilon: f64 = 0.1, at_least(0.0);
                /// Of the loss quantile.
                quantile: f64 = 0.5, between(0.0, 1.0);
                /// Of the loss minkowski.
                power: f64 = 1.5, at_least(1.0);
                /// The rate of a step: optimal, constant, invscaling, adaptive.
                learning_rate: LearningRate = $rate;
                /// The first rate, except of optimal.
                eta0: f64 = 0.01, above(0.0);
                /// The power of invscaling.
                power_t: f64 = $power, at_least(0.0);
                /// Whether some rows are held out, and a pass must raise their score.
                early_stopping: bool = false;
                /// Share of the rows that early_stopping holds out.
                validation_fraction: f64 = 0.1, between(0.0, 1.0);
                /// Passes without progress before the fit ends.
                n_iter_no_change: usize = 5, at_least(1.0);
                /// Steps after which coefficients begin to be averaged, from 1; 0: the last ones are taken.
                average: usize = 0;
                /// Seed of the orders and of the rows that are held out.
                seed: u64 = 0;
            }
        }
    };
}

pub(in crate::linear::sgd) use sgd_parameters;
