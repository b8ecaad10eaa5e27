//! What ensembles share: lists of estimators, fitted members, votes.

use rayon::prelude::*;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::reduce::argmax;
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{Abilities, AnyEstimator, AnyModel, Fit, FitShape, Prediction, Rows, Task};
use crate::model_file::Container;

/// A list of estimators as JSON: a list of names or objects, or names with commas between them.
pub(super) fn read_list<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<AnyEstimator>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Array(list) => {
            let one = |(place, value): (usize, Value)| {
                let inside = |error: serde_json::Error| D::Error::custom(format!("estimators.{place}.{error}"));
                serde_json::from_value(value).map_err(inside)
            };
            list.into_iter().enumerate().map(one).collect()
        }
        Value::String(names) => {
            let one = |name: &str| serde_json::from_value(Value::String(name.trim().to_string()));
            names.split(',').map(one).collect::<std::result::Result<_, _>>().map_err(D::Error::custom)
        }
        other => Err(D::Error::custom(format!("estimators must be {LIST}, got {other}"))),
    }
}

const LIST: &str = "a list of models, such as kneighbors-classifier,decision-tree-classifier";

/// The members with this seed added to those that they have: their own still tell them apart, and 0 changes nothing.
pub(super) fn seeded(members: &[AnyEstimator], seed: u64) -> Result<Vec<AnyEstimator>> {
    let one = |member: &AnyEstimator| match member.parameters()?.get("seed").and_then(Value::as_u64) {
        Some(own) if seed != 0 => member.set("seed", own.wrapping_add(seed).into()),
        _ => Ok(member.clone()),
    };
    members.iter().map(one).collect()
}

/// What the rows of an ensemble of these may be.
pub(super) fn abilities_of(members: &[AnyEstimator]) -> Abilities {
    let categories = members.iter().all(|member| member.abilities().categories);
    let fixed_zero = members.iter().any(|member| member.abilities().fixed_zero);
    Abilities { categories, fixed_zero, ..Abilities::default() }
}

/// What the members take together, so many times; none if none of them would run on a GPU.
pub(super) fn cost_of(members: &[AnyEstimator], shape: &FitShape, times: f64) -> Option<Cost> {
    let costs: Vec<Cost> = members.iter().filter_map(|member| member.cost(shape)).collect();
    (!costs.is_empty()).then(|| costs.into_iter().sum::<Cost>() * times)
}

/// Makes the `new` of an ensemble whose `estimators` are a list.
macro_rules! new_of_estimators {
    ($name:ident, $doc:expr) => {
        impl $name {
            #[doc = $doc]
            pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> $name {
                $name { estimators: estimators.into_iter().collect(), ..$name::default() }
            }
        }
    };
}

pub(super) use new_of_estimators;

/// Refuses an empty list, and members that do something else than the ensemble.
pub(super) fn check_members(name: &'static str, members: &[AnyEstimator], task: Task) -> Result<()> {
    if members.is_empty() {
        return Err(Error::param(name, LIST.to_string(), "none"));
    }
    match members.iter().find(|member| member.task() != task) {
        Some(member) => {
            let one = if task == Task::Classification { "classifier" } else { "regressor" };
            let rule = if name.ends_with('s') { format!("{one}s") } else { format!("a {one}") };
            Err(Error::param(name, rule, member.name()))
        }
        None => Ok(()),
    }
}

/// The name of a member in messages and in files.
pub(super) fn named(place: usize, member: &AnyEstimator) -> String {
    format!("estimators.{place} ({})", member.name())
}

/// Fits each member on all rows, on all cores.
pub(super) fn fit_all(
    members: &[AnyEstimator],
    x: Rows<'_>,
    target: &Target,
    weights: Option<&[f32]>,
) -> Result<Vec<AnyModel>> {
    let rows = x.on_device()?;
    let fit = |(place, member): (usize, &AnyEstimator)| {
        let options = weights.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
        member.fit_inside(&*rows, target, options).map_err(|error| error.inside(named(place, member)))
    };
    rows.device().map(members.iter().enumerate(), fit)
}

/// The classes that a member predicts.
pub(super) fn classes_of(model: &AnyModel, x: Rows<'_>) -> Result<Labels> {
    match model.predict(x)? {
        Prediction::Classes(labels) => Ok(labels),
        _ => Err(unfit("a classifier")),
    }
}

/// The numbers that a member predicts.
pub(super) fn numbers_of(model: &AnyModel, x: Rows<'_>) -> Result<Matrix> {
    match model.predict(x)? {
        Prediction::Numbers(numbers) => Ok(numbers),
        _ => Err(unfit("a regressor")),
    }
}

/// The probabilities that a member gives; a class of its own for each row where it gives none.
pub(super) fn probabilities_of(model: &AnyModel, x: Rows<'_>, classes: usize) -> Result<Matrix> {
    let probabilities = match model.predict_proba(x)? {
        Some(probabilities) => probabilities,
        None => votes_of(model, x, classes)?,
    };
    match probabilities.columns() == classes {
        true => Ok(probabilities),
        false => Err(unfit("a classifier of the same classes")),
    }
}

/// A vote of 1 for the class that a member predicts for each row, n×k.
pub(super) fn votes_of(model: &AnyModel, x: Rows<'_>, classes: usize) -> Result<Matrix> {
    let labels = classes_of(model, x)?;
    let mut votes = Matrix::zeros(labels.len(), classes)?;
    let rows = votes.as_mut_slice().chunks_exact_mut(classes.max(1)).zip(labels.codes());
    rows.for_each(|(row, code)| row[*code as usize] = 1.0);
    Ok(votes)
}

/// The probabilities of so many classes that a member gives, or its numbers where there are none.
pub(super) fn values_of(model: &AnyModel, x: Rows<'_>, classes: Option<usize>) -> Result<Matrix> {
    match classes {
        Some(classes) => probabilities_of(model, x, classes),
        None => numbers_of(model, x),
    }
}

fn unfit(expected: &str) -> Error {
    Error::shape("ensemble", expected.to_string(), "another kind of model")
}

/// Σ of weighted matrices of one shape over the sum of the weights, added in the order of the members, in f64.
pub(super) fn weighted_mean(parts: &[Matrix], weights: Option<&[f64]>) -> Result<Matrix> {
    let first = parts.first().ok_or_else(|| unfit("a member at least"))?;
    let weight = |member: usize| weights.map_or(1.0, |weights| weights[member]);
    let total: f64 = (0..parts.len()).map(weight).sum();
    let mut mean = Matrix::zeros(first.rows(), first.columns())?;
    mean.as_mut_slice().par_iter_mut().enumerate().with_min_len(1024).for_each(|(at, mean)| {
        let terms = parts.iter().enumerate();
        let sum: f64 = terms.map(|(member, part)| weight(member) * f64::from(part.as_slice()[at])).sum();
        *mean = (sum / total) as f32;
    });
    Ok(mean)
}

/// The column with the largest number in each row, the first of equal ones, as a class.
pub(super) fn winners(names: &Labels, probabilities: &Matrix) -> Result<Labels> {
    let rows = probabilities.as_slice().chunks_exact(probabilities.columns().max(1));
    names.with_codes(rows.map(|row| argmax(row) as u32).collect())
}

/// Puts fitted members into a container.
pub(super) fn store_members<'a>(
    container: &mut Container,
    members: impl IntoIterator<Item = &'a AnyModel>,
) -> Result<()> {
    let mut count = 0_u64;
    for member in members {
        container.insert_container(&format!("member.{count}"), member.container()?)?;
        count += 1;
    }
    container.insert("members", &[1], vec![count])
}

/// Takes them out again; there is one at least.
pub(super) fn restore_members(container: &mut Container) -> Result<Vec<AnyModel>> {
    let count: Vec<u64> = container.take("members", &[1])?;
    let mut members = vec![];
    for place in 0..count[0] {
        members.push(AnyModel::from_container(container.take_container(&format!("member.{place}"))?)?);
    }
    if members.is_empty() { Err(container.refuse("it has no members")) } else { Ok(members) }
}
