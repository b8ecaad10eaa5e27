//! Splits at random thresholds: one for each drawn feature of a node, and the best of them (Geurts, Ernst and Wehenkel,
//! "Extremely randomized trees", 2006).

use super::exact::better;
use super::features::{FeatureDraw, FeatureOrder};
use super::sequential::Splitter;
use super::split::{Cut, Node, Split};
use super::target::Target;
use super::view::{LevelOrder, Standing, View, complete};

/// Draws one threshold a feature, uniform between the smallest and the largest value of the node, or between the
/// smallest and the largest bin that it inhabits, or a set of levels: two passes over the rows of a node for each
/// feature, and no histogram.
#[derive(Debug)]
pub(crate) struct RandomSplitter<'a> {
    view: View<'a>,
    draw: FeatureDraw,
    order: FeatureOrder,
    standings: Vec<Standing>,
}

impl<'a> RandomSplitter<'a> {
    /// Splits of these rows by features and thresholds that `draw` draws.
    pub(super) fn new(view: View<'a>, draw: FeatureDraw) -> RandomSplitter<'a> {
        RandomSplitter { view, draw, order: FeatureOrder::default(), standings: vec![] }
    }

    /// The split of a node by one feature, if the threshold drawn for it is allowed.
    fn of_feature<T: Target>(&mut self, node: &Node<'_, T>, path: u64, rows: &[u32], feature: u32) -> Option<Split> {
        self.view.standings(rows, feature, &mut self.standings)?;
        // Levels in a random order, of which a cut makes a random set.
        let key = |bin: u8| self.draw.uniform_of_level(path, feature, bin);
        let bins = self.view.level_bins(feature);
        let levels = bins.map(|bins| LevelOrder::arrange(bins, &mut self.standings, key));
        let present = || self.standings.iter().copied().filter(|standing| !standing.is_nan());
        let (low, high) = (present().fold(f32::MAX, f32::min), present().fold(f32::MIN, f32::max));
        let has_missing = self.standings.iter().any(|standing| standing.is_nan());
        let (limit, cut) = match low < high {
            true if levels.is_some() => {
                let limit = (self.draw.uniform(path, feature) * f64::from(high)).floor() as f32;
                (limit, Cut { feature, bin: 0, threshold: 0.0 })
            }
            true => self.view.random_cut(feature, low, high, self.draw.uniform(path, feature)),
            // Nothing to divide but what is present from what is missing.
            false if has_missing && low == high => (high, self.view.behind_all(feature)),
            false => return None,
        };
        let words = node.cell.len();
        let (mut left, mut missing) = (vec![0; words], vec![0; words]);
        for (row, standing) in rows.iter().zip(&self.standings) {
            if *standing <= limit {
                node.target.add(*row as usize, &mut left);
            } else if standing.is_nan() {
                node.target.add(*row as usize, &mut missing);
            }
        }
        let mut best = None;
        match has_missing {
            true => node.consider_both(&mut best, &mut left, &missing, cut),
            false => node.consider(&mut best, &left, cut, false),
        }
        let mut split: Split = best?;
        complete(node, &mut split, levels.as_ref(), limit, has_missing);
        Some(split)
    }
}

impl<T: Target> Splitter<T> for RandomSplitter<'_> {
    fn best_split(&mut self, node: &Node<'_, T>, path: u64, rows: &[u32]) -> Option<Split> {
        let (draw, mut order) = (self.draw, std::mem::take(&mut self.order));
        draw.start(path, &mut order);
        let of_feature = |best, feature: &u32| better(best, self.of_feature(node, path, rows, *feature));
        let mut best = order.drawn().iter().fold(None, of_feature);
        while best.is_none()
            && let Some(feature) = draw.another(&mut order)
        {
            best = self.of_feature(node, path, rows, feature);
        }
        self.order = order;
        best
    }

    fn partition(&mut self, split: &Split, rows: &mut [u32], scratch: &mut Vec<u32>) -> usize {
        self.view.partition::<T>(split, rows, scratch)
    }
}
