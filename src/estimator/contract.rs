//! What an estimator is: parameters that can be fitted.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::align::align;
use super::fit::Fit;
use super::fitted_with::FittedWith;
use super::model::Model;
use super::parameters::Parameter;
use super::rows::{OwnedRows, Rows};
use super::shared::{Shared, SharedPart};
use super::targets::Targets;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::model_file::{FittedColumns, Persist, TargetShift};

/// The task of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Classes from features.
    Classification,
    /// Numbers from features.
    Regression,
    /// Clusters of rows, without a target.
    Clustering,
    /// Outliers among the rows, without a target.
    Outliers,
    /// The density of rows, without a target.
    Density,
    /// New rows from rows: scaling, encoding, new features.
    Transformation,
}

impl Task {
    /// Whether a model of this task always learns from a target.
    pub fn needs_target(self) -> bool {
        matches!(self, Task::Classification | Task::Regression)
    }

    /// Refuses a target that a model of this task cannot learn.
    pub fn check(self, target: &Target) -> Result<()> {
        match self {
            Task::Classification => target.labels().map(drop),
            Task::Regression => target.values().map(drop),
            Task::Clustering | Task::Outliers | Task::Density | Task::Transformation => Ok(()),
        }
    }
}

/// The parameters of an estimator: names, help, defaults, checks. The macro `parameters!` implements it.
pub trait Parameters: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What `fit` returns.
    type Model: Model + Persist;

    /// The target that `fit` takes: `&Labels`, [`Targets`], `&Target`, or `()`.
    type Target<'a>: Learnt<'a>;

    /// The name on the command line and in model files: lower-case words joined by hyphens.
    const NAME: &'static str;

    /// One line on what it does.
    const ABOUT: &'static str;

    /// Every parameter with its help, in the order of the fields.
    const PARAMETERS: &'static [Parameter];

    /// Its task.
    const TASK: Task;

    /// The task with these parameters; that of the last step for a pipeline.
    fn task(&self) -> Task {
        Self::TASK
    }

    /// Refuses a value that breaks its rule, whatever the rows are.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// Parameters that their model keeps in a field `params`: the macro `parameters!` writes this too.
pub trait Declared: Parameters {
    /// The name of the type, for messages: `KMeans`.
    const TYPE: &'static str;

    /// The parameters that a model was fitted with, and the columns.
    fn of_model(model: &Self::Model) -> &FittedWith<Self>;
}

/// Which rows an estimator takes, and what it does with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Abilities {
    /// Rows may have missing values.
    pub missing: bool,
    /// Missing values are replaced: the steps after it see none.
    pub fills_missing: bool,
    /// Columns may be categorical ([`Matrix::with_categories`](crate::Matrix::with_categories)).
    pub categories: bool,
    /// Categorical columns become columns of numbers.
    pub encodes_categories: bool,
    /// Rows may be sparse ([`SparseMatrix`](crate::SparseMatrix)).
    pub sparse: bool,
    /// `partial_fit` learns from chunks of rows.
    pub chunks: bool,
    /// The zero of the targets means something, as it does without an intercept: they are never moved to where `f32` can
    /// tell them apart ([`TargetShift`]).
    pub fixed_zero: bool,
}

/// The shape of a fit, for [`Estimator::cost`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitShape {
    /// Rows to learn from, n.
    pub rows: usize,
    /// Their columns, d.
    pub columns: usize,
    /// Classes, or columns of the target; 1 without a target.
    pub outputs: usize,
    /// Rows that are predicted afterwards.
    pub queries: usize,
}

impl FitShape {
    /// The shape of rows alone.
    pub fn of<'a>(x: impl Into<Rows<'a>>) -> FitShape {
        let x = x.into();
        FitShape { rows: x.rows(), columns: x.column_info().1, outputs: 1, queries: 0 }
    }

    /// The same with a target.
    pub fn target(mut self, target: &Target) -> FitShape {
        self.outputs = match target {
            Target::Classes(labels) => labels.classes(),
            Target::Numbers(numbers) | Target::Whole { numbers, .. } => numbers.columns(),
            Target::None => 1,
        };
        self
    }

    /// The same with so many rows to predict.
    pub fn queries(mut self, queries: usize) -> FitShape {
        self.queries = queries;
        self
    }
}

/// Parameters that can be fitted. An estimator that is listed in [`registry`](crate::registry) can be used by its name:
/// on the command line, in pipelines, in grid search, in ensembles and in model files.
pub trait Estimator: Parameters {
    /// Which rows it takes.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// What a fit on rows of this shape takes, by which [`Placement`](crate::placement::Placement) chooses a device;
    /// none if nothing of it would run on a GPU.
    fn cost(&self, _shape: &FitShape) -> Option<Cost> {
        None
    }

    /// Learns from `x` and the target, where `x` lives. [`Parameters::check`] has passed.
    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<Self::Model>;

    /// What fits with these settings on parts of these rows have in common, such as the Gram matrix of all rows for the folds
    /// of a search: it is made once on the device, before them. Nothing by default.
    fn share_rows(_settings: &[&Self], _x: Rows<'_>, _device: &Device) -> Result<Option<Shared>> {
        Ok(None)
    }

    /// What fits with these settings on these rows have in common, such as a factorisation that serves every penalty. `part`
    /// has what was made of all rows, if these are some of them. A fit finds it in its options. Nothing by default.
    ///
    /// Settings that cannot be fitted are passed over: their fit tells why.
    fn share_fits(
        _settings: &[&Self],
        _x: Rows<'_>,
        _options: &Fit<'_>,
        _part: Option<SharedPart<'_>>,
    ) -> Result<Option<Shared>> {
        Ok(None)
    }

    /// Learns from the rows and transforms them: what a step of a pipeline does. It may differ from `fit` and then
    /// `transform`, so that a row's own target does not leak into its new values (as in `TargetEncoder`).
    fn fit_transform_rows(
        &self,
        x: Rows<'_>,
        target: Self::Target<'_>,
        options: Fit<'_>,
    ) -> Result<(Self::Model, OwnedRows)> {
        let model = self.fit_rows(x, target, options)?;
        let rows = model.transform_rows(x)?;
        Ok((model, rows))
    }

    /// Learns from one chunk of the rows; goes on from `model`, or begins with `None`. For those whose
    /// [`Abilities::chunks`] is set.
    fn partial_fit_rows(
        &self,
        _model: Option<Self::Model>,
        _x: Rows<'_>,
        _target: Self::Target<'_>,
        _options: Fit<'_>,
    ) -> Result<Self::Model> {
        let expected = "all rows at once (fit): this model does not learn from chunks".to_string();
        Err(Error::shape(Self::NAME, expected, "a chunk (partial_fit)"))
    }
}

/// The part of a target that an estimator learns.
pub trait Learnt<'a>: Sized {
    /// That part of `target`, or the reason why it has none.
    fn of(target: &'a Target) -> Result<Self>;

    /// How many rows it has targets for, if it has any.
    fn targets(&self) -> Option<usize>;

    /// What is to be subtracted from its numbers so that `f32` can tell them apart, and what is left; nothing where that
    /// is not needed.
    fn moved(&self) -> Result<Option<(TargetShift, Target)>> {
        Ok(None)
    }
}

fn moved(y: &Matrix) -> Result<Option<(TargetShift, Target)>> {
    let Some(shift) = TargetShift::of(y) else { return Ok(None) };
    let left = Target::Numbers(shift.subtract_from(y)?);
    Ok(Some((shift, left)))
}

impl<'a> Learnt<'a> for &'a Labels {
    fn of(target: &'a Target) -> Result<Self> {
        target.labels()
    }

    fn targets(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<'a> Learnt<'a> for Targets<'a> {
    fn of(target: &'a Target) -> Result<Self> {
        target.values().map(Targets::Many)
    }

    fn targets(&self) -> Option<usize> {
        match self {
            Targets::One(values) => Some(values.len()),
            Targets::Many(matrix) => Some(matrix.rows()),
            Targets::Double(values) => Some(values.len()),
        }
    }

    fn moved(&self) -> Result<Option<(TargetShift, Target)>> {
        match self {
            Targets::One(_) => Ok(None),
            Targets::Many(matrix) => moved(matrix),
            Targets::Double(values) => moved(&Matrix::from_f64(values.len(), 1, values)?),
        }
    }
}

impl<'a> Learnt<'a> for &'a Target {
    fn of(target: &'a Target) -> Result<Self> {
        Ok(target)
    }

    fn targets(&self) -> Option<usize> {
        self.rows()
    }

    fn moved(&self) -> Result<Option<(TargetShift, Target)>> {
        self.values().map_or(Ok(None), moved)
    }
}

impl<'a> Learnt<'a> for () {
    fn of(_: &'a Target) -> Result<()> {
        Ok(())
    }

    fn targets(&self) -> Option<usize> {
        None
    }
}

/// Checks the parameters, then fits.
pub(crate) fn checked_fit<E: Estimator>(
    estimator: &E,
    x: Rows<'_>,
    target: E::Target<'_>,
    options: Fit<'_>,
) -> Result<E::Model> {
    fit_inside(estimator, x, target, options).map(|model| remember(x, model))
}

/// Checks the parameters and the columns, then learns from one chunk of rows.
pub(crate) fn checked_partial_fit<E: Estimator>(
    estimator: &E,
    model: Option<E::Model>,
    x: Rows<'_>,
    target: E::Target<'_>,
    options: Fit<'_>,
) -> Result<E::Model> {
    estimator.check()?;
    if let Some(model) = &model {
        align(model.fitted_columns(), x.into())?;
    }
    Ok(remember(x, estimator.partial_fit_rows(model, x, target, options)?))
}

/// The same model, which remembers the columns that it was fitted on.
pub(crate) fn remember<M: Persist>(x: Rows<'_>, model: M) -> M {
    let (info, columns) = x.column_info();
    model.remember_columns(FittedColumns::new(columns, info));
    model
}

/// The same of a model inside another, which remembers the columns for it.
pub(crate) fn fit_inside<E: Estimator>(
    estimator: &E,
    x: Rows<'_>,
    target: E::Target<'_>,
    options: Fit<'_>,
) -> Result<E::Model> {
    estimator.check()?;
    if let Some(targets) = target.targets().filter(|targets| *targets != x.rows()) {
        let expected = format!("a target for each of the {} rows of x", x.rows());
        return Err(Error::shape(E::NAME, expected, format!("{targets} targets")));
    }
    let fitted = match movable(estimator, &target)? {
        Some((shift, left)) => {
            let validation = options.moved_validation(&shift)?;
            let options = options.with_validation_targets(validation.as_ref());
            estimator.fit_rows(x, E::Target::of(&left)?, options).inspect(|model| model.remember_shift(shift))
        }
        None => estimator.fit_rows(x, target, options),
    };
    // Sparse rows are refused where they are looked at; here it is known by whom.
    fitted.map_err(|error| error.sparse_for(E::NAME))
}

/// The targets moved to where `f32` can tell them apart, if they have to be and the estimator allows it.
pub(crate) fn movable<E: Estimator>(estimator: &E, target: &E::Target<'_>) -> Result<Option<(TargetShift, Target)>> {
    match E::Model::REMEMBERS_SHIFT && !estimator.abilities().fixed_zero {
        true => target.moved(),
        false => Ok(None),
    }
}
