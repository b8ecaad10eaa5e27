//! Drawing bags of rows and columns, and fitting a model on each.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::data::{Labels, Target};
use crate::device::Device;
use crate::ensemble::members::values_of;
use crate::ensemble::model::{Ensemble, EnsembleModel, EnsembleTarget};
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, AnyModel, Fit, Reporter, Rows, Task};
use crate::model_file::Container;

/// The random numbers of bags; each bag has the next stream.
const STREAM: u32 = 0x4241_0000;

/// How bags are drawn.
pub(super) struct BagRules {
    pub(super) estimator: AnyEstimator,
    pub(super) n_estimators: usize,
    pub(super) max_samples: f64,
    pub(super) max_features: f64,
    pub(super) bootstrap: bool,
    pub(super) bootstrap_features: bool,
    pub(super) oob_score: bool,
    pub(super) seed: u64,
}

/// The columns that a bag looks at; all of them if there is no list.
type ChosenColumns = Option<Vec<usize>>;

/// What the fitted bags have beside their models.
#[derive(Debug)]
pub struct Bags {
    pub(super) chosen: Vec<ChosenColumns>,
    /// Columns of the rows that were fitted.
    pub(super) columns: usize,
    pub(super) oob_score: Option<f64>,
}

/// The score of rows that are known out of bag: the target, what is predicted, and which rows these are.
type KnownScore = fn(&Target, &Matrix, &[usize]) -> Result<Option<f64>>;

/// A bag's model, the columns it looks at, the rows it was without and its predictions for them.
type FittedBag = (AnyModel, ChosenColumns, Vec<usize>, Option<Matrix>);

impl BagRules {
    fn check(&self, task: Task) -> Result<()> {
        if self.estimator.task() != task {
            let what = if task == Task::Classification { "a classifier" } else { "a regressor" };
            return Err(Error::param("estimator", what, self.estimator.name()));
        }
        if self.oob_score && !self.bootstrap && self.max_samples == 1.0 {
            let rule = "true, or max_samples below 1, for oob_score: every bag has every row".to_string();
            return Err(Error::param("bootstrap", rule, "false"));
        }
        Ok(())
    }

    /// Fits a model on each bag, and scores the predictions of the bags for the rows that they are without.
    pub(super) fn fit_model<E: Ensemble<Fitted = Bags>>(
        &self,
        params: &E,
        x: Rows<'_>,
        y: impl EnsembleTarget,
        options: Fit<'_>,
        score: KnownScore,
    ) -> Result<EnsembleModel<E>> {
        self.check(E::TASK)?;
        let (target, rows) = y.owned(E::TYPE, x)?;
        let columns = x.complete_rows(E::TYPE, rows)?;
        let weights = options.weights(E::TYPE, rows)?;
        let classes = target.labels().ok().map(Labels::classes);
        let (members, chosen, out_of_bag) =
            options.watched("bagging", |reporter| self.fit(x, &target, classes, weights, reporter))?;
        let oob_score = match out_of_bag {
            Some(said) => score(&target, &said, &known_rows(&said, weights))?,
            None => None,
        };
        EnsembleModel::new(params, members, &target, Bags { chosen, columns, oob_score })
    }

    /// Fits a model on each bag; a failure names its bag. The last is the mean of the predictions for each row by
    /// the bags without it, n×k; NaN for a row that every bag has. Only if asked for.
    fn fit(
        &self,
        x: Rows<'_>,
        target: &Target,
        classes: Option<usize>,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<AnyModel>, Vec<ChosenColumns>, Option<Matrix>)> {
        let outputs = match classes {
            Some(classes) => classes,
            None => target.values()?.columns(),
        };
        let device = x.on_device()?.device().clone();
        let rows = x.on_host()?;
        let (mut bags, mut chosen) = (vec![], vec![]);
        let mut sums = self.oob_score.then(|| (vec![0.0_f64; rows.rows() * outputs], vec![0_u32; rows.rows()]));
        // A round of bags is fitted side by side, so that the observer gets a report and may stop.
        let side_by_side = if matches!(device, Device::Cpu) { rayon::current_num_threads().max(1) } else { 1 };
        while bags.len() < self.n_estimators {
            let round = bags.len()..self.n_estimators.min(bags.len() + side_by_side);
            let one = |bag: usize| {
                let fitted = self.fit_bag(bag, &rows, &device, target, classes, weights);
                fitted.map_err(|error| error.inside(format!("bag {bag}")))
            };
            let fitted: Vec<FittedBag> = device.map(round, one)?;
            for (model, columns, left_out, said) in fitted {
                if let (Some((sums, counts)), Some(said)) = (&mut sums, said) {
                    for (place, row) in left_out.into_iter().enumerate() {
                        let terms = sums[row * outputs..][..outputs].iter_mut().zip(said.row(place));
                        terms.for_each(|(sum, value)| *sum += f64::from(*value));
                        counts[row] += 1;
                    }
                }
                bags.push(model);
                chosen.push(columns);
            }
            let done = bags.len() as f64 / self.n_estimators as f64;
            if reporter.report(bags.len(), None, done)? {
                break;
            }
        }
        let out_of_bag = sums.map(|(sums, counts)| {
            let mean = |(at, sum): (usize, &f64)| (sum / f64::from(counts[at / outputs])) as f32;
            Matrix::from_vec(rows.rows(), outputs, sums.iter().enumerate().map(mean).collect())
        });
        Ok((bags, chosen, out_of_bag.transpose()?))
    }

    fn fit_bag(
        &self,
        bag: usize,
        x: &Matrix,
        device: &Device,
        target: &Target,
        classes: Option<usize>,
        weights: Option<&[f32]>,
    ) -> Result<FittedBag> {
        let mut rng = HostRng::new(self.seed, STREAM.wrapping_add(bag as u32));
        // A bag of rows that do not count could not be fitted: only the others are drawn, as in forests.
        let counting = counting_rows(x.rows(), weights);
        let places = draw(&mut rng, counting.len(), self.max_samples, self.bootstrap);
        let rows: Vec<usize> = places.into_iter().map(|place| counting[place]).collect();
        let whole = self.max_features == 1.0 && !self.bootstrap_features;
        let columns = (!whole).then(|| draw(&mut rng, x.columns(), self.max_features, self.bootstrap_features));
        let seed = (rng.uniform() * f64::from(u32::MAX)) as u64;
        // Trees that all take the lowest of equally good columns would be alike where rows are few.
        let own = [("seed", Value::from(seed)), ("ties", "random".into())];
        let mut own = own.into_iter().filter(|(name, _)| self.estimator.has(name));
        let estimator = own.try_fold(self.estimator.clone(), |one, (name, value)| one.set(name, value))?;
        let drawn = take_columns(&x.select(&rows)?, columns.as_deref())?;
        let weights: Option<Vec<f32>> = weights.map(|weights| rows.iter().map(|row| weights[*row]).collect());
        let options = weights.as_ref().map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
        let model = estimator.fit_inside(&drawn.to(device)?, &target.select(&rows)?, options)?;
        if !self.oob_score {
            return Ok((model, columns, vec![], None));
        }
        let mut drawn = vec![false; x.rows()];
        rows.iter().for_each(|row| drawn[*row] = true);
        let left_out: Vec<usize> = (0..x.rows()).filter(|row| !drawn[*row]).collect();
        let said = match left_out.is_empty() {
            true => None,
            false => {
                let rows = x.select(&left_out)?.to(device)?;
                Some(predict_of(&model, columns.as_deref(), (&rows).into(), classes)?)
            }
        };
        Ok((model, columns, left_out, said))
    }
}

/// The predictions of a bag's model for the rows of `x`, by the columns it looks at: probabilities of so many classes,
/// or numbers.
pub(super) fn predict_of(
    model: &AnyModel,
    columns: Option<&[usize]>,
    x: Rows<'_>,
    classes: Option<usize>,
) -> Result<Matrix> {
    let Some(columns) = columns else { return values_of(model, x, classes) };
    let device = x.on_device()?.device().clone();
    values_of(model, (&x.on_host()?.select_columns(columns)?.to(&device)?).into(), classes)
}

/// The rows that count.
fn counting_rows(rows: usize, weights: Option<&[f32]>) -> Vec<usize> {
    (0..rows).filter(|row| weights.is_none_or(|weights| weights[*row] > 0.0)).collect()
}

/// The rows that count and that some bag was without, by the predictions of those bags.
fn known_rows(said: &Matrix, weights: Option<&[f32]>) -> Vec<usize> {
    let counting = counting_rows(said.rows(), weights).into_iter();
    counting.filter(|row| said.columns() > 0 && !said.get(*row, 0).is_nan()).collect()
}

/// Refuses rows of another width than the bags were fitted on: a bag of some columns would not notice.
pub(super) fn check_width(x: Rows<'_>, columns: usize) -> Result<()> {
    let found = x.on_device()?.columns();
    if found != columns {
        let expected = format!("{columns} columns, as in the data that was fitted");
        return Err(Error::shape("bagging", expected, format!("{found} columns")));
    }
    Ok(())
}

#[derive(Serialize, Deserialize, PartialEq)]
struct StoredScore {
    oob_score: Option<f64>,
}

impl Bags {
    /// Puts them into a container.
    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&StoredScore { oob_score: self.oob_score })?;
        container.insert("columns", &[1], vec![self.columns as u64])?;
        for (place, columns) in self.chosen.iter().enumerate() {
            if let Some(columns) = columns {
                let columns: Vec<u64> = columns.iter().map(|column| *column as u64).collect();
                container.insert(&format!("columns.{place}"), &[columns.len()], columns)?;
            }
        }
        Ok(())
    }

    /// Takes those of so many bags out again.
    pub(super) fn restore(container: &mut Container, bags: usize) -> Result<Bags> {
        let StoredScore { oob_score } = container.fitted()?;
        let columns = container.take::<u64>("columns", &[1])?[0];
        let columns = container.size("columns", columns)?;
        let mut one = |place: usize| {
            let name = format!("columns.{place}");
            if !container.contains(&name) {
                return Ok(None);
            }
            let [count] = container.shape(&name)?;
            let chosen: Vec<u64> = container.take(&name, &[count])?;
            if count == 0 || chosen.iter().any(|column| *column >= columns as u64) {
                return Err(container.refuse(format!("bag {place} looks at columns that are not there")));
            }
            Ok(Some(chosen.into_iter().map(|column| column as usize).collect()))
        };
        Ok(Bags { chosen: (0..bags).map(&mut one).collect::<Result<_>>()?, columns, oob_score })
    }
}

/// Some of `count` things, with or without putting back; at least one. Those drawn are in ascending order.
fn draw(rng: &mut HostRng, count: usize, share: f64, with_replacement: bool) -> Vec<usize> {
    let wanted = ((share * count as f64) as usize).max(1);
    let mut drawn: Vec<usize> = match with_replacement {
        true => (0..wanted).map(|_| rng.below(count)).collect(),
        false => rng.distinct(wanted, count),
    };
    drawn.sort_unstable();
    drawn
}

fn take_columns(x: &Matrix, columns: Option<&[usize]>) -> Result<Matrix> {
    columns.map_or_else(|| Ok(x.clone()), |columns| x.select_columns(columns))
}
