//! Pictures of ensembles: regions and errors after some of the members, and what each column adds to predictions.

use super::boosting::{BoostingEstimator, BoostingModel};
use super::{AdaBoostClassifierModel, BaggingClassifierModel};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::error::Result;
use crate::estimator::{Model, PictureInput, PictureRows, Prediction, Rows};
use crate::metrics;
use crate::plot::{self, Figure};
use crate::tree::likeliest;
use crate::tree::pictures::{MOST_SCORED, shapley_figure};

/// Rounds of boosting and bags whose regions are shown, besides all of them.
const ROUNDS: [usize; 3] = [2, 10, 50];
const BAGS: [usize; 3] = [1, 10, 100];

/// With rows the error after each round, and on a plane the decision regions after some of the rounds.
pub(super) fn ada_boost_figures(model: &AdaBoostClassifierModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
    let Some(rows) = &input.rows else { return Ok(vec![]) };
    let stages = Stages { shown: &ROUNDS, all: model.members().len(), names: ["round", "rounds"] };
    let mut figures = stages.regions(rows, |x, rounds| model.staged_predict(x, rounds))?;
    let figure = errors_figure("share wrong").line("fitted rows", by_round(model.train_errors()));
    figures.push(if rows.fitted { figure } else { figure.line(rows.name(), by_round(&errors_on(model, rows)?)) });
    Ok(figures)
}

/// The share of rows that the first rounds together have wrong, after each of them.
fn errors_on(model: &AdaBoostClassifierModel, rows: &PictureRows<'_>) -> Result<Vec<f64>> {
    let (x, target) = rows.sample(MOST_SCORED)?;
    let labels = target.labels()?;
    let (mut votes, mut errors) = (vec![], vec![]);
    for (member, weight) in model.members().iter().zip(model.estimator_weights()) {
        let Prediction::Classes(predicted) = member.predict(&x)? else { continue };
        let classes = predicted.classes();
        votes.resize(predicted.len() * classes, 0.0);
        let codes = predicted.codes().iter().enumerate();
        codes.for_each(|(row, code)| votes[row * classes + *code as usize] += weight);
        errors.push(1.0 - metrics::accuracy(labels, &predicted.with_codes(likeliest(&votes, classes))?)?);
    }
    Ok(errors)
}

/// With rows on a plane the decision regions of some of the bags.
pub(super) fn bagging_figures(model: &BaggingClassifierModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
    let Some(rows) = &input.rows else { return Ok(vec![]) };
    let stages = Stages { shown: &BAGS, all: model.len(), names: ["bag", "bags"] };
    stages.regions(rows, |x, bags| model.staged_predict(x, bags))
}

/// With rows the validation loss, whose name is `loss`, and an error after each round, and what each column adds to the
/// score of the second of two classes or of a single target.
pub(super) fn boosted_figures<E: BoostingEstimator>(
    model: &BoostingModel<E>,
    input: &PictureInput<'_>,
    loss: &str,
    (label, error): (&str, impl Fn(&Target, E::Output) -> Result<f64>),
    explained: impl FnOnce(&str) -> String,
) -> Result<Vec<Figure>> {
    let Some(rows) = &input.rows else { return Ok(vec![]) };
    let mut figures: Vec<Figure> = loss_figure(model.validation_losses(), loss).into_iter().collect();
    let (x, target) = rows.sample(MOST_SCORED)?;
    let errors = model.staged_predict(&x)?.map(|predicted| error(&target, predicted?));
    let errors = errors.collect::<Result<Vec<f64>>>()?;
    figures.push(errors_figure(label).line(rows.name(), by_round(&errors)));
    figures.extend(shapley_figure(input, Model::classes(model), explained, |x| model.shapley_values(x))?);
    Ok(figures)
}

/// Some of the members of an ensemble, one after the other.
struct Stages {
    /// The numbers of members that are shown, besides all of them.
    shown: &'static [usize],
    all: usize,
    /// What one and several members are called.
    names: [&'static str; 2],
}

impl Stages {
    /// The decision regions after each stage, with the share of the rows that it has right; nothing for rows that are
    /// not on a plane.
    fn regions(
        &self,
        rows: &PictureRows<'_>,
        predict: impl Fn(Rows<'_>, usize) -> Result<Labels>,
    ) -> Result<Vec<Figure>> {
        let Some(plane) = rows.plane else { return Ok(vec![]) };
        let labels = rows.target.labels()?;
        let stages: Vec<usize> =
            self.shown.iter().copied().filter(|stage| *stage < self.all).chain([self.all]).collect();
        let predict_cells =
            |cells: &Matrix, members: usize| predict((&(plane.inputs)(cells)?.to(rows.device)?).into(), members);
        let figures = plot::staged_regions(plane.x, labels, plane.cells, &stages, predict_cells)?;
        let x = rows.x.to(rows.device)?;
        let titled = figures.into_iter().zip(stages).map(|(figure, stage)| {
            let right = 100.0 * metrics::accuracy(labels, &predict((&x).into(), stage)?)?;
            let name = self.names[usize::from(stage != 1)];
            Ok(figure.title(format!("Decision regions, {stage} {name}: {right:.1} % of {} right", rows.name())))
        });
        titled.collect()
    }
}

fn errors_figure(label: &str) -> Figure {
    Figure::new().title("Errors after each round").x_label("round").y_label(label)
}

/// The validation loss after each round; nothing without validation rows.
fn loss_figure(losses: &[f64], name: &str) -> Option<Figure> {
    let figure = || Figure::new().title("Validation loss").x_label("round").y_label(name);
    (!losses.is_empty()).then(|| figure().line("validation", by_round(losses)))
}

fn by_round(values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().enumerate().map(|(round, value)| ((round + 1) as f64, *value)).collect()
}
