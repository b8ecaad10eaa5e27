//! A fitted ensemble of any models, of classes or numbers.

use std::fmt::Debug;

use super::members::{restore_members, store_members, winners};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::error::Result;
use crate::estimator::{
    AnyModel, Declared, Estimator, FitReport, FittedWith, Model, Observer, PictureInput, Predict, PredictProba,
    Predicted, Prediction, Rows, Save, Targets, Task,
};
use crate::model_file::Container;
use crate::plot::Figure;

/// What tells ensembles apart: what they keep beside their members, and how they predict.
#[doc(hidden)]
pub trait Ensemble: Estimator<Model = EnsembleModel<Self>> + Declared {
    /// What is predicted: `Labels`, or a `Matrix` of numbers.
    type Output: Predicted;

    /// What a fit leaves beside the members.
    type Fitted: Debug + Send + Sync;

    /// Whether the members have the classes of the ensemble; else each tells some of them from others.
    const SAME_CLASSES: bool = true;

    /// A number for each class, n×k, of which the largest wins; or the predictions, n×p.
    fn values(model: &EnsembleModel<Self>, x: Rows<'_>) -> Result<Matrix>;

    /// The probabilities that the values of classes stand for.
    fn probabilities(values: Matrix) -> Matrix {
        values
    }

    /// The predictions, where the values do not decide them.
    fn predicted(_model: &EnsembleModel<Self>, _x: Rows<'_>) -> Result<Option<Prediction>> {
        Ok(None)
    }

    /// A model beside the members, with the same classes.
    fn last(_fitted: &Self::Fitted) -> Option<&AnyModel> {
        None
    }

    /// Puts what was fitted into a container.
    fn save(fitted: &Self::Fitted, container: &mut Container) -> Result<()>;

    /// Takes it out again, for so many members.
    fn load(&self, container: &mut Container, members: usize) -> Result<Self::Fitted>;

    /// Whether what was taken out fits so many classes.
    fn fits(_fitted: &Self::Fitted, _classes: usize) -> bool {
        true
    }

    /// The report of the fit.
    fn report(_model: &EnsembleModel<Self>) -> FitReport {
        FitReport::default()
    }

    /// Pictures of this family.
    fn figures(_model: &EnsembleModel<Self>, _input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        Ok(vec![])
    }
}

/// Fitted models that predict together.
#[derive(Debug)]
pub struct EnsembleModel<E: Ensemble> {
    pub(crate) params: FittedWith<E>,
    pub(super) members: Vec<AnyModel>,
    /// The classes without rows; none of numbers.
    pub(super) classes: Labels,
    pub(super) fitted: E::Fitted,
}

impl<E: Ensemble> EnsembleModel<E> {
    /// A model of members that were fitted to this target.
    pub(super) fn new(params: &E, members: Vec<AnyModel>, target: &Target, fitted: E::Fitted) -> Result<Self> {
        let classes = match E::TASK {
            Task::Classification => target.labels()?.with_codes(vec![])?,
            _ => Labels::from_codes(vec![], vec![])?,
        };
        Ok(EnsembleModel { params: params.clone().into(), members, classes, fitted })
    }

    /// The fitted members, in the order in which they were fitted.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }

    /// How many classes there are; nothing for numbers.
    pub(super) fn class_count(&self) -> Option<usize> {
        (E::TASK == Task::Classification).then(|| self.classes.classes())
    }

    /// The class of the largest value, the lowest of equal ones, with the probabilities; or the numbers.
    fn decide(&self, values: Matrix) -> Result<(Prediction, Option<Matrix>)> {
        match self.class_count() {
            Some(_) => Ok((winners(&self.classes, &values)?.into(), Some(E::probabilities(values)))),
            None => Ok((values.into(), None)),
        }
    }
}

impl<E: Ensemble> Predict for EnsembleModel<E> {
    type Output = E::Output;
}

impl<E: Ensemble<Output = Labels>> PredictProba for EnsembleModel<E> {}

impl<E: Ensemble> Model for EnsembleModel<E> {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        match E::predicted(self, x)? {
            Some(predicted) => Ok(predicted),
            None => Ok(self.decide(E::values(self, x)?)?.0),
        }
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.class_count().map(|_| Ok(E::probabilities(E::values(self, x)?))).transpose()
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let (predicted, probabilities) = self.decide(E::values(self, x)?)?;
        Ok((E::predicted(self, x)?.unwrap_or(predicted), probabilities))
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        E::report(self)
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        E::figures(self, input)
    }
}

impl<E: Ensemble> Save for EnsembleModel<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        if self.class_count().is_some() {
            container.insert_strings("class_names", self.classes.names())?;
        }
        E::save(&self.fitted, container)?;
        store_members(container, &self.members)
    }

    fn load_fitted(params: FittedWith<E>, container: &mut Container) -> Result<EnsembleModel<E>> {
        let members = restore_members(container)?;
        let fitted = params.load(container, members.len())?;
        let names = match E::TASK {
            Task::Classification => container.take_strings("class_names")?,
            _ => vec![],
        };
        let others = members.iter().chain(E::last(&fitted)).any(|member| member.classes() != names);
        if (E::SAME_CLASSES && others) || !E::fits(&fitted, names.len()) {
            return Err(container.refuse("a member has other classes than the ensemble"));
        }
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(EnsembleModel { params, members, classes, fitted })
    }
}

/// What an ensemble learns, as its members take it.
pub(super) trait EnsembleTarget {
    /// The target of the rows of `x`, and how many there are.
    fn owned(self, op: &'static str, x: Rows<'_>) -> Result<(Target, usize)>;
}

impl EnsembleTarget for &Labels {
    fn owned(self, _: &'static str, _: Rows<'_>) -> Result<(Target, usize)> {
        Ok((Target::Classes(self.clone()), self.len()))
    }
}

impl EnsembleTarget for Targets<'_> {
    fn owned(self, op: &'static str, x: Rows<'_>) -> Result<(Target, usize)> {
        let y = self.complete(op, x.on_device()?.rows())?;
        let rows = y.rows();
        Ok((Target::Numbers(y), rows))
    }
}
