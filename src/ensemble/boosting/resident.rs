//! Rounds whose rows stay on the device: their scores, gradients and places in the trees never come back.

use super::leaf_refit::{LeafRefit, NodeResiduals};
use super::leaves::{LeafStep, set_values};
use super::rounds::{Rounds, diverged, held_rows};
use super::targets::BoostingTargets;
use crate::cpu::tree::gradients::RowLoss;
use crate::cpu::tree::leaf_quantiles::huber_unit;
use crate::device::Device;
use crate::error::Result;
use crate::losses::Loss;
use crate::ops::tree::gradients::TargetColumns;
use crate::ops::tree::leaf_quantiles::{LeafQuantiles, QuantileTask, leaf_quantiles};
use crate::ops::tree::leaves::{LeafRows, RoundChange, add_to_scores, leaf_sums, next_round};
use crate::ops::tree::other_scores::add_to_others;
use crate::ops::tree::{BoostingRows, HeldOutRows, RoundTotals};
use crate::tree::Tree;
use crate::tree::grow::{Grown, NodeSums, grow};
use crate::tree::model::flatten;

/// Where the scores of a fit are.
pub(super) enum Residency {
    /// On the host: on the CPU, or where a round needs more of them than a device gives.
    Host,
    /// They go to the device before the first round that grows trees.
    Leaving,
    /// On the device, with what is known of the next round, if it was begun there.
    Device(Box<BoostingRows>, Option<RoundTotals>),
}

impl Residency {
    /// Where a fit keeps its scores. A loss of the user's needs them in every round.
    pub fn of(device: &Device, targets: &BoostingTargets<'_>) -> Residency {
        match (device, targets) {
            (Device::Cpu, _) | (_, BoostingTargets::Custom { .. }) => Residency::Host,
            (Device::Gpu(_), BoostingTargets::Numbers { .. } | BoostingTargets::Classes { .. }) => Residency::Leaving,
        }
    }
}

/// The rows of the nodes of grown trees that are wanted.
fn rows_of(grown: &[Grown<NodeSums>], wanted: impl Fn(&Tree, usize) -> bool) -> Vec<LeafRows> {
    let mut found = vec![];
    for (tree, grown) in grown.iter().enumerate() {
        let nodes = (0..grown.tree.nodes().len()).filter(|node| wanted(&grown.tree, *node));
        let rows = |node: usize| (grown.rows[node].clone(), grown.totals[node].bounds);
        found.extend(nodes.map(rows).map(|(rows, bounds)| LeafRows { tree, rows, bounds }));
    }
    found
}

impl Rounds<'_> {
    /// Brings the scores to the device, if they are to stay there and it has room.
    pub fn move_in(&mut self) -> Result<()> {
        if !matches!(self.residency, Residency::Leaving) {
            return Ok(());
        }
        self.residency = Residency::Host;
        let targets = match self.targets {
            _ if self.absent.contains(&true) => return Ok(()),
            BoostingTargets::Numbers { columns, .. } => TargetColumns::Numbers(columns),
            BoostingTargets::Classes { classes, .. } => TargetColumns::Classes(classes),
            BoostingTargets::Custom { .. } => return Ok(()),
        };
        let (stream, _) = self.cells.growth();
        let rows = BoostingRows::new(stream, targets, self.weights, &self.scores, &self.rows)?;
        let Some(mut rows) = rows else { return Ok(()) };
        if let BoostingTargets::Numbers { losses, alpha, .. } = self.targets
            && losses.iter().any(|loss| matches!(loss, Loss::Huber { .. }))
        {
            rows.find_deltas(*alpha);
        }
        let held_out = match (&self.watched, self.held_weights) {
            (Some(watched), _) => Some(HeldOutRows::new(stream, &watched.x, &watched.scores)?),
            (None, Some(weights)) => {
                let held: Vec<usize> = held_rows(weights).collect();
                let of_held = |scores: &Vec<f32>| held.iter().map(|row| scores[*row]).collect();
                let scores: Vec<Vec<f32>> = self.scores.iter().map(of_held).collect();
                Some(HeldOutRows::new(stream, &self.x.select(&held)?, &scores)?)
            }
            (None, None) => None,
        };
        match held_out {
            Some(None) => return Ok(()),
            Some(Some(held_out)) => rows.keep_held_out(held_out),
            None => (),
        }
        if self.settings.subsample < 1.0 {
            rows.keep_values(self.x.to(stream.device())?);
        }
        self.residency = Residency::Device(Box::new(rows), None);
        Ok(())
    }

    /// Grows one tree for each output, and adds them to the scores, on the device. Returns what is known of the next round,
    /// if that was begun along with it.
    pub fn next_resident(
        &mut self,
        round: usize,
        rows: &mut BoostingRows,
        begun: Option<RoundTotals>,
    ) -> Result<(Vec<Tree>, Option<RoundTotals>)> {
        let losses: Vec<RowLoss> = match self.targets {
            BoostingTargets::Numbers { losses, .. } => losses.iter().map(|loss| loss.of_rows()).collect(),
            _ => vec![],
        };
        let [sample, next_sample] = [round, round + 1].map(|round| self.sample(round));
        let (stream, state) = self.cells.growth();
        let mut begun = match begun {
            Some(begun) => begun,
            None => {
                rows.gradients(stream, &losses)?;
                state.begin_boosting(stream, rows, sample.as_ref())?
            }
        };
        if begun.count == 0 {
            // None were drawn: it is all.
            begun = state.begin_boosting(stream, rows, None)?;
        }
        self.check_largest_scores(begun.scores, round)?;
        self.check_largest_gradients(rows, &begun.largest, round)?;
        let roots = self.cells.begin_boosting(&begun, self.rows.len(), (round * rows.outputs()) as u64);
        let mut grown = grow(&mut self.cells, roots, &self.settings.limits())?;
        let leaves = rows_of(&grown, |tree, node| tree.nodes()[node].feature.is_none());
        let step = LeafStep::new(self.settings, self.targets.are_logarithms());
        let trees: Vec<Tree> = grown.iter().map(|grown| grown.tree.clone()).collect();
        let trees = flatten(&trees);
        let refit = LeafRefit::new(self.targets, self.settings);
        let (stream, state) = self.cells.growth();
        let mut found = LeafQuantiles::default();
        let (sums, next) = match (refit, step.rules()) {
            (Some(refit), _) => {
                let nodes = rows_of(&grown, |tree, node| refit.counts(tree, node));
                let (share, with_steps) = (refit.share(), refit.with_steps());
                found = leaf_quantiles(
                    stream,
                    state,
                    rows,
                    &QuantileTask { leaves: &leaves, nodes: &nodes, share, with_steps },
                )?;
                (std::mem::take(&mut found.sums), None)
            }
            (None, Some(rules)) => {
                let change =
                    RoundChange { leaves: &leaves, rules, trees: &trees, losses: &losses, sample: next_sample };
                let end = next_round(stream, state, rows, &change)?;
                self.check_largest_scores(end.next.scores, round + 1)?;
                self.held_scores = end.held_out;
                (end.sums, Some(end.next))
            }
            (None, None) => (leaf_sums(stream, state, rows, &leaves)?, None),
        };
        let (mut quantiles, mut steps) = (found.quantiles.into_iter(), found.steps.into_iter());
        let mut sums = sums.into_iter();
        let mut values = vec![];
        for (at, grown) in grown.iter_mut().enumerate() {
            let is_leaf: Vec<bool> = grown.tree.nodes().iter().map(|node| node.feature.is_none()).collect();
            let of_node = |is_leaf: &bool| if *is_leaf { sums.next().unwrap_or_default() } else { [0; 2] };
            let of_nodes: Vec<[i64; 2]> = is_leaf.iter().map(of_node).collect();
            set_values(grown, &of_nodes, self.cells.fixed(at), step);
            if let Some(refit) = refit {
                let (nodes, largest_weight) = (refit.nodes(&grown.tree).len(), rows.largest_weight());
                let unit = huber_unit(largest_weight, begun.deltas[at]);
                let found = NodeResiduals {
                    quantiles: quantiles.by_ref().take(nodes).collect(),
                    steps: steps.by_ref().take(nodes).map(|sum| sum as f64 * unit).collect(),
                    are_weighted: largest_weight.is_some(),
                };
                refit.set_values(grown, &found, &of_nodes, self.cells.fixed(at));
            }
            let of_leaves = (0..).zip(is_leaf).filter(|(_, is_leaf)| *is_leaf);
            values.extend(of_leaves.map(|(node, _)| grown.tree.value(node)[0] as f32));
        }
        if next.is_none() {
            let (stream, state) = self.cells.growth();
            add_to_scores(stream, state, rows, &leaves, &values)?;
            add_to_others(stream, state, rows, &trees, &values)?;
            self.held_scores = rows.held_out().map(|held_out| held_out.read_scores(stream)).transpose()?;
        }
        Ok((grown.into_iter().map(|grown| grown.tree).collect(), next))
    }

    /// Refuses gradients beyond the numbers of f32: the host then looks why.
    fn check_largest_gradients(&mut self, rows: &BoostingRows, largest: &[[f32; 2]], round: usize) -> Result<()> {
        if largest.iter().flatten().all(|largest| largest.is_finite()) {
            return Ok(());
        }
        for (output, scores) in self.scores.iter_mut().enumerate() {
            *scores = rows.read_scores(self.cells.growth().0, output)?;
        }
        let losses = self.targets.round_losses(&self.scores, self.weights, &self.rows);
        self.targets.gradients(&self.scores, self.weights, &losses, &mut self.gradients)?;
        self.check_gradients(round, &losses)
    }

    /// Looks at the scores of the last round, if they are on the device; `rounds` were grown.
    pub fn check_last(&mut self, rounds: usize) -> Result<()> {
        let Residency::Device(rows, _) = &self.residency else { return Ok(()) };
        let largest = rows.largest_scores(self.cells.growth().0)?;
        self.check_largest_scores(largest, rounds)
    }

    /// Refuses scores beyond the numbers of f32, or of which the predictions are, as the round before left them.
    fn check_largest_scores(&self, [size, score]: [f32; 2], round: usize) -> Result<()> {
        match size.is_finite() && score <= self.largest_score() {
            true => Ok(()),
            false => Err(diverged(self.settings, "a score", round.saturating_sub(1))),
        }
    }
}
