//! Panels that only some models have: the stages of ensembles, the path of pruning, errors round by round.

use gristmill::ensemble::{
    AdaBoostClassifierModel, BaggingClassifierModel, ClassificationLoss, GradientBoostingClassifierModel,
    GradientBoostingRegressorModel, RegressionLoss,
};
use gristmill::estimator::{Prediction, Rows};
use gristmill::model_file::Persist;
use gristmill::plot::{self, Figure};
use gristmill::tree::{DecisionTreeClassifierModel, DecisionTreeRegressorModel, Tree};
use gristmill::{AnyModel, Labels, Matrix, Result, metrics};
use serde::de::DeserializeOwned;

/// Rounds of boosting and bags whose regions are shown, besides all of them.
const ROUNDS: [usize; 3] = [2, 10, 50];
const BAGS: [usize; 3] = [1, 10, 100];

/// A model whose members come one after the other.
pub enum Staged {
    AdaBoost(AdaBoostClassifierModel),
    Bagging(BaggingClassifierModel),
}

impl Staged {
    /// The model, if it is such a one.
    pub fn of(kind: &str, model: &AnyModel) -> Result<Option<Staged>> {
        Ok(match kind {
            AdaBoostClassifierModel::KIND => {
                Some(Staged::AdaBoost(AdaBoostClassifierModel::from_container(model.container()?)?))
            }
            BaggingClassifierModel::KIND => {
                Some(Staged::Bagging(BaggingClassifierModel::from_container(model.container()?)?))
            }
            _ => None,
        })
    }

    /// The numbers of members whose regions are shown, and how they are called.
    pub fn stages(&self) -> Vec<(usize, String)> {
        let (shown, all, one, many) = match self {
            Staged::AdaBoost(model) => (ROUNDS, model.members().len(), "round", "rounds"),
            Staged::Bagging(model) => (BAGS, model.len(), "bag", "bags"),
        };
        let stages = shown.into_iter().filter(|stage| *stage < all).chain([all]);
        stages.map(|stage| (stage, format!("{stage} {}", if stage == 1 { one } else { many }))).collect()
    }

    /// The predictions of the first members.
    pub fn predict(&self, x: Rows<'_>, members: usize) -> Result<Labels> {
        match self {
            Staged::AdaBoost(model) => model.staged_predict(x, members),
            Staged::Bagging(model) => model.staged_predict(x, members),
        }
    }
}

/// The leaves of a decision tree along the path of its pruning, and its score on these rows; nothing for other models,
/// and for a tree of one leaf.
pub fn pruning(kind: &str, model: &AnyModel, x: &Matrix, truth: PictureTarget<'_>) -> Result<Vec<Figure>> {
    let (tree, classes) = match kind {
        DecisionTreeClassifierModel::KIND => {
            let model = DecisionTreeClassifierModel::from_container(model.container()?)?;
            (model.tree().clone(), model.classes().to_vec())
        }
        DecisionTreeRegressorModel::KIND => {
            (DecisionTreeRegressorModel::from_container(model.container()?)?.tree().clone(), vec![])
        }
        _ => return Ok(vec![]),
    };
    if tree.leaves() < 2 {
        return Ok(vec![]);
    }
    let mut failed = None;
    let scores = plot::along_pruning(&tree, |pruned| {
        score(pruned, &classes, x, &truth).unwrap_or_else(|error| {
            failed = Some(error);
            f64::NAN
        })
    });
    match failed {
        Some(error) => Err(error),
        None => {
            let label = if classes.is_empty() { "R²" } else { "share right" };
            let figure = plot::pruning_curves(&[(truth.rows, scores)]).title("Score along the path of pruning");
            Ok(vec![plot::pruning_path(&tree), figure.y_label(label)])
        }
    }
}

/// What is true of rows, and what they are called.
#[derive(Clone, Copy)]
pub struct PictureTarget<'a> {
    pub classes: Option<&'a Labels>,
    pub numbers: Option<&'a Matrix>,
    pub rows: &'static str,
}

/// The share of rows whose class is right, or R².
fn score(tree: &Tree, classes: &[String], x: &Matrix, truth: &PictureTarget<'_>) -> Result<f64> {
    let said = |row: usize| tree.value(tree.leaf_of(x.row(row)));
    match (truth.classes, truth.numbers) {
        (Some(labels), _) => {
            let codes = (0..x.rows()).map(|row| largest(said(row)) as u32).collect();
            metrics::accuracy(labels, &Labels::from_codes(codes, classes.to_vec())?)
        }
        (None, Some(numbers)) => {
            let values = (0..x.rows()).flat_map(|row| said(row).iter().map(|value| *value as f32)).collect();
            metrics::r2_score_columns(numbers, &Matrix::from_vec(x.rows(), numbers.columns(), values)?)
        }
        (None, None) => Ok(f64::NAN),
    }
}

/// The errors of boosting on these rows after each round, and AdaBoost's on those it was fitted on; nothing for other
/// models.
pub fn stage_errors(kind: &str, model: &AnyModel, x: &Matrix, truth: PictureTarget<'_>) -> Result<Option<Figure>> {
    let figure = Figure::new().title("Errors after each round").x_label("round");
    Ok(match kind {
        AdaBoostClassifierModel::KIND => {
            let model = AdaBoostClassifierModel::from_container(model.container()?)?;
            let figure = figure.y_label("share wrong").line("fitted rows", rounds(model.train_errors()));
            match truth.classes.filter(|_| truth.rows != "fitted rows") {
                Some(labels) => Some(figure.line(truth.rows, rounds(&ada_boost_errors(&model, x, labels)?))),
                None => Some(figure),
            }
        }
        GradientBoostingClassifierModel::KIND => {
            let Some(truth_of) = truth.classes else { return Ok(None) };
            let model = GradientBoostingClassifierModel::from_container(model.container()?)?;
            let errors = model.staged_predict(x)?.map(|said| Ok(1.0 - metrics::accuracy(truth_of, &said?)?));
            let errors = errors.collect::<Result<Vec<f64>>>()?;
            Some(figure.y_label("share wrong").line(truth.rows, rounds(&errors)))
        }
        GradientBoostingRegressorModel::KIND => {
            let Some(numbers) = truth.numbers else { return Ok(None) };
            let model = GradientBoostingRegressorModel::from_container(model.container()?)?;
            let errors = model.staged_predict(x)?.map(|said| Ok(root_mean_square(numbers, &said?)));
            let errors = errors.collect::<Result<Vec<f64>>>()?;
            Some(figure.y_label("root mean squared error").line(truth.rows, rounds(&errors)))
        }
        _ => None,
    })
}

fn rounds(errors: &[f64]) -> Vec<(f64, f64)> {
    errors.iter().enumerate().map(|(round, error)| ((round + 1) as f64, *error)).collect()
}

/// The share of rows that the first rounds of AdaBoost together have wrong, after each of them.
fn ada_boost_errors(model: &AdaBoostClassifierModel, x: &Matrix, truth: &Labels) -> Result<Vec<f64>> {
    let (mut sums, mut errors) = (vec![], vec![]);
    for (member, vote) in model.members().iter().zip(model.estimator_weights()) {
        let Prediction::Classes(said) = member.predict(x)? else { continue };
        let classes = said.classes();
        sums.resize(said.len() * classes, 0.0);
        said.codes().iter().enumerate().for_each(|(row, code)| sums[row * classes + *code as usize] += vote);
        let winners = sums.chunks_exact(classes).map(|votes| largest(votes) as u32).collect();
        errors.push(1.0 - metrics::accuracy(truth, &said.with_codes(winners)?)?);
    }
    Ok(errors)
}

fn root_mean_square(truth: &Matrix, said: &Matrix) -> f64 {
    let pairs = truth.as_slice().iter().zip(said.as_slice());
    let sum: f64 = pairs.map(|(truth, said)| (f64::from(*truth) - f64::from(*said)).powi(2)).sum();
    (sum / truth.as_slice().len().max(1) as f64).sqrt()
}

/// The place of the largest number, the first of equal ones.
fn largest(numbers: &[f64]) -> usize {
    (1..numbers.len()).fold(0, |best, at| if numbers[at] > numbers[best] { at } else { best })
}

/// What the losses that a model tells of are: the title of their picture, and its axis. AdaBoost's are errors, which
/// [`stage_errors`] shows.
pub fn loss_name(kind: &str, model: &AnyModel) -> Result<Option<(&'static str, String)>> {
    Ok(match kind {
        AdaBoostClassifierModel::KIND => None,
        GradientBoostingClassifierModel::KIND | GradientBoostingRegressorModel::KIND => {
            let name = parameter::<String>(model, "loss")?.unwrap_or_default().replace('_', " ");
            Some(("Validation loss", name))
        }
        _ => Some(("Loss", "loss".to_string())),
    })
}

/// What the Shapley values of a model add up to: the probability or the log-odds of a class, a number or its logarithm.
pub fn explained(kind: &str, model: &AnyModel, name: &str) -> Result<String> {
    Ok(match kind {
        GradientBoostingClassifierModel::KIND => match parameter(model, "loss")? {
            Some(ClassificationLoss::Exponential) => format!("half the log-odds of {name}"),
            _ => format!("the log-odds of {name}"),
        },
        GradientBoostingRegressorModel::KIND => match parameter(model, "loss")? {
            Some(RegressionLoss::Poisson) => format!("the logarithm of {name}"),
            _ => name.to_string(),
        },
        _ if !model.classes().is_empty() => format!("the probability of {name}"),
        _ => name.to_string(),
    })
}

/// A parameter that a boosting model was fitted with.
fn parameter<T: DeserializeOwned>(model: &AnyModel, name: &str) -> Result<Option<T>> {
    let container = model.container()?;
    let stored = container.raw_parameters().get("params").and_then(|params| params.get(name)).cloned();
    Ok(stored.and_then(|value| serde_json::from_value(value).ok()))
}
