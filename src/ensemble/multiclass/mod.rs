//! Several classes by classifiers of two: each member tells some classes from others.

mod nested_dichotomies;
mod one_vs_one;
mod one_vs_rest;
mod output_codes;

pub use nested_dichotomies::{NestedDichotomies, NestedDichotomiesModel};
pub use one_vs_one::{OneVsOne, OneVsOneModel};
pub use one_vs_rest::{OneVsRest, OneVsRestModel, RestDecision};
pub use output_codes::{OutputCodes, OutputCodesModel};

use super::members::abilities_of;
use super::model::{Ensemble, EnsembleModel};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{Abilities, AnyEstimator, AnyModel, Fit, OwnedRows, Prediction, Rows, Task};
use crate::model_file::Container;

/// Which classes each member tells apart: 1, −1, or 0 for a class whose rows it does not see. m×k.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassCodes {
    codes: Vec<i8>,
    classes: usize,
}

impl ClassCodes {
    fn new(members: &[Vec<i8>]) -> ClassCodes {
        let classes = members.first().map_or(0, Vec::len);
        ClassCodes { codes: members.concat(), classes }
    }

    /// The sides of each member, class by class.
    fn members(&self) -> impl Iterator<Item = &[i8]> {
        self.codes.chunks_exact(self.classes.max(1))
    }

    fn store(&self, container: &mut Container) -> Result<()> {
        let members = self.codes.len() / self.classes.max(1);
        let codes: Vec<u64> = self.codes.iter().map(|code| (i64::from(*code) + 1) as u64).collect();
        container.insert("codes", &[members, self.classes], codes)
    }

    fn restore(container: &mut Container, members: usize) -> Result<ClassCodes> {
        let [found, classes] = container.shape("codes")?;
        let codes: Vec<u64> = container.take("codes", &[found, classes])?;
        if found != members || codes.iter().any(|code| *code > 2) {
            return Err(container.refuse(format!("codes of {found} members for {members}")));
        }
        Ok(ClassCodes { codes: codes.iter().map(|code| *code as i8 - 1).collect(), classes })
    }
}

/// What an ensemble of these may be given.
fn abilities(estimator: &AnyEstimator) -> Abilities {
    Abilities { sparse: estimator.abilities().sparse, ..abilities_of(std::slice::from_ref(estimator)) }
}

/// Fits a member for each line of codes, on the rows that it sees.
fn fit_codes<E: Ensemble<Fitted = ClassCodes>>(
    params: &E,
    estimator: &AnyEstimator,
    codes: ClassCodes,
    x: Rows<'_>,
    y: &Labels,
    options: Fit<'_>,
) -> Result<EnsembleModel<E>> {
    if estimator.task() != Task::Classification {
        return Err(Error::param("estimator", "a classifier", estimator.name()));
    }
    let weights = options.weights(E::TYPE, y.len())?;
    let names = vec!["other".to_string(), "own".to_string()];
    let mut members = vec![];
    options.watched("several classes", |reporter| {
        let count = codes.members().count();
        for (place, sides) in codes.members().enumerate() {
            let side = |row: &usize| sides[y.codes()[*row] as usize];
            let seen: Vec<usize> = (0..y.len()).filter(|row| side(row) != 0).collect();
            let labels = Labels::from_codes(seen.iter().map(|row| u32::from(side(row) > 0)).collect(), names.clone())?;
            let weights: Option<Vec<f32>> = weights.map(|weights| seen.iter().map(|row| weights[*row]).collect());
            let options = weights.as_ref().map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
            let target = Target::Classes(labels);
            let fitted = match seen.len() == y.len() {
                true => estimator.fit_inside(x, &target, options),
                false => estimator.fit_inside(some_rows(x, &seen)?.rows(), &target, options),
            };
            members.push(fitted.map_err(|error| error.inside(format!("member {place}")))?);
            reporter.check_stopped(place + 1, (place + 1) as f64 / count as f64)?;
        }
        Ok(())
    })?;
    EnsembleModel::new(params, members, &Target::Classes(y.clone()), codes)
}

fn some_rows(x: Rows<'_>, rows: &[usize]) -> Result<OwnedRows> {
    match x {
        Rows::Sparse(sparse) => Ok(OwnedRows::Sparse(sparse.select(rows)?)),
        _ => {
            let device = x.on_device()?.device().clone();
            Ok(OwnedRows::Device(x.on_host()?.select(rows)?.to(&device)?))
        }
    }
}

/// How sure a member is of its own side, from 0 to 1 for each row: its probability, else σ of its decision function, else
/// its vote.
fn shares(member: &AnyModel, x: Rows<'_>) -> Result<Vec<f64>> {
    if let Some(probabilities) = member.predict_proba(x)? {
        return Ok((0..probabilities.rows()).map(|row| f64::from(probabilities.get(row, 1))).collect());
    }
    if let Some(decision) = member.decision_function(x)? {
        let last = decision.columns() - 1;
        return Ok((0..decision.rows()).map(|row| 1.0 / (1.0 + (-f64::from(decision.get(row, last))).exp())).collect());
    }
    match member.predict(x)? {
        Prediction::Classes(labels) => Ok(labels.codes().iter().copied().map(f64::from).collect()),
        _ => Err(Error::param("estimator", "a classifier", "another kind of model")),
    }
}

/// The share of each member for each row, m×n.
fn all_shares<E: Ensemble>(model: &EnsembleModel<E>, x: Rows<'_>) -> Result<Vec<Vec<f64>>> {
    model.members().iter().map(|member| shares(member, x)).collect()
}

/// A matrix n×k of a function of row and class.
fn table(rows: usize, classes: usize, value: impl Fn(usize, usize) -> f64) -> Result<Matrix> {
    let values = (0..rows * classes).map(|at| value(at / classes, at % classes) as f32).collect();
    Matrix::from_vec(rows, classes, values)
}

/// Each row over its sum; even where that is 0.
fn normalised(mut values: Matrix) -> Matrix {
    let columns = values.columns().max(1);
    for row in values.as_mut_slice().chunks_exact_mut(columns) {
        let total: f32 = row.iter().sum();
        row.iter_mut().for_each(|value| *value = if total > 0.0 { *value / total } else { 1.0 / columns as f32 });
    }
    values
}

/// Makes an ensemble of declared parameters whose fit is a matrix of codes.
macro_rules! coded_ensemble {
    ($name:ident -> $model:ident, codes = $codes:expr, values = $values:expr $(, predicted = $predicted:expr)?) => {
        impl $crate::estimator::Estimator for $name {
            fn abilities(&self) -> $crate::estimator::Abilities {
                super::abilities(&self.estimator)
            }

            fn fit_rows(
                &self,
                x: $crate::estimator::Rows<'_>,
                y: &$crate::data::Labels,
                options: $crate::estimator::Fit<'_>,
            ) -> $crate::error::Result<$model> {
                let codes: Vec<Vec<i8>> = $codes(self, y.classes())?;
                super::fit_codes(self, &self.estimator, super::ClassCodes::new(&codes), x, y, options)
            }
        }

        impl $crate::ensemble::model::Ensemble for $name {
            type Output = $crate::data::Labels;
            type Fitted = super::ClassCodes;
            const SAME_CLASSES: bool = false;

            fn values(model: &$model, x: $crate::estimator::Rows<'_>) -> $crate::error::Result<$crate::array::Matrix> {
                $values(model, &super::all_shares(model, x)?, x.rows())
            }

            fn probabilities(values: $crate::array::Matrix) -> $crate::array::Matrix {
                super::normalised(values)
            }

            $(
                fn predicted(
                    model: &$model,
                    x: $crate::estimator::Rows<'_>,
                ) -> $crate::error::Result<Option<$crate::estimator::Prediction>> {
                    $predicted(model, x)
                }
            )?

            fn save(codes: &super::ClassCodes, container: &mut $crate::model_file::Container) -> $crate::error::Result<()> {
                codes.store(container)
            }

            fn load(
                &self,
                container: &mut $crate::model_file::Container,
                members: usize,
            ) -> $crate::error::Result<super::ClassCodes> {
                super::ClassCodes::restore(container, members)
            }

            fn fits(codes: &super::ClassCodes, classes: usize) -> bool {
                codes.classes == classes
            }
        }
    };
}

use coded_ensemble;
