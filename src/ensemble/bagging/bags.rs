//! Drawing bags of rows and columns, and fitting a model on each.

use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::data::Target;
use crate::device::Device;
use crate::ensemble::members::{numbers_of, probabilities_of, restore_members, store_members};
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

/// A fitted model and the columns it looks at; all of them if there is no list.
#[derive(Debug)]
pub(super) struct Bag {
    pub(super) model: AnyModel,
    pub(super) columns: Option<Vec<usize>>,
}

/// What fitting the bags gave.
pub(super) struct Fitted {
    pub(super) bags: Vec<Bag>,
    /// The mean of the predictions for each row by the bags without it, n×k; NaN for a row that every bag has. Only if
    /// asked for.
    pub(super) out_of_bag: Option<Matrix>,
}

impl BagRules {
    pub(super) fn check(&self, task: Task) -> Result<()> {
        if self.estimator.task() != task {
            let what = if task == Task::Classification { "a classifier" } else { "a regressor" };
            let got = self.estimator.name().to_string();
            return Err(Error::Param { name: "estimator", rule: what.to_string(), got });
        }
        if self.oob_score && !self.bootstrap && self.max_samples == 1.0 {
            let rule = "true, or max_samples below 1, for oob_score: every bag has every row".to_string();
            return Err(Error::Param { name: "bootstrap", rule, got: "false".to_string() });
        }
        Ok(())
    }

    /// Fits a model on each bag; a failure names its bag.
    pub(super) fn fit(
        &self,
        x: Rows<'_>,
        target: &Target,
        classes: Option<usize>,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Fitted> {
        let outputs = match classes {
            Some(classes) => classes,
            None => target.values()?.columns(),
        };
        let device = x.on_device()?.device().clone();
        let rows = x.on_host()?;
        let mut bags = vec![];
        let mut sums = self.oob_score.then(|| (vec![0.0_f64; rows.rows() * outputs], vec![0_u32; rows.rows()]));
        // A round of bags is fitted side by side, so that the observer gets a report and may stop.
        let side_by_side = if matches!(device, Device::Cpu) { rayon::current_num_threads().max(1) } else { 1 };
        while bags.len() < self.n_estimators {
            let round = bags.len()..self.n_estimators.min(bags.len() + side_by_side);
            let one = |bag: usize| {
                let fitted = self.fit_bag(bag, &rows, &device, target, classes, weights);
                fitted.map_err(|error| error.inside(format!("bag {bag}")))
            };
            let fitted: Vec<(Bag, Vec<usize>, Option<Matrix>)> = device.map(round, one)?;
            for (bag, left_out, said) in fitted {
                if let (Some((sums, counts)), Some(said)) = (&mut sums, said) {
                    for (place, row) in left_out.into_iter().enumerate() {
                        let terms = sums[row * outputs..][..outputs].iter_mut().zip(said.row(place));
                        terms.for_each(|(sum, value)| *sum += f64::from(*value));
                        counts[row] += 1;
                    }
                }
                bags.push(bag);
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
        Ok(Fitted { bags, out_of_bag: out_of_bag.transpose()? })
    }

    fn fit_bag(
        &self,
        bag: usize,
        x: &Matrix,
        device: &Device,
        target: &Target,
        classes: Option<usize>,
        weights: Option<&[f32]>,
    ) -> Result<(Bag, Vec<usize>, Option<Matrix>)> {
        let mut rng = HostRng::new(self.seed, STREAM.wrapping_add(bag as u32));
        // A bag of rows that do not count could not be fitted: only the others are drawn, as in forests.
        let counting = counting_rows(x.rows(), weights);
        let places = draw(&mut rng, counting.len(), self.max_samples, self.bootstrap);
        let rows: Vec<usize> = places.into_iter().map(|place| counting[place]).collect();
        let whole = self.max_features == 1.0 && !self.bootstrap_features;
        let columns = (!whole).then(|| draw(&mut rng, x.columns(), self.max_features, self.bootstrap_features));
        let seed = (rng.uniform() * f64::from(u32::MAX)) as u64;
        let estimator =
            if self.estimator.has("seed") { self.estimator.set("seed", seed.into())? } else { self.estimator.clone() };
        let drawn = take_columns(&x.select(&rows)?, columns.as_deref())?;
        let weights: Option<Vec<f32>> = weights.map(|weights| rows.iter().map(|row| weights[*row]).collect());
        let options = weights.as_ref().map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
        let model = estimator.fit(&drawn.to(device)?, &target.select(&rows)?, options)?;
        let bag = Bag { model, columns };
        if !self.oob_score {
            return Ok((bag, vec![], None));
        }
        let mut drawn = vec![false; x.rows()];
        rows.iter().for_each(|row| drawn[*row] = true);
        let left_out: Vec<usize> = (0..x.rows()).filter(|row| !drawn[*row]).collect();
        let said = match left_out.is_empty() {
            true => None,
            false => Some(bag.predict((&x.select(&left_out)?.to(device)?).into(), classes)?),
        };
        Ok((bag, left_out, said))
    }
}

impl Bag {
    /// The predictions of the bag's model for the rows of `x`: probabilities of so many classes, or numbers.
    pub(super) fn predict(&self, x: Rows<'_>, classes: Option<usize>) -> Result<Matrix> {
        let said = |x: Rows<'_>| match classes {
            Some(classes) => probabilities_of(&self.model, x, classes),
            None => numbers_of(&self.model, x),
        };
        match &self.columns {
            None => said(x),
            Some(columns) => {
                let device = x.on_device()?.device().clone();
                said((&x.on_host()?.select_columns(columns)?.to(&device)?).into())
            }
        }
    }
}

/// The rows that count.
fn counting_rows(rows: usize, weights: Option<&[f32]>) -> Vec<usize> {
    (0..rows).filter(|row| weights.is_none_or(|weights| weights[*row] > 0.0)).collect()
}

/// The rows that count and that some bag was without, by the predictions of those bags.
pub(super) fn known_rows(said: &Matrix, weights: Option<&[f32]>) -> Vec<usize> {
    let counting = counting_rows(said.rows(), weights).into_iter();
    counting.filter(|row| said.columns() > 0 && !said.get(*row, 0).is_nan()).collect()
}

/// Refuses rows of another width than the bags were fitted on: a bag of some columns would not notice.
pub(super) fn check_width(x: Rows<'_>, columns: usize) -> Result<()> {
    let found = x.on_device()?.columns();
    if found != columns {
        let expected = format!("{columns} columns, as in the data that was fitted");
        return Err(Error::Shape { op: "bagging", expected, got: format!("{found} columns") });
    }
    Ok(())
}

/// Puts bags into a container.
pub(super) fn store_bags(container: &mut Container, bags: Vec<&Bag>, columns: usize) -> Result<()> {
    container.insert("columns", &[1], vec![columns as u64])?;
    for (place, bag) in bags.iter().enumerate() {
        if let Some(columns) = &bag.columns {
            let columns: Vec<u64> = columns.iter().map(|column| *column as u64).collect();
            container.insert(&format!("columns.{place}"), &[columns.len()], columns)?;
        }
    }
    store_members(container, bags.iter().map(|bag| &bag.model))
}

/// Takes them out again, with the number of columns they were fitted on.
pub(super) fn restore_bags(container: &mut Container) -> Result<(Vec<Bag>, usize)> {
    let columns = container.take::<u64>("columns", &[1])?[0] as usize;
    let models = restore_members(container)?;
    let mut bags = vec![];
    for (place, model) in models.into_iter().enumerate() {
        let name = format!("columns.{place}");
        let chosen = match container.contains(&name) {
            false => None,
            true => {
                let [count] = container.shape(&name)?;
                let chosen: Vec<u64> = container.take(&name, &[count])?;
                if count == 0 || chosen.iter().any(|column| *column >= columns as u64) {
                    return Err(container.refuse(format!("bag {place} looks at columns that are not there")));
                }
                Some(chosen.into_iter().map(|column| column as usize).collect())
            }
        };
        bags.push(Bag { model, columns: chosen });
    }
    Ok((bags, columns))
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
