//! Classes by a network.

use super::fit::{Problem, with_weights};
use super::fitted::{Fitted, Progress};
use super::{LearningRate, MlpSettings, Solver, mlp_parameters};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{ClassWeight, Labels};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, Parameters, PictureInput,
    Predict, PredictProba, Prediction, Rows, Save, ValidationTarget, checked_partial_fit, parameters, remember,
};
use crate::model_file::Container;
use crate::neural::network::Network;
use crate::neural::pictures::first_layer;
use crate::neural::predict::predict;
use crate::ops::neural::{Activation, OutputLoss, TargetLayout};
use crate::plot::Figure;

mlp_parameters! {
    /// A network of dense layers that tells classes apart: softmax for several, a logistic unit for two. Names and defaults are
    /// scikit-learn's; `l1`, `dropout`, `clip_norm`, `noise`, `class_weight` and three solvers are ours, lbfgs is not there.
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

    /// Outputs, last activation and loss for so many classes.
    fn head(classes: usize) -> (usize, Activation, OutputLoss) {
        match classes {
            2 => (1, Activation::Logistic, OutputLoss::BinaryCrossEntropy),
            _ => (classes, Activation::Softmax, OutputLoss::CategoricalCrossEntropy),
        }
    }

    fn network(&self, columns: usize, classes: usize) -> Result<Network> {
        let (outputs, activation, loss) = MlpClassifier::head(classes);
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
        let x = x.complete(Self::TYPE)?;
        let classes = model.as_ref().map_or_else(|| y.with_codes(vec![]), |model| Ok(model.classes.clone()))?;
        let y = &in_classes(y, &classes)?;
        if y.len() != x.rows() {
            let expected = format!("a class for each of {} rows", x.rows());
            return Err(Error::shape(Self::TYPE, expected, y.len()));
        }
        if classes.classes() < 2 {
            let expected = "targets of at least two classes";
            return Err(Error::shape(Self::TYPE, expected, format!("{}", classes.classes())));
        }
        let weights = self.class_weight.row_weights(y, options.weights(Self::TYPE, y.len())?)?;
        let codes = |labels: &Labels| labels.codes().iter().map(|code| *code as f32).collect::<Vec<f32>>();
        let column = |labels: &Labels| Matrix::from_vec(labels.len(), 1, codes(labels));
        let targets = TargetLayout {
            classes: classes.classes() > 2,
            weight: weights.as_ref().map(|_| 1),
            columns: 1 + usize::from(weights.is_some()),
        };
        let validation = match options.validation_rows() {
            Some((rows, ValidationTarget::Classes(labels))) => {
                let even = weights.as_ref().map(|_| vec![1.0; labels.len()]);
                let labels = in_classes(labels, &classes)?;
                Some((rows.on_host()?.to(x.device())?, with_weights(&column(&labels)?, even.as_deref())?))
            }
            _ => None,
        };
        let settings = MlpSettings::from(self);
        let fitted = match model {
            Some(model) => model.fitted,
            None => Fitted::new(self.network(x.columns(), classes.classes())?, self.seed),
        };
        let y_rows = with_weights(&column(y)?, weights.as_deref())?;
        let problem = Problem { x: &x, y: y_rows, targets, labels: Some(y), validation };
        let fitted = options.watched("network", |reporter| settings.learn(fitted, problem, epochs, reporter))?;
        Ok(MlpClassifierModel { params: self.clone().into(), classes, fitted })
    }
}

/// The same labels by the codes of these classes.
fn in_classes(y: &Labels, classes: &Labels) -> Result<Labels> {
    if y.names() == classes.names() {
        return Ok(y.clone());
    }
    let place = |name: &String| classes.names().iter().position(|known| known == name);
    let places: Vec<Option<usize>> = y.names().iter().map(place).collect();
    let code = |code: &u32| places[*code as usize].map(|place| place as u32);
    let codes: Option<Vec<u32>> = y.codes().iter().map(code).collect();
    match codes {
        Some(codes) => classes.with_codes(codes),
        None => {
            let expected =
                format!("the classes of the first rows ({}); name all of them there", classes.names().join(", "));
            Err(Error::shape(MlpClassifier::TYPE, expected, "another class"))
        }
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
        if self.class_weight == ClassWeight::Balanced {
            let rule = "none or an object of weights by class: the counts of all classes are not known in a chunk";
            return Err(Error::param("class_weight", rule, "balanced"));
        }
        let epochs = model.as_ref().map_or(0, |model| model.fitted.progress.epochs) + 1;
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
    classes: Labels,
    fitted: Fitted,
}

super::mlp_model!(MlpClassifierModel);

impl MlpClassifierModel {
    /// n×k.
    fn probabilities(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = x.queries(MlpClassifier::TYPE, self.fitted.network.input().size())?;
        let found = predict(&self.fitted.network, &self.fitted.state.parameters, &x, true)?;
        if self.classes.classes() > 2 {
            return Ok(found);
        }
        let both = found.as_slice().iter().flat_map(|second| [1.0 - second, *second]).collect();
        Matrix::from_vec(found.rows(), 2, both)
    }

    fn winners(&self, probabilities: &Matrix) -> Result<Labels> {
        let best = |row: &[f32]| (1..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best }) as u32;
        let codes = (0..probabilities.rows()).map(|row| best(probabilities.row(row))).collect();
        self.classes.with_codes(codes)
    }
}

impl Predict for MlpClassifierModel {
    type Output = Labels;
}

impl PredictProba for MlpClassifierModel {}

impl Model for MlpClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.winners(&self.probabilities(x)?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.probabilities(x).map(Some)
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let probabilities = self.probabilities(x)?;
        Ok((self.winners(&probabilities)?.into(), Some(probabilities)))
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        self.fitted.report()
    }

    fn figures(&self, _: &PictureInput<'_>) -> Result<Vec<Figure>> {
        Ok(first_layer(&self.weights()?)?.into_iter().collect())
    }
}

impl Save for MlpClassifierModel {
    type Estimator = MlpClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.classes.names())?;
        container.set_fitted(&self.fitted.progress)?;
        self.fitted.store(container)
    }

    fn load_fitted(params: FittedWith<MlpClassifier>, container: &mut Container) -> Result<MlpClassifierModel> {
        let names = container.take_strings("class_names")?;
        let progress: Progress = container.fitted()?;
        let [columns, _] = container.shape("layer0.weights")?;
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        if classes.classes() < 2 {
            return Err(container.refuse("a network for fewer than two classes"));
        }
        super::check_sizes(&params.hidden_layer_sizes, container)?;
        let network = params.network(columns, classes.classes());
        let network = network.map_err(|error| container.refuse(error.to_string()))?;
        let fitted = Fitted::restore(network, progress, container)?;
        Ok(MlpClassifierModel { params, classes, fitted })
    }
}
