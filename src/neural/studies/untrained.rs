//! A good predictor inside an untrained network.

use super::lesson::{Lesson, Pace, Rows, code_column, score, weight_places};
use super::lottery::classifier;
use crate::cpu::random::philox::Philox;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::neural::network::Network;
use crate::plot::Figure;
use crate::solvers::UpdateRule;

/// The random numbers of first scores.
const STREAM: u32 = 0x5354_2000;

/// Accuracies on new rows while a mask is sought and the weights stay as they were drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct UntrainedMask {
    /// With all weights, as they were drawn.
    pub before: f64,
    /// With the weights that the scores keep, after every tenth of the steps.
    pub accuracies: Vec<f64>,
    /// Share of the weights that are kept.
    pub kept: f64,
}

/// Finds a mask over weights that are never moved (Ramanujan et al. 2020): each weight has a score, the `kept` share of each layer
/// with the highest scores counts, and scores move by −rate·slope·weight, as if all counted. Biases stay 0.
pub fn untrained_mask_study(
    (train, test): (&Dataset, &Dataset),
    hidden: &[usize],
    (kept, steps, rate): (f64, usize, f64),
    seed: u64,
) -> Result<UntrainedMask> {
    if !(kept > 0.0 && kept < 1.0) {
        return Err(Error::param("kept", "above 0 and below 1", kept));
    }
    let network = classifier(train.x.columns(), hidden, train.labels()?.classes())?;
    let (y, new) = (code_column(train)?, code_column(test)?);
    let rows = Rows { x: &train.x, y: &y, classes: true };
    let unseen = Rows { x: &test.x, y: &new, classes: true };
    // Weights of one size, with the deviation that the share that is kept needs.
    let mut weights = network.start(seed);
    for placed in network.blocks() {
        let size = (2.0 / (placed.block.fan[0] as f64 * kept)).sqrt() as f32;
        let sized = |weight: &mut f32| *weight = if *weight == 0.0 { 0.0 } else { size.copysign(*weight) };
        weights[placed.range()].iter_mut().for_each(sized);
    }
    let before = score(&network, &weights, unseen)?[1];
    let mut scores = vec![0.0; weights.len()];
    Philox::new(seed, STREAM).fill_uniforms(0, &mut scores);
    let pace = Pace { batch: 64, rule: UpdateRule::Gradient, rate, seed };
    let mut lesson = Lesson::new(&network, &masked(&network, &weights, &scores, kept), rows, pace)?;
    let mut accuracies = vec![];
    let mut speed = vec![0.0_f32; weights.len()];
    for step in 1..=steps {
        let (_, gradient) = lesson.gradient()?;
        for (at, slope) in gradient.iter().enumerate() {
            speed[at] = 0.9 * speed[at] + slope * weights[at];
            scores[at] -= rate as f32 * speed[at];
        }
        lesson.set_parameters(&masked(&network, &weights, &scores, kept))?;
        if step % (steps / 10).max(1) == 0 {
            accuracies.push(score(&network, lesson.parameters()?, unseen)?[1]);
        }
    }
    Ok(UntrainedMask { before, accuracies, kept })
}

/// The weights of each layer with the highest scores; biases as they are.
fn masked(network: &Network, weights: &[f32], scores: &[f32], kept: f64) -> Vec<f32> {
    let mut out = weights.to_vec();
    for mut places in weight_places(network) {
        let dropped = ((1.0 - kept) * places.len() as f64).round() as usize;
        if dropped > 0 && dropped < places.len() {
            places.select_nth_unstable_by(dropped, |a, b| scores[*a].total_cmp(&scores[*b]).then(a.cmp(b)));
        }
        places.iter().take(dropped).for_each(|place| out[*place] = 0.0);
    }
    out
}

impl UntrainedMask {
    /// Accuracy by step.
    pub fn figure(&self) -> Figure {
        let points = self.accuracies.iter().enumerate().map(|(at, accuracy)| ((at + 1) as f64 / 10.0, *accuracy));
        let title = format!("{:.0} % of untrained weights", 100.0 * self.kept);
        let figure = Figure::new().title(title).x_label("share of the steps").y_label("accuracy");
        figure.steps("chosen weights", [(0.0, self.before)].into_iter().chain(points))
    }
}
