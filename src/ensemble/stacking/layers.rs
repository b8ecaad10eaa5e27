//! The two layers of a stack: the members' predictions for rows they were not fitted on, and the model that learns from
//! them.

use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::ensemble::members::{check_members, fit_all, probabilities_of, seeded, values_of};
use crate::ensemble::model::{Ensemble, EnsembleModel, EnsembleTarget};
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, AnyModel, Fit, Reporter, Rows};
use crate::splits::Folds;

/// What a stack is made of.
pub(super) struct StackLayers {
    pub(super) estimators: Vec<AnyEstimator>,
    pub(super) final_estimator: AnyEstimator,
    pub(super) cv: usize,
    pub(super) passthrough: bool,
    pub(super) seed: u64,
}

impl StackLayers {
    /// Fits the members and the model on top of them.
    pub(super) fn fit_model<E: Ensemble<Fitted = AnyModel>>(
        &self,
        params: &E,
        x: Rows<'_>,
        y: impl EnsembleTarget,
        options: Fit<'_>,
    ) -> Result<EnsembleModel<E>> {
        check_members("estimators", &self.estimators, E::TASK)?;
        check_members("final_estimator", std::slice::from_ref(&self.final_estimator), E::TASK)?;
        let (target, rows) = y.owned(E::TYPE, x)?;
        x.complete_rows(E::TYPE, rows)?;
        let weights = options.weights(E::TYPE, rows)?;
        let classes = target.labels().ok().map(Labels::classes);
        let (members, last) =
            options.watched("stacking", |reporter| self.fit(x, &target, classes, weights, reporter))?;
        EnsembleModel::new(params, members, &target, last)
    }

    /// Each row's features for the last model come from members that have not seen it: without that the last model
    /// would learn to trust whoever remembers best (Wolpert 1992).
    fn fit(
        &self,
        x: Rows<'_>,
        target: &Target,
        classes: Option<usize>,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<AnyModel>, AnyModel)> {
        let estimators = seeded(&self.estimators, self.seed)?;
        let device = x.on_device()?.device().clone();
        let rows = x.on_host()?;
        let folds = match classes {
            Some(_) => Folds::stratified(self.cv),
            None => Folds::k_fold(self.cv),
        };
        let labels = if classes.is_some() { Some(target.labels()?) } else { None };
        let splits = folds.seed(self.seed).split(rows.rows(), labels).map_err(|error| match error {
            Error::Param { rule, got, .. } => Error::param("cv", rule, got),
            other => other,
        })?;
        let mut features: Option<Matrix> = None;
        for (number, (train, test)) in splits.iter().enumerate() {
            let part: Option<Vec<f32>> = weights.map(|weights| train.iter().map(|row| weights[*row]).collect());
            let fitted_rows = rows.select(&train)?.to(&device)?;
            let members = fit_all(&estimators, (&fitted_rows).into(), &target.select(&train)?, part.as_deref())
                .map_err(|error| error.inside(format!("fold {number}")))?;
            let predicted = predictions_of(&members, (&rows.select(&test)?.to(&device)?).into(), classes)?;
            let all = match &mut features {
                Some(all) => all,
                None => features.insert(Matrix::zeros(rows.rows(), predicted.columns())?),
            };
            let width = predicted.columns();
            for (place, row) in test.into_iter().enumerate() {
                all.as_mut_slice()[row * width..][..width].copy_from_slice(predicted.row(place));
            }
            reporter.check_stopped(number + 1, (number + 1) as f64 / (self.cv + 1) as f64)?;
        }
        let features = features.ok_or_else(|| Error::param("cv", "at least 2", self.cv))?;
        let features = if self.passthrough { beside(&features, &rows)? } else { features };
        let options = weights.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
        let last = seeded(std::slice::from_ref(&self.final_estimator), self.seed)?[0]
            .fit_inside(&features.to(&device)?, target, options)
            .map_err(|error| error.inside(format!("final_estimator ({})", self.final_estimator.name())))?;
        let members = fit_all(&estimators, x, target, weights)?;
        Ok((members, last))
    }
}

/// The members' predictions for rows, side by side: probabilities of each class (of the second alone where there are
/// two), or numbers.
fn predictions_of(members: &[AnyModel], x: Rows<'_>, classes: Option<usize>) -> Result<Matrix> {
    let mut all: Option<Matrix> = None;
    for member in members {
        let part = match classes {
            Some(2) => probabilities_of(member, x, 2)?.select_columns(&[1])?,
            classes => values_of(member, x, classes)?,
        };
        all = Some(match all {
            Some(all) => beside(&all, &part)?,
            None => part,
        });
    }
    all.ok_or_else(|| Error::param("estimators", "not empty", "none"))
}

/// Runs `job` with the model on top, on the members' predictions for the rows of `x`, on their device.
pub(super) fn on_top<E: Ensemble<Fitted = AnyModel>, T>(
    model: &EnsembleModel<E>,
    passthrough: bool,
    x: Rows<'_>,
    job: impl FnOnce(&AnyModel, Rows<'_>) -> Result<T>,
) -> Result<T> {
    let device = x.on_device()?.device().clone();
    let predicted = predictions_of(model.members(), x, model.class_count())?;
    let features = if passthrough { beside(&predicted, &x.on_host()?)? } else { predicted };
    job(model.last(), (&features.to(&device)?).into())
}

/// The columns of both, with what is categorical in them.
fn beside(left: &Matrix, right: &Matrix) -> Result<Matrix> {
    let rows = (0..left.rows()).flat_map(|row| left.row(row).iter().chain(right.row(row)).copied());
    let both = Matrix::from_vec(left.rows(), left.columns() + right.columns(), rows.collect())?;
    let behind = right.categorical_columns().into_iter().map(|column| left.columns() + column);
    both.with_categories(left.categorical_columns().into_iter().chain(behind))
}
