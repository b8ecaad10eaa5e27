//! Bias and variance of an estimator, measured by fitting it many times.

use super::scoring::Predictions;
use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::data::{Dataset, Labels, Target};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{OwnedRows, Prediction, Task};
use crate::pipeline::Pipeline;

/// The random numbers of bootstrap samples.
const STREAM: u32 = 0x4256_4200;

/// The error of an estimator in parts, as means over the test rows.
///
/// **Squared loss**: `error` = `bias` + `variance` + `noise`, where bias is the squared distance of the mean prediction
/// from the truth, and variance that of single predictions from their mean.
///
/// **0-1 loss** (Domingos 2000): the main prediction of a row is what most fits say. `bias` is the share of rows whose main
/// prediction is wrong; `variance` = `unbiased_variance` − `biased_variance`: how often single fits leave a right main
/// prediction, less how often they are right where it is wrong. `error` = `bias` + `variance`; the noise stands apart,
/// as it does not simply add.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BiasVariance {
    /// Fits.
    pub fits: usize,
    /// Squared bias, or the share of biased rows.
    pub bias: f64,
    /// How much the fits differ.
    pub variance: f64,
    /// For the 0-1 loss: the part of the variance that does harm.
    pub unbiased_variance: f64,
    /// For the 0-1 loss: the part that helps.
    pub biased_variance: f64,
    /// What no model can avoid; 0 where it is not known, and then part of the bias.
    pub noise: f64,
    /// The mean loss of all fits on all rows, noise included where it is known and adds.
    pub error: f64,
}

/// What the predictions are compared with.
#[derive(Debug, Clone)]
pub enum Truth<'a> {
    /// The noiseless target of each test row, and the variance of the noise.
    Numbers {
        /// One number for each row.
        values: &'a [f64],
        /// The variance of the noise, 0 or more.
        noise_variance: f64,
    },
    /// The most probable class of each test row, and the share of rows that have another.
    Classes {
        /// One class for each row.
        labels: &'a Labels,
        /// The Bayes error, from 0 to 1.
        noise: f64,
    },
}

/// Fits the pipeline to `repeats` bootstrap samples of the training rows and compares its predictions of the test rows.
///
/// The test targets hold their noise, which is then counted as bias: [`bias_variance_by_generator`] tells them apart.
/// Fits run on all cores.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::bias_variance;
/// let (train, test) = datasets::diabetes()?.split(0.7, 1)?;
/// let tree = |depth: usize| Pipeline::new(DecisionTreeRegressor::default().max_depth(depth));
/// let (shallow, deep) = (bias_variance(&tree(1), &train, &test, 20, 0)?, bias_variance(&tree(8), &train, &test, 20, 0)?);
/// assert!(shallow.variance < deep.variance);
/// assert!((deep.error - deep.bias - deep.variance).abs() < 1e-9 * deep.error);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "bias_variance_decomp")]
pub fn bias_variance(
    pipeline: &Pipeline,
    train: &Dataset,
    test: &Dataset,
    repeats: usize,
    seed: u64,
) -> Result<BiasVariance> {
    let draw = |repeat: u64| {
        let mut rng = HostRng::new(seed.wrapping_add(repeat), STREAM);
        train.select(&(0..train.rows()).map(|_| rng.below(train.rows())).collect::<Vec<_>>())
    };
    let values;
    let truth = match &test.target {
        Target::Classes(labels) => Truth::Classes { labels, noise: 0.0 },
        _ => {
            let target = test.values()?;
            values = (0..target.rows()).map(|row| target.get_f64(row, 0)).collect::<Vec<f64>>();
            Truth::Numbers { values: &values, noise_variance: 0.0 }
        }
    };
    bias_variance_by_generator(pipeline, &draw, &test.x, &truth, repeats)
}

/// Fits the pipeline to `repeats` training sets from a known generator, `draw(0)`, `draw(1)`, …, and compares its
/// predictions of the rows `x` with the truth: bias, variance and noise apart.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::datasets::notes;
/// use gristmill::selection::{Truth, bias_variance_by_generator};
/// let test = notes::wide(1_000_000)?;
/// let values: Vec<f64> = (0..test.rows()).map(|row| notes::wide_at(test.x.row(row))).collect();
/// let truth = Truth::Numbers { values: &values, noise_variance: 1.0 };
/// let at = |alpha: f64| bias_variance_by_generator(&Pipeline::new(Ridge::new(alpha)), &notes::wide, &test.x, &truth, 20);
/// let (little, much) = (at(0.1)?, at(100.0)?);
/// assert!(little.variance > much.variance && little.bias < much.bias);
/// assert!((little.error - little.bias - little.variance - 1.0).abs() < 1e-9);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn bias_variance_by_generator(
    pipeline: &Pipeline,
    draw: &(dyn Fn(u64) -> Result<Dataset> + Sync),
    x: &Matrix,
    truth: &Truth<'_>,
    repeats: usize,
) -> Result<BiasVariance> {
    if repeats < 2 {
        return Err(Error::param("repeats", "at least 2", repeats));
    }
    let expected = match truth {
        Truth::Numbers { values, .. } => values.len(),
        Truth::Classes { labels, .. } => labels.len(),
    };
    if x.rows() != expected || x.rows() == 0 {
        return Err(Error::shape("bias_variance", format!("{} true values, one a row", x.rows()), expected));
    }
    let task = pipeline.estimator().task();
    match (truth, task) {
        (Truth::Numbers { .. }, Task::Regression) | (Truth::Classes { .. }, Task::Classification) => {}
        _ => return Err(Error::shape("bias_variance", "a target that suits the model", pipeline.estimator().name())),
    }
    let fit = |repeat: usize| -> Result<Prediction> {
        let model = pipeline.fit(&draw(repeat as u64)?)?;
        let rows = OwnedRows::on(&Device::Cpu, &Dataset::new(x.clone(), Target::None)?)?;
        Ok(Predictions::of_model(&model, rows.rows(), false)?.prediction)
    };
    let predictions = Device::Cpu.map(0..repeats, fit)?;
    match truth {
        Truth::Numbers { values, noise_variance } => squared(&predictions, values, *noise_variance),
        Truth::Classes { labels, noise } => zero_one(&predictions, labels, *noise),
    }
}

fn squared(predictions: &[Prediction], truth: &[f64], noise: f64) -> Result<BiasVariance> {
    if !(noise >= 0.0 && noise.is_finite()) {
        return Err(Error::param("noise_variance", "0 or more, and finite", noise));
    }
    let columns = predictions.iter().map(|prediction| prediction.numbers()).collect::<Result<Vec<_>>>()?;
    let (fits, rows) = (columns.len() as f64, truth.len() as f64);
    let (mut bias, mut variance, mut error) = (0.0, 0.0, 0.0);
    for (row, truth) in truth.iter().enumerate() {
        let values = || columns.iter().map(|column| column.get_f64(row, 0));
        let mean = values().sum::<f64>() / fits;
        bias += (mean - truth).powi(2);
        variance += values().map(|value| (value - mean).powi(2)).sum::<f64>() / fits;
        error += values().map(|value| (value - truth).powi(2)).sum::<f64>() / fits;
    }
    let (bias, variance, error) = (bias / rows, variance / rows, error / rows + noise);
    Ok(BiasVariance {
        fits: predictions.len(),
        bias,
        variance,
        unbiased_variance: 0.0,
        biased_variance: 0.0,
        noise,
        error,
    })
}

fn zero_one(predictions: &[Prediction], truth: &Labels, noise: f64) -> Result<BiasVariance> {
    if !(0.0..=1.0).contains(&noise) {
        return Err(Error::param("noise", "from 0 to 1", noise));
    }
    let labels = predictions.iter().map(|prediction| prediction.classes()).collect::<Result<Vec<_>>>()?;
    let (fits, rows) = (labels.len() as f64, truth.len() as f64);
    let (mut bias, mut harm, mut help) = (0.0, 0.0, 0.0);
    for row in 0..truth.len() {
        // By name: a sample may lack a class, and then its codes are others.
        let mut counts = std::collections::BTreeMap::new();
        labels.iter().for_each(|labels| *counts.entry(labels.name(row)).or_insert(0_usize) += 1);
        let (main, most) =
            counts.iter().fold(("", 0), |best, (name, count)| if *count > best.1 { (name, *count) } else { best });
        let right = counts.get(truth.name(row)).copied().unwrap_or(0);
        if main == truth.name(row) {
            harm += (fits - most as f64) / fits;
        } else {
            bias += 1.0;
            help += right as f64 / fits;
        }
    }
    let (bias, unbiased_variance, biased_variance) = (bias / rows, harm / rows, help / rows);
    let variance = unbiased_variance - biased_variance;
    let error = bias + variance;
    Ok(BiasVariance { fits: predictions.len(), bias, variance, unbiased_variance, biased_variance, noise, error })
}
