//! Lottery tickets: a pruned network that learns as well as the whole, if it begins where the whole began.

use super::lesson::{Lesson, Pace, Rows, code_column, score, weight_places};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::neural::Dense;
use crate::neural::network::Network;
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{Activation, OutputLoss};
use crate::plot::Figure;
use crate::solvers::UpdateRule;

/// How a lottery is played.
#[derive(Debug, Clone, PartialEq)]
pub struct LotteryOptions {
    /// Units of the hidden layers.
    pub hidden: Vec<usize>,
    /// Shares of the weights that are pruned, ascending, each from 0 to below 1: one round of training each.
    pub pruned: Vec<f64>,
    /// Steps of every training.
    pub steps: usize,
    /// Rows of a batch.
    pub batch_size: usize,
    /// Rate of Adam.
    pub learning_rate: f64,
    /// Seed of first weights and orders.
    pub seed: u64,
}

impl Default for LotteryOptions {
    fn default() -> LotteryOptions {
        let pruned = vec![0.2, 0.36, 0.5, 0.65, 0.8, 0.9, 0.95];
        LotteryOptions { hidden: vec![100], pruned, steps: 1000, batch_size: 60, learning_rate: 1.2e-3, seed: 0 }
    }
}

/// Accuracies on new rows after the same number of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct LotteryStudy {
    /// Of the whole network.
    pub dense: f64,
    /// Shares of the weights that are pruned.
    pub pruned: Vec<f64>,
    /// Of the weights that are left, from their first values.
    pub rewound: Vec<f64>,
    /// Of the same weights, from other first values.
    pub redrawn: Vec<f64>,
}

/// A classifier of relu layers.
pub(super) fn classifier(columns: usize, hidden: &[usize], classes: usize) -> Result<Network> {
    let mut network = Network::new(Shape::Flat(columns), OutputLoss::CategoricalCrossEntropy);
    for units in hidden {
        network = network.layer(Dense::new(*units, Activation::Relu).start(Start::He))?;
    }
    network.layer(Dense::new(classes, Activation::Softmax))
}

/// Trains the whole network, prunes the smallest weights of each layer, rewinds what is left to its first values, and trains
/// again, by rounds (Frankle and Carbin 2019); beside it the same mask with redrawn weights. Biases are not pruned.
pub fn lottery_study((train, test): (&Dataset, &Dataset), options: &LotteryOptions) -> Result<LotteryStudy> {
    let rising = options.pruned.windows(2).all(|pair| pair[0] < pair[1]);
    if !rising || options.pruned.iter().any(|share| !(0.0..1.0).contains(share)) {
        return Err(Error::param("pruned", "ascending shares from 0 to below 1", format!("{:?}", options.pruned)));
    }
    let network = classifier(train.x.columns(), &options.hidden, train.labels()?.classes())?;
    let (y, new) = (code_column(train)?, code_column(test)?);
    let rows = Rows { x: &train.x, y: &y, classes: true };
    let unseen = Rows { x: &test.x, y: &new, classes: true };
    let rule = UpdateRule::ADAM;
    let pace = Pace { batch: options.batch_size, rule, rate: options.learning_rate, seed: options.seed };
    let trained = |start: &[f32], mask: &[f32]| -> Result<(f64, Vec<f32>)> {
        let begun: Vec<f32> = start.iter().zip(mask).map(|(weight, kept)| weight * kept).collect();
        let mut lesson = Lesson::new(&network, &begun, rows, pace)?.masked(mask);
        lesson.steps(options.steps)?;
        let parameters = lesson.parameters()?.to_vec();
        Ok((score(&network, &parameters, unseen)?[1], parameters))
    };
    let start = network.start(options.seed);
    let other = network.start(options.seed ^ 0x5eed);
    let mut mask = vec![1.0; network.parameters()];
    let (dense, mut learnt) = trained(&start, &mask)?;
    let mut study = LotteryStudy { dense, pruned: options.pruned.clone(), rewound: vec![], redrawn: vec![] };
    for share in &options.pruned {
        prune(&network, &learnt, *share, &mut mask);
        let (accuracy, weights) = trained(&start, &mask)?;
        study.rewound.push(accuracy);
        study.redrawn.push(trained(&other, &mask)?.0);
        learnt = weights;
    }
    Ok(study)
}

/// Masks the smallest weights of each layer until this share of them is masked.
fn prune(network: &Network, weights: &[f32], share: f64, mask: &mut [f32]) {
    for mut places in weight_places(network) {
        // What is pruned stays so: it is 0 in the weights.
        places.sort_by(|a, b| (weights[*a] * mask[*a]).abs().total_cmp(&(weights[*b] * mask[*b]).abs()));
        let count = (share * places.len() as f64).round() as usize;
        places.iter().take(count).for_each(|place| mask[*place] = 0.0);
    }
}

impl LotteryStudy {
    /// Accuracies by the share that is pruned.
    pub fn figure(&self) -> Figure {
        let points = |values: &[f64]| -> Vec<(f64, f64)> {
            self.pruned.iter().zip(values).map(|(share, accuracy)| (100.0 * share, *accuracy)).collect()
        };
        let figure = Figure::new().title("Lottery tickets").x_label("% of the weights pruned").y_label("accuracy");
        let figure = figure.steps("rewound", points(&self.rewound)).steps("redrawn", points(&self.redrawn));
        figure.dashed("dense", [(0.0, self.dense), (100.0, self.dense)])
    }
}
