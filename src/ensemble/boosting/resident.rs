//! Rounds whose rows stay on the device: their scores, gradients and places in the trees never come back.

use std::ops::Range;

use super::leaves::{LeafStep, set_values};
use super::rounds::{Rounds, diverged};
use super::settings::Settings;
use super::targets::BoostingTargets;
use crate::cpu::tree::gradients::RowLoss;
use crate::device::Device;
use crate::error::Result;
use crate::losses::Loss;
use crate::ops::tree::BoostingRows;
use crate::ops::tree::gradients::{RoundTotals, TargetColumns};
use crate::ops::tree::leaves::{LeafRows, add_to_scores, leaf_sums, next_round};
use crate::tree::Tree;
use crate::tree::grow::{NodeSums, grow};

/// Where the scores of a fit are.
pub(super) enum Residency {
    /// On the host: on the CPU, or where a round needs more of them than a device gives.
    Host,
    /// They go to the device before the first round that grows trees.
    Leaving,
    /// On the device, with what is known of the next round, if it was begun there.
    Device(BoostingRows, Option<RoundTotals>),
}

impl Residency {
    /// Where a fit keeps its scores. Losses whose leaves are refitted need the residuals of their rows, a loss of the
    /// user's and held-out rows the scores, in every round; rows that are drawn anew are drawn by the host.
    pub fn of(device: &Device, targets: &BoostingTargets<'_>, settings: &Settings, holds_out: bool) -> Residency {
        let is_for_devices = match targets {
            BoostingTargets::Numbers { losses, .. } => losses
                .iter()
                .all(|loss| matches!(loss, Loss::Squared | Loss::Poisson | Loss::Logistic | Loss::Exponential)),
            BoostingTargets::Classes { .. } => true,
            BoostingTargets::Custom { .. } => false,
        };
        match matches!(device, Device::Gpu(_)) && is_for_devices && settings.subsample == 1.0 && !holds_out {
            true => Residency::Leaving,
            false => Residency::Host,
        }
    }
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
        if let Some(rows) = BoostingRows::new(stream, targets, self.weights, &self.scores, &self.rows)? {
            self.residency = Residency::Device(rows, None);
        }
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
        let (stream, state) = self.cells.growth();
        let begun = match begun {
            Some(begun) => begun,
            None => {
                rows.gradients(stream, &losses)?;
                state.begin_boosting(stream, rows)?
            }
        };
        self.check_largest_scores(begun.scores, round)?;
        self.check_largest_gradients(rows, &begun.largest, round)?;
        let roots = self.cells.begin_boosting(&begun, self.rows.len(), (round * rows.outputs()) as u64);
        let mut grown = grow(&mut self.cells, roots, &self.settings.limits())?;
        let mut leaves = vec![];
        for (tree, grown) in grown.iter().enumerate() {
            let nodes = grown.tree.nodes().iter().zip(&grown.rows).zip(&grown.totals);
            let of_tree = nodes.filter(|((node, _), _)| node.feature.is_none());
            let leaf = |((_, rows), totals): ((_, &Range<usize>), &NodeSums)| (rows.clone(), totals.bounds);
            leaves.extend(of_tree.map(leaf).map(|(rows, bounds)| LeafRows { tree, rows, bounds }));
        }
        let step = LeafStep::new(self.settings, self.targets.are_logarithms());
        let (stream, state) = self.cells.growth();
        let (sums, next) = match step.rules() {
            Some(rules) => {
                let (sums, next) = next_round(stream, state, rows, &leaves, rules, &losses)?;
                (sums, Some(next))
            }
            None => (leaf_sums(stream, state, rows, &leaves)?, None),
        };
        let mut sums = sums.into_iter();
        let mut values = vec![];
        for (at, grown) in grown.iter_mut().enumerate() {
            let is_leaf: Vec<bool> = grown.tree.nodes().iter().map(|node| node.feature.is_none()).collect();
            let of_node = |is_leaf: &bool| if *is_leaf { sums.next().unwrap_or_default() } else { [0; 2] };
            let of_nodes: Vec<[i64; 2]> = is_leaf.iter().map(of_node).collect();
            set_values(grown, &of_nodes, self.cells.fixed(at), step);
            let of_leaves = (0..).zip(is_leaf).filter(|(_, is_leaf)| *is_leaf);
            values.extend(of_leaves.map(|(node, _)| grown.tree.value(node)[0] as f32));
        }
        if next.is_none() {
            let (stream, state) = self.cells.growth();
            add_to_scores(stream, state, rows, &leaves, &values)?;
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
        let losses = self.targets.round_losses(&self.scores, self.weights);
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
