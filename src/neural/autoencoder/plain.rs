//! An autoencoder without randomness.

use serde::{Deserialize, Serialize};

use super::autoencoder_parameters;
use super::halves::{Halves, Plan, beside};
use super::pictures;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Rows,
    Save, Transform, parameters,
};
use crate::model_file::Container;
use crate::neural::mlp::{Fitted, LearningRate, MlpSettings, Problem, Progress, Solver, cost as mlp_cost};
use crate::ops::neural::{Activation, OutputLoss, TargetLayout};
use crate::plot::Figure;

/// What a value costs that does not come back as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReconstructionLoss {
    /// ½(x̂ − x)², a linear last layer.
    #[default]
    SquaredError,
    /// −x·ln x̂ − (1 − x)·ln(1 − x̂), a logistic last layer, for columns within [0, 1].
    BinaryCrossEntropy,
}

autoencoder_parameters! {
    /// A network that gives its inputs back through a narrow layer: `transform` is the way into it, `inverse_transform` the way
    /// out. Without hidden layers and with the squared error it spans the plane of the principal components.
    ///
    /// ```
    /// use gristmill::neural::Autoencoder;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = Autoencoder::new(2).learning_rate_init(0.02).batch_size(30).max_iter(300).fit(&iris.x)?;
    /// let z = model.encode(&iris.x)?; // 150×2
    /// let back = model.decode(&z)?; // 150×4
    /// assert_eq!((z.columns(), back.columns()), (2, 4));
    /// assert!(model.reconstruction_error(&iris.x)? < 0.1);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - It runs where the rows live; on a GPU whole epochs are recorded, and the loss is read once an epoch.
    /// - The code has no activation. `noise` on the inputs makes it a denoising autoencoder.
    /// - With `tied` the decoder has the encoder's weights, turned, and biases of its own.
    /// - Scale the columns first. A rate that diverges ends the fit with the weights before the epoch, and a warning.
    Autoencoder("autoencoder") -> AutoencoderModel;
    about "a network that gives rows back through a narrow layer";
    {
        /// The loss: squared_error, binary_cross_entropy.
        loss: ReconstructionLoss = ReconstructionLoss::SquaredError;
        /// Whether the decoder has the encoder's weights, turned.
        tied: bool = false;
    }
}

impl Autoencoder {
    fn code_sums(components: usize) -> usize {
        components
    }

    fn halves(&self, columns: usize) -> Result<Halves> {
        let outputs = match self.loss {
            ReconstructionLoss::SquaredError => (columns, Activation::Identity, OutputLoss::Squared),
            ReconstructionLoss::BinaryCrossEntropy => (columns, Activation::Logistic, OutputLoss::BinaryCrossEntropy),
        };
        Halves::new(&Plan {
            columns,
            hidden: &self.hidden_layer_sizes,
            activation: self.activation,
            code: self.n_components,
            drawn: false,
            outputs,
            tied: self.tied,
        })
    }
}

impl Estimator for Autoencoder {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(self.cost_of(shape))
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<AutoencoderModel> {
        if self.loss == ReconstructionLoss::BinaryCrossEntropy {
            super::variational::refuse_outside(Self::TYPE, x, "loss")?;
        }
        self.learn(x, options)
    }
}

/// An autoencoder as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoencoderModel {
    params: FittedWith<Autoencoder>,
    halves: Halves,
    fitted: Fitted,
}

impl AutoencoderModel {
    /// The rows that codes (n×k) stand for, n×d.
    pub fn decode<'a>(&self, z: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.halves.decoded(Autoencoder::TYPE, &self.fitted.state.parameters, z.into(), true)
    }
}

impl Model for AutoencoderModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        beside(x, self.halves.encoded(Autoencoder::TYPE, &self.fitted.state.parameters, x)?)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(pictures::code_columns(self.params.n_components))
    }

    fn report(&self) -> FitReport {
        self.fitted.report()
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let mut figures = vec![pictures::curve("Loss after each epoch", "loss", self.losses())];
        figures.extend(pictures::first_layer(&self.weights()?)?);
        if let Some(rows) = input.rows {
            figures.extend(pictures::of_rows(rows, |x| self.encode(x), |z| self.decode(z))?);
        }
        Ok(figures)
    }
}
