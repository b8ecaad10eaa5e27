//! What classifiers by a network share: the classes, learning, probabilities.

use super::MlpSettings;
use super::fit::{Problem, with_weights};
use super::fitted::{Fitted, Progress};
use crate::array::Matrix;
use crate::data::{ClassWeight, Labels};
use crate::error::{Error, Result};
use crate::estimator::{Fit, Rows, ValidationTarget};
use crate::model_file::Container;
use crate::neural::network::Network;
use crate::neural::predict::predict;
use crate::ops::neural::{Activation, OutputLoss, TargetLayout};

/// Outputs, last activation and loss for so many classes.
pub(super) fn head(classes: usize) -> (usize, Activation, OutputLoss) {
    match classes {
        2 => (1, Activation::Logistic, OutputLoss::BinaryCrossEntropy),
        _ => (classes, Activation::Softmax, OutputLoss::CategoricalCrossEntropy),
    }
}

/// A classifier as it learns: its name, settings, and the network that it makes of columns and classes.
pub(super) struct ClassLearner<'a> {
    pub(super) name: &'static str,
    pub(super) settings: MlpSettings,
    pub(super) class_weight: &'a ClassWeight,
    pub(super) seed: u64,
    pub(super) network: &'a dyn Fn(usize, usize) -> Result<Network>,
}

/// A network that learnt, and its classes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClassNetwork {
    pub(super) classes: Labels,
    pub(super) fitted: Fitted,
}

impl ClassLearner<'_> {
    /// Goes on from `model`, or begins, until so many epochs are done in all.
    pub(super) fn learn(
        &self,
        model: Option<ClassNetwork>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
        epochs: u64,
    ) -> Result<ClassNetwork> {
        let x = x.complete(self.name)?;
        let classes = model.as_ref().map_or_else(|| y.with_codes(vec![]), |model| Ok(model.classes.clone()))?;
        let y = &self.in_classes(y, &classes)?;
        if y.len() != x.rows() {
            let expected = format!("a class for each of {} rows", x.rows());
            return Err(Error::shape(self.name, expected, y.len()));
        }
        if classes.classes() < 2 {
            let expected = "targets of at least two classes";
            return Err(Error::shape(self.name, expected, format!("{}", classes.classes())));
        }
        let weights = self.class_weight.row_weights(y, options.weights(self.name, y.len())?)?;
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
                let labels = self.in_classes(labels, &classes)?;
                Some((rows.on_host()?.to(x.device())?, with_weights(&column(&labels)?, even.as_deref())?))
            }
            _ => None,
        };
        let fitted = match model {
            Some(model) => model.fitted,
            None => Fitted::new((self.network)(x.columns(), classes.classes())?, self.seed),
        };
        let y_rows = with_weights(&column(y)?, weights.as_deref())?;
        let problem = Problem { x: &x, y: y_rows, targets, labels: Some(y), validation };
        let fitted = options.watched("network", |reporter| self.settings.learn(fitted, problem, epochs, reporter))?;
        Ok(ClassNetwork { classes, fitted })
    }

    /// The same labels by the codes of these classes.
    fn in_classes(&self, y: &Labels, classes: &Labels) -> Result<Labels> {
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
                Err(Error::shape(self.name, expected, "another class"))
            }
        }
    }
}

/// Refuses class weights that need all rows in a chunk of them.
pub(super) fn check_chunk(class_weight: &ClassWeight) -> Result<()> {
    match class_weight {
        ClassWeight::Balanced => {
            let rule = "none or an object of weights by class: the counts of all classes are not known in a chunk";
            Err(Error::param("class_weight", rule, "balanced"))
        }
        _ => Ok(()),
    }
}

impl ClassNetwork {
    /// n×k.
    pub(super) fn probabilities(&self, name: &'static str, x: Rows<'_>) -> Result<Matrix> {
        let x = x.queries(name, self.fitted.network.input().size())?;
        let found = predict(&self.fitted.network, &self.fitted.state.parameters, &x, true)?;
        if self.classes.classes() > 2 {
            return Ok(found);
        }
        let both = found.as_slice().iter().flat_map(|second| [1.0 - second, *second]).collect();
        Matrix::from_vec(found.rows(), 2, both)
    }

    pub(super) fn winners(&self, probabilities: &Matrix) -> Result<Labels> {
        let best = |row: &[f32]| (1..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best }) as u32;
        let codes = (0..probabilities.rows()).map(|row| best(probabilities.row(row))).collect();
        self.classes.with_codes(codes)
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.classes.names())?;
        container.set_fitted(&self.fitted.progress)?;
        self.fitted.store(container)
    }

    /// What [`ClassNetwork::store`] wrote, for the network that `network` makes of the number of classes.
    pub(super) fn restore(
        container: &mut Container,
        network: impl FnOnce(&Container, usize) -> Result<Network>,
    ) -> Result<ClassNetwork> {
        let names = container.take_strings("class_names")?;
        let progress: Progress = container.fitted()?;
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        if classes.classes() < 2 {
            return Err(container.refuse("a network for fewer than two classes"));
        }
        let network = network(container, classes.classes())?;
        // Before anything is allocated: the file must hold what its parameters claim.
        for placed in network.blocks() {
            let shape = container.shape::<2>(&format!("layer{}.{}", placed.layer, placed.block.name))?;
            if shape != [placed.block.rows, placed.block.columns] {
                return Err(container.refuse(format!("layer {} of another size", placed.layer)));
            }
        }
        Ok(ClassNetwork { classes, fitted: Fitted::restore(network, progress, container)? })
    }
}
