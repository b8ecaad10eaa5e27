//! The features that a split looks at.

use crate::cpu::random::philox::philox4x32;

/// What the random numbers of this file are for: added to the seed.
const PURPOSE: u64 = 0x7472_6565_0000_0000;
/// What tells the numbers of thresholds from those of features.
const THRESHOLDS: u32 = 0x6375_7473;
/// The path of the root; that of a child is twice its parent's, and one more on the right.
pub(crate) const ROOT: u64 = 1;

/// Draws features for the nodes of a tree: which ones depends on the seed, the tree and the node's path from the root
/// alone, so it does not matter when and where a node is split. (From the 64th level on, nodes with the same last 63
/// turns share their draws.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FeatureDraw {
    key: [u32; 2],
    tree: u32,
    columns: u32,
    count: usize,
    random_cuts: bool,
}

impl FeatureDraw {
    /// `count` of `columns` features at each node.
    pub(crate) fn new(seed: u64, tree: u32, columns: usize, count: usize) -> FeatureDraw {
        let seed = seed.wrapping_add(PURPOSE);
        let key = [seed as u32, (seed >> 32) as u32];
        FeatureDraw { key, tree, columns: columns as u32, count: count.min(columns), random_cuts: false }
    }

    /// The same, and each feature gets one threshold by chance instead of the best.
    pub(crate) fn with_random_cuts(self, random_cuts: bool) -> FeatureDraw {
        FeatureDraw { random_cuts, ..self }
    }

    /// Whether thresholds are drawn.
    pub(crate) fn cuts_at_random(&self) -> bool {
        self.random_cuts
    }

    /// A number from 0 up to 1 for the threshold of a feature in a node.
    pub(crate) fn uniform(&self, path: u64, feature: u32) -> f64 {
        let key = [self.key[0], self.key[1].wrapping_add(THRESHOLDS)];
        let numbers = philox4x32([feature, path as u32, (path >> 32) as u32, self.tree], key);
        // 53 bits: what an f64 holds.
        let bits = u64::from(numbers[0]) << 21 | u64::from(numbers[1]) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }

    /// A number from 0 up to 1 for a level of a node's feature.
    pub(crate) fn uniform_of_level(&self, path: u64, feature: u32, bin: u8) -> f64 {
        let key = [self.key[0], self.key[1].wrapping_add(THRESHOLDS)];
        let numbers =
            philox4x32([feature, path as u32, (path >> 32) as u32 ^ (1 + u32::from(bin)) << 22, self.tree], key);
        f64::from(numbers[2]) / (1_u64 << 32) as f64
    }

    /// Whether every node looks at every feature.
    pub(crate) fn takes_all(&self) -> bool {
        self.count == self.columns as usize
    }

    /// Starts the draw of a node: `order` gets the features to look at, ascending.
    pub(crate) fn start(&self, path: u64, order: &mut FeatureOrder) {
        order.places.clear();
        order.places.extend(0..self.columns);
        (order.path, order.drawn) = (path, 0);
        if self.takes_all() {
            order.drawn = self.columns as usize;
        } else {
            (0..self.count).for_each(|_| self.next(order));
            order.places[..order.drawn].sort_unstable();
        }
    }

    /// Draws one more feature; there is one.
    fn next(&self, order: &mut FeatureOrder) {
        let place = order.drawn;
        if place.is_multiple_of(4) {
            let path = [order.path as u32, (order.path >> 32) as u32];
            order.numbers = philox4x32([(place / 4) as u32, path[0], path[1], self.tree], self.key);
        }
        // The high word of a product: uneven by at most d/2³².
        let left = self.columns as u64 - place as u64;
        let other = place + ((u64::from(order.numbers[place % 4]) * left) >> 32) as usize;
        order.places.swap(place, other);
        order.drawn += 1;
    }

    /// One more feature for a node that found no split, if there is one.
    pub(crate) fn another(&self, order: &mut FeatureOrder) -> Option<u32> {
        (order.drawn < order.places.len()).then(|| {
            self.next(order);
            order.places[order.drawn - 1]
        })
    }
}

/// The features of one node: those drawn, then the others. Room that is used again for the next node.
#[derive(Debug, Clone, Default)]
pub(crate) struct FeatureOrder {
    places: Vec<u32>,
    numbers: [u32; 4],
    path: u64,
    drawn: usize,
}

impl FeatureOrder {
    /// The features drawn so far.
    pub(crate) fn drawn(&self) -> &[u32] {
        &self.places[..self.drawn]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_drawn_equally_often_and_once_a_node() {
        let draw = FeatureDraw::new(7, 3, 10, 4);
        let mut order = FeatureOrder::default();
        let mut times = [0; 10];
        for node in 0..10_000 {
            draw.start(node, &mut order);
            assert!(order.drawn().len() == 4 && order.drawn().is_sorted_by(|first, second| first < second));
            order.drawn().iter().for_each(|feature| times[*feature as usize] += 1);
        }
        // 4000 expected, with a standard deviation of 49.
        assert!(times.iter().all(|times| (3755..=4245).contains(times)), "{times:?}");
    }

    #[test]
    fn a_draw_goes_on_until_all_features_were_drawn() {
        let draw = FeatureDraw::new(0, 0, 9, 2);
        let mut order = FeatureOrder::default();
        draw.start(5, &mut order);
        let mut all: Vec<u32> = order.drawn().to_vec();
        while let Some(feature) = draw.another(&mut order) {
            all.push(feature);
        }
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<u32>>());
        let draws = |draw: FeatureDraw| {
            let mut order = FeatureOrder::default();
            let mut of = |path| {
                draw.start(path, &mut order);
                order.drawn().to_vec()
            };
            (1..9).map(&mut of).collect::<Vec<_>>()
        };
        assert_eq!(draws(draw), draws(draw));
        assert_ne!(draws(draw), draws(FeatureDraw::new(0, 1, 9, 2)));
        assert_ne!(draws(draw), draws(FeatureDraw::new(1, 0, 9, 2)));
    }
}
