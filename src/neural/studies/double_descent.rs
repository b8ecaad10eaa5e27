//! Double descent: the test error rises to a peak where parameters meet rows, and falls again.

use nalgebra::DMatrix;

use super::lesson::{Lesson, Pace, Rows, code_column, score};
use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::Svd;
use crate::neural::Dense;
use crate::neural::network::Network;
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{Activation, OutputLoss};
use crate::plot::Figure;
use crate::solvers::UpdateRule;

/// The random numbers of features.
const STREAM: u32 = 0x5354_1000;
/// Errors of the picture are cut at this many times the lowest.
const CUT: f64 = 100.0;

/// Errors by the number of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct DoubleDescent {
    /// Rows to learn from.
    pub rows: usize,
    /// Parameters that are learnt.
    pub parameters: Vec<usize>,
    /// Mean squared error on the rows that were learnt.
    pub train: Vec<f64>,
    /// The same on new rows.
    pub test: Vec<f64>,
}

/// Least squares (the shortest solution) on so many random relu features relu(w·x + b), w and b normal, for targets ±1 by class.
/// The median over `repeats` draws of the features. O(n·p·min(n, p)) each.
pub fn random_features_study(
    (train, test): (&Dataset, &Dataset),
    features: &[usize],
    repeats: usize,
    seed: u64,
) -> Result<DoubleDescent> {
    if repeats == 0 || features.contains(&0) {
        return Err(Error::param("repeats", "at least 1, of at least one feature", repeats));
    }
    let [own, new] = [train, test].map(|data| data.labels().map(signs));
    let (own, new) = (own?, new?);
    let mut study = DoubleDescent { rows: train.x.rows(), parameters: features.to_vec(), train: vec![], test: vec![] };
    for count in features {
        let mut errors = [vec![], vec![]];
        for repeat in 0..repeats {
            let random = Philox::new(seed, STREAM.wrapping_add(repeat as u32));
            let design = |x: &Matrix| {
                let stride = x.columns() + 1;
                let weight = |feature: usize, at: usize| f64::from(random.normal((feature * stride + at) as u64));
                let sum = |row: usize, feature: usize| {
                    let weighted = x.row(row).iter().enumerate().map(|(at, x)| f64::from(*x) * weight(feature, at));
                    (weighted.sum::<f64>() + weight(feature, x.columns())).max(0.0)
                };
                DMatrix::from_fn(x.rows(), *count, sum)
            };
            let (a, b) = (design(&train.x), design(&test.x));
            let svd = Svd::factor(&a)?;
            let found = svd.least_squares(&own, 1e-12 * svd.values()[0])?;
            let error = |x: &DMatrix<f64>, y: &DMatrix<f64>| (x * &found - y).norm_squared() / y.len() as f64;
            errors[0].push(error(&a, &own));
            errors[1].push(error(&b, &new));
        }
        let [train, test] = errors.map(median);
        study.train.push(train);
        study.test.push(test);
    }
    Ok(study)
}

/// Networks of one hidden relu layer of each width, trained on the squared error of targets ±1 by full Adam steps. Parameters are
/// all weights and biases. The median over `repeats` starts. The peak shows where labels are noisy and steps are enough to learn
/// them by heart, some thousands.
pub fn trained_width_study(
    (train, test): (&Dataset, &Dataset),
    widths: &[usize],
    (steps, repeats): (usize, usize),
    seed: u64,
) -> Result<DoubleDescent> {
    if repeats == 0 {
        return Err(Error::param("repeats", "at least 1", repeats));
    }
    let signed = |data: &Dataset| -> Result<Matrix> {
        let codes = code_column(data)?;
        Matrix::from_vec(
            codes.rows(),
            1,
            codes.as_slice().iter().map(|code| if *code > 0.0 { 1.0 } else { -1.0 }).collect(),
        )
    };
    let (own, new) = (signed(train)?, signed(test)?);
    let (own, new) = (Rows { x: &train.x, y: &own, classes: false }, Rows { x: &test.x, y: &new, classes: false });
    let d = train.x.columns();
    let parameters = widths.iter().map(|width| (d + 2) * width + 1).collect();
    let mut study = DoubleDescent { rows: train.x.rows(), parameters, train: vec![], test: vec![] };
    for width in widths {
        let network = Network::new(Shape::Flat(d), OutputLoss::Squared)
            .layer(Dense::new(*width, Activation::Relu).start(Start::He))?
            .layer(Dense::new(1, Activation::Identity))?;
        let rule = UpdateRule::ADAM;
        let mut errors = [vec![], vec![]];
        for repeat in 0..repeats {
            let seed = seed.wrapping_add(repeat as u64);
            let pace = Pace { batch: train.x.rows(), rule, rate: 0.01, seed };
            let mut lesson = Lesson::new(&network, &network.start(seed), own, pace)?;
            lesson.steps(steps)?;
            for (errors, rows) in errors.iter_mut().zip([own, new]) {
                errors.push(score(&network, lesson.parameters()?, rows)?[1]);
            }
        }
        let [train, test] = errors.map(median);
        study.train.push(train);
        study.test.push(test);
    }
    Ok(study)
}

fn signs(labels: &crate::data::Labels) -> DMatrix<f64> {
    let sign = |code: &u32| if *code > 0 { 1.0 } else { -1.0 };
    DMatrix::from_iterator(labels.len(), 1, labels.codes().iter().map(sign))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl DoubleDescent {
    /// The number of parameters with the largest test error.
    pub fn peak(&self) -> usize {
        let best = (1..self.test.len()).fold(0, |best, at| if self.test[at] > self.test[best] { at } else { best });
        self.parameters.get(best).copied().unwrap_or(0)
    }

    /// Both errors by the number of parameters; the dashed line is where there are as many as rows.
    pub fn figure(&self) -> Result<Figure> {
        let lowest = self.test.iter().copied().fold(f64::INFINITY, f64::min);
        let top = self.test.iter().copied().fold(0.0, f64::max).min(CUT * lowest).max(f64::MIN_POSITIVE);
        let points = |values: &[f64]| -> Vec<(f64, f64)> {
            self.parameters.iter().zip(values).map(|(count, error)| (*count as f64, error.min(top))).collect()
        };
        let figure = Figure::new().title("Double descent").x_label("parameters").y_label("mean squared error");
        let figure = figure.logarithmic_x().line("new rows", points(&self.test)).line("training", points(&self.train));
        Ok(figure.dashed("", [(self.rows as f64, 0.0), (self.rows as f64, top)]))
    }
}
