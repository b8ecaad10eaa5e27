//! The rounds: gradients, trees, scores.

use rayon::prelude::*;

use super::boosted::Boosted;
use super::leaf_refit::LeafRefit;
use super::leaves::{LeafStep, add_to_others, leaf_rows, node_sums, set_values};
use super::resident::Residency;
use super::settings::Settings;
use super::targets::BoostingTargets;
use super::validation::{EarlyStopping, ValidationRows, hold_out};
use crate::array::Matrix;
use crate::cpu::tree::RowSample;
use crate::cpu::tree::fixed_point::MAX_ROWS;
use crate::cpu::tree::gradients::Gradients;
use crate::cpu::tree::leaf_quantiles::Residuals;
use crate::cpu::tree::leaves::add_to_scores;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::Reporter;
use crate::losses::Loss;
use crate::tree::Tree;
use crate::tree::bins::{BinnedMatrix, Bins};
use crate::tree::grow::{GradientCells, grow};

/// The stream of the seed that chooses the rows of round 0; the others follow.
const SUBSAMPLE_STREAM: u32 = 0xb005_0000;
/// Rows whose scores one task looks at.
const BLOCK: usize = 1 << 14;

/// What is to be learned.
pub(super) struct BoostingProblem<'a> {
    pub x: Matrix,
    /// Where the trees are grown.
    pub device: Device,
    pub targets: BoostingTargets<'a>,
    /// How much each row counts; none if all are alike.
    pub weights: Option<Vec<f32>>,
    /// The group of each row, for a held-out part that has its share of each.
    pub groups: Vec<u32>,
    /// Validation rows that were given.
    pub validation: Option<(Matrix, BoostingTargets<'a>)>,
    /// Rounds of an earlier fit, to go on from.
    pub before: Option<&'a Boosted>,
}

/// Refuses to go on from a model of other parameters.
pub(super) fn same_parameters(same: bool) -> Result<()> {
    if same {
        return Ok(());
    }
    let rule = "fitted with the same parameters, but for n_estimators, and the same loss".to_string();
    Err(Error::param("model", rule, "a model of others"))
}

/// Boosts trees until there are enough, or the loss of the validation rows no longer falls.
pub(super) fn boost(
    mut problem: BoostingProblem<'_>,
    settings: &Settings,
    watch: &mut Reporter<'_>,
) -> Result<Boosted> {
    let x = problem.x.clone();
    if x.rows() > MAX_ROWS {
        let (need, have) = (x.rows() as u64, MAX_ROWS as u64);
        return Err(Error::Limit { what: "rows of a histogram".to_string(), need, have });
    }
    if let Some((own, _)) = problem.validation.as_ref().filter(|(own, _)| own.columns() != x.columns()) {
        let (expected, got) = (format!("{} columns of the validation rows", x.columns()), own.columns().to_string());
        return Err(Error::shape("gradient boosting", expected, got));
    }
    let directions = settings.directions(&x)?;
    let known = match problem.before {
        Some(before) => {
            before.check_width("gradient boosting", x.columns())?;
            before.categories_for(&x)?
        }
        None => None,
    };
    let held = match settings.n_iter_no_change.is_some() && problem.validation.is_none() {
        true => hold_out(&problem.groups, problem.weights.as_deref(), settings.validation_fraction, settings.seed)?,
        false => vec![],
    };
    let mut held_weights = None;
    if held.iter().any(|held| *held) {
        let weights = problem.weights.take().unwrap_or_else(|| vec![1.0; x.rows()]);
        let part = |wanted: bool| {
            weights
                .iter()
                .zip(&held)
                .map(|(weight, held)| if *held == wanted { *weight } else { 0.0 })
                .collect::<Vec<f32>>()
        };
        held_weights = Some(part(true));
        problem.weights = Some(part(false));
    }
    let weights = problem.weights.as_deref();
    let bins = match known {
        Some(known) => Bins::with_categories(&x, weights, settings.max_bins, known.clone())?,
        None => Bins::fit(&x, weights, settings.max_bins, &problem.targets.category_targets())?,
    };
    let matrix = BinnedMatrix::new(&x, &bins);
    let mut start = problem.targets.start(weights)?;
    if let Some(before) = problem.before {
        start.baseline = before.continued(start.baseline.len(), settings.n_estimators)?;
    }
    let counts = |weights: Option<&[f32]>, row: usize| weights.is_some_and(|weights| weights[row] > 0.0);
    let counts = |row: usize| weights.is_none() || counts(weights, row) || counts(held_weights.as_deref(), row);
    let scores = problem.targets.begin(&start, counts)?;
    let watched = problem.validation.map(|(x, targets)| ValidationRows::new(x, targets, &start)).transpose()?;
    if watched.is_some() || held_weights.is_some() {
        problem.targets.check_losses(&scores)?;
    }
    let baseline = start.baseline;
    let mut rounds = Rounds {
        x: &x,
        cells: GradientCells::new(
            (&matrix, &bins),
            settings.gradient_rules(),
            settings.feature_draw(x.columns()),
            directions,
            &problem.device,
        )?,
        gradients: vec![Gradients::default(); scores.len()],
        absent: problem.targets.absent(weights),
        rows: (0..x.rows() as u32).filter(|row| weights.is_none_or(|weights| weights[*row as usize] > 0.0)).collect(),
        targets: &problem.targets,
        weights,
        residency: Residency::of(&problem.device, &problem.targets),
        scores,
        settings,
        watched,
        held_weights: held_weights.as_deref(),
        held_scores: None,
    };
    let mut stopping = EarlyStopping::new(settings);
    let (mut trees, mut converged) = (vec![], false);
    for round in 0..settings.n_estimators {
        // Inside the pool: a caller outside would fall asleep and be woken for each of a tree's many small steps.
        let known = problem.before.and_then(|before| before.round(round));
        let grown = rayon::scope(|_| match known {
            Some(trees) => Ok(rounds.replay(trees)),
            None => rounds.next(round),
        })?;
        if grown.iter().all(|tree| tree.leaves() == 1) && settings.subsample == 1.0 && settings.max_features == 1.0 {
            // Nothing is left to learn: every later round would be the same.
            converged = true;
            break;
        }
        let loss = rounds.validation_loss(&grown);
        if let Some(loss) = loss.filter(|loss| !loss.is_finite()) {
            let BoostingTargets::Custom { .. } = problem.targets else {
                return Err(diverged(settings, "a loss", round));
            };
            return Err(Error::param("loss", "one whose values are finite", format!("{loss} in round {}", round + 1)));
        }
        trees.extend(grown);
        converged = loss.is_some_and(|loss| stopping.is_over(loss));
        let fraction = (round + 1) as f64 / settings.n_estimators as f64;
        // Rounds that are known are not worth a report, and cannot be ended in.
        let finishes = known.is_none() && watch.report(round + 1, loss, fraction)?;
        if finishes || converged {
            break;
        }
    }
    rounds.check_last(trees.len() / baseline.len().max(1))?;
    let kept = stopping.kept(trees.len() / baseline.len().max(1));
    trees.truncate(kept * baseline.len());
    Ok(Boosted::new(trees, baseline, x.columns(), stopping.curve, converged))
}

pub(super) struct Rounds<'a> {
    pub x: &'a Matrix,
    pub targets: &'a BoostingTargets<'a>,
    pub weights: Option<&'a [f32]>,
    pub settings: &'a Settings,
    pub cells: GradientCells<'a>,
    pub gradients: Vec<Gradients>,
    /// The scores of each output, unless they are on the device.
    pub scores: Vec<Vec<f32>>,
    pub residency: Residency,
    /// Rows that count, ascending.
    pub rows: Vec<u32>,
    /// Classes without a row.
    pub absent: Vec<bool>,
    /// Validation rows of their own.
    pub watched: Option<ValidationRows<'a>>,
    /// Or the weights of the rows that are held out, 0 for the others.
    pub held_weights: Option<&'a [f32]>,
    /// The scores of either after this round, where they come from the device.
    pub held_scores: Option<Vec<Vec<f32>>>,
}

impl Rounds<'_> {
    /// Takes in a round that is known: adds its trees to the scores, in the very steps of the fit that grew them.
    fn replay(&mut self, trees: &[Tree]) -> Vec<Tree> {
        let all: Vec<u32> = (0..self.x.rows() as u32).collect();
        for (tree, scores) in trees.iter().zip(&mut self.scores) {
            add_to_others(tree, self.x, &all, scores);
        }
        trees.to_vec()
    }

    /// The loss of the rows that are held out after a round's trees, if there are any.
    fn validation_loss(&mut self, grown: &[Tree]) -> Option<f64> {
        let from_device = self.held_scores.take();
        if let Some(watched) = &mut self.watched {
            return Some(match from_device {
                Some(scores) => watched.set_scores(scores),
                None => watched.add(grown),
            });
        }
        let weights = self.held_weights?;
        for (own, found) in self.scores.iter_mut().zip(from_device.unwrap_or_default()) {
            held_rows(weights).zip(found).for_each(|(row, score)| own[row] = score);
        }
        Some(self.targets.loss(&self.scores, Some(weights)))
    }

    /// Grows one tree for each output, and adds them to the scores.
    fn next(&mut self, round: usize) -> Result<Vec<Tree>> {
        self.move_in()?;
        if let Residency::Device(mut rows, begun) = std::mem::replace(&mut self.residency, Residency::Host) {
            let (grown, begun) = self.next_resident(round, &mut rows, begun)?;
            self.residency = Residency::Device(rows, begun);
            return Ok(grown);
        }
        let losses = self.targets.round_losses(&self.scores, self.weights, &self.rows);
        self.targets.gradients(&self.scores, self.weights, &losses, &mut self.gradients)?;
        self.check_gradients(round, &losses)?;
        for (gradients, absent) in self.gradients.iter_mut().zip(&self.absent) {
            if *absent {
                gradients.gradients.fill(0.0);
                gradients.hessians.fill(0.0);
                gradients.largest = [0.0; 2];
            }
        }
        let sample = self.sample(round).map(|sample| sample.of(&self.rows, self.x.rows()));
        let sample = sample.filter(|sample| !sample.is_empty());
        let rows = sample.as_deref().unwrap_or(&self.rows);
        let roots =
            self.cells.begin((rows, self.rows.len()), &self.gradients, (round * self.gradients.len()) as u64)?;
        let mut grown = grow(&mut self.cells, roots, &self.settings.limits())?;
        self.cells.fetch_order()?;
        let others = match rows.len() == self.x.rows() {
            true => vec![],
            false => complement(rows, self.x.rows()),
        };
        let refit = LeafRefit::new(self.targets, self.settings);
        for (at, (grown, scores)) in grown.iter_mut().zip(&mut self.scores).enumerate() {
            let fixed = self.cells.fixed(at);
            let step = LeafStep::new(self.settings, self.targets.are_logarithms());
            let sums = node_sums(grown, self.cells.order(), &self.gradients[at], fixed);
            set_values(grown, &sums, fixed, step);
            if let (Some(refit), BoostingTargets::Numbers { columns, .. }) = (refit, self.targets) {
                let residuals = Residuals::new(&columns[at], scores, self.weights);
                let delta = if let Loss::Huber { delta } = losses[at] { delta as f32 } else { 0.0 };
                let found = refit.residuals(grown, self.cells.order(), &residuals, delta);
                refit.set_values(grown, &found, &sums, fixed);
            }
            let value = |(node, rows): (usize, _)| (grown.tree.value(node as u32)[0] as f32, rows);
            let leaves: Vec<(f32, &[u32])> = leaf_rows(grown, self.cells.order()).map(value).collect();
            add_to_scores(&leaves, scores);
            add_to_others(&grown.tree, self.x, &others, scores);
        }
        self.check_scores(round)?;
        Ok(grown.into_iter().map(|grown| grown.tree).collect())
    }

    /// Refuses gradients beyond the numbers of f32, of which no tree could be made.
    pub fn check_gradients(&self, round: usize, losses: &[Loss]) -> Result<()> {
        let are_finite =
            |all: &[Gradients]| all.iter().all(|own| own.largest.iter().all(|largest| largest.is_finite()));
        if are_finite(&self.gradients) {
            return Ok(());
        }
        // Are they finite where every row weighs 1?
        let ones: Option<Vec<f32>> =
            self.weights.map(|weights| weights.iter().map(|weight| f32::from(u8::from(*weight > 0.0))).collect());
        let mut plain = vec![Gradients::default(); self.gradients.len()];
        self.targets.gradients(&self.scores, ones.as_deref(), losses, &mut plain)?;
        if !are_finite(&plain) {
            return Err(diverged(self.settings, "a gradient", round));
        }
        let rule = "small enough for a gradient times its weight to be a number of f32; divide all by a constant";
        Err(Error::param("sample_weight", rule, format!("a product beyond them in round {}", round + 1)))
    }

    /// Refuses scores beyond the numbers of f32, or of which the predictions are.
    fn check_scores(&self, round: usize) -> Result<()> {
        let most = self.largest_score();
        let counts = |row: usize| self.weights.is_none_or(|weights| weights[row] > 0.0);
        let is_wrong = |(row, score): (usize, &f32)| !(score.is_finite() && *score <= most) && counts(row);
        let any = |scores: &Vec<f32>| scores.par_iter().enumerate().with_min_len(BLOCK).any(is_wrong);
        match self.scores.iter().any(any) {
            true => Err(diverged(self.settings, "a score", round)),
            false => Ok(()),
        }
    }

    /// The largest score of which the prediction is a number.
    pub fn largest_score(&self) -> f32 {
        if self.targets.are_logarithms() { f32::MAX.ln() } else { f32::MAX }
    }

    /// The sample of a round: each row that counts is in with probability `subsample`; all if none were.
    pub fn sample(&self, round: usize) -> Option<RowSample> {
        let Settings { seed, subsample, .. } = *self.settings;
        let stream = SUBSAMPLE_STREAM.wrapping_add(round as u32);
        (subsample < 1.0).then(|| RowSample::new(seed, stream, subsample))
    }
}

/// The rows that are held out, ascending.
pub(super) fn held_rows(weights: &[f32]) -> impl Iterator<Item = usize> {
    (0..weights.len()).filter(|row| weights[*row] > 0.0)
}

/// The error of a fit whose steps grow without end.
pub(super) fn diverged(settings: &Settings, what: &str, round: usize) -> Error {
    let rule = "small enough that scores do not grow without end; or divide the targets by a constant".to_string();
    let got = format!("{}, with {what} beyond the numbers of f32 in round {}", settings.learning_rate, round + 1);
    Error::param("learning_rate", rule, got)
}

/// The rows that are not among these (ascending).
fn complement(rows: &[u32], count: usize) -> Vec<u32> {
    let mut rows = rows.iter().peekable();
    (0..count as u32).filter(|row| rows.next_if(|next| *next == row).is_none()).collect()
}
