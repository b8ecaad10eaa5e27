//! Classes by a network.

use super::classes::{ClassLearner, ClassNetwork, check_chunk, head};
use super::{LearningRate, MlpSettings, Solver, mlp_parameters, refuse_lbfgs};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{ClassWeight, Labels};
use crate::error::Result;
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, Parameters, Predict,
    PredictProba, Prediction, Rows, Save, checked_partial_fit, parameters, remember,
};
use crate::model_file::Container;
use crate::neural::network::Network;
use crate::ops::neural::Activation;

mlp_parameters! {
    /// A network of dense layers that tells classes apart: softmax for several, a logistic unit for two. Names and defaults are
    /// scikit-learn's; `l1`, `dropout`, `clip_norm`, `noise`, `class_weight` and three solvers are ours.
    ///
    /// ```
    /// use gristmill::neural::MlpClassifier;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let mlp = MlpClassifier::default().hidden_layer_sizes(vec![16]).learning_rate_init(0.02).max_iter(60);
    /// let model = mlp.fit(&iris.x, iris.labels()?)?;
    /// assert!(model.score(&iris.x, iris.labels()?)? > 0.9);
    /// assert_eq!(model.weights()?[0].columns(), 16);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - It runs where the rows live. On a GPU whole epochs are recorded, and the loss is read once an epoch; the rows must fit
    ///   one binding. The same seed and device give the same bits, for any number of threads.
    /// - Scale the columns first. A rate that diverges ends the fit with the weights before the epoch, and a warning.
    /// - Weights of rows are scaled to a mean of 1. A batch larger than the rows is all of them.
    /// - Two classes at least; a hidden layer of width 0 is refused.
    /// - `partial_fit` makes one epoch over a chunk; `resume` goes on from a model up to `max_iter` epochs, to the same bits
    ///   as a fit that had not been interrupted, unless early stopping went back to an earlier epoch.
    MlpClassifier: classifier("mlp-classifier") -> MlpClassifierModel;
    about "a network of dense layers for classes";
    {
        /// Weights of classes: none, balanced (not in chunks), or an object of weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
    }
}

impl MlpClassifier {
    /// One epoch over a chunk of rows; goes on from `model`, or begins with `None`.
    pub fn partial_fit<'a>(
        &self,
        model: Option<MlpClassifierModel>,
        x: impl Into<Rows<'a>>,
        y: &Labels,
    ) -> Result<MlpClassifierModel> {
        checked_partial_fit(self, model, x.into(), y, Fit::default())
    }

    /// Goes on from a model, which may come from a file, until `max_iter` epochs are done in all.
    pub fn resume<'a>(
        &self,
        model: MlpClassifierModel,
        x: impl Into<Rows<'a>>,
        y: &Labels,
    ) -> Result<MlpClassifierModel> {
        self.check()?;
        let x = x.into();
        Ok(remember(x, self.learn(Some(model), x, y, Fit::default(), self.max_iter as u64)?))
    }

    fn network(&self, columns: usize, classes: usize) -> Result<Network> {
        let (outputs, activation, loss) = head(classes);
        MlpSettings::from(self).network(columns, outputs, activation, loss)
    }

    fn learn(
        &self,
        model: Option<MlpClassifierModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
        epochs: u64,
    ) -> Result<MlpClassifierModel> {
        let learner = ClassLearner {
            name: Self::TYPE,
            settings: MlpSettings::from(self),
            class_weight: &self.class_weight,
            seed: self.seed,
            network: &|columns, classes| self.network(columns, classes),
        };
        let net = learner.learn(model.map(|model| model.net), x, y, options, epochs)?;
        Ok(MlpClassifierModel { params: self.clone().into(), net })
    }
}

impl Estimator for MlpClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { chunks: true, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(super::cost(&MlpSettings::from(self), shape))
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<MlpClassifierModel> {
        self.learn(None, x, y, options, self.max_iter as u64)
    }

    fn partial_fit_rows(
        &self,
        model: Option<MlpClassifierModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<MlpClassifierModel> {
        check_chunk(&self.class_weight)?;
        refuse_lbfgs(self.solver, "another solver for chunks of rows: lbfgs takes all rows at once")?;
        let epochs = model.as_ref().map_or(0, |model| model.net.fitted.progress.epochs) + 1;
        let chunk = MlpClassifier { early_stopping: false, ..self.clone() };
        let mut made = chunk.learn(model, x, y, options, epochs)?;
        made.params = self.clone().into();
        Ok(made)
    }
}

/// A network for classes, as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct MlpClassifierModel {
    params: FittedWith<MlpClassifier>,
    net: ClassNetwork,
}

super::mlp_model!(MlpClassifierModel, net.fitted);
super::class_model!(MlpClassifierModel, MlpClassifier);

impl Save for MlpClassifierModel {
    type Estimator = MlpClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.net.store(container)
    }

    fn load_fitted(params: FittedWith<MlpClassifier>, container: &mut Container) -> Result<MlpClassifierModel> {
        let net = ClassNetwork::restore(container, |container, classes| {
            let [columns, _] = container.shape("layer0.weights")?;
            super::check_sizes(&params.hidden_layer_sizes, container)?;
            params.network(columns, classes).map_err(|error| container.refuse(error.to_string()))
        })?;
        Ok(MlpClassifierModel { params, net })
    }
}
