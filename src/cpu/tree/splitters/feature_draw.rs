//! The features that a split looks at.

use crate::cpu::random::philox::philox4x32;

/// What the random numbers of this file are for: added to the seed.
const PURPOSE: u64 = 0x7472_6565_0000_0000;
/// What tells the numbers of thresholds from those of features.
const THRESHOLDS: u32 = 0x6375_7473;
/// The path of the root.
pub const ROOT: u64 = 1;

/// The paths of a node's children: twice its own, and one more on the right.
pub fn paths_below(path: u64) -> [u64; 2] {
    let left = path.wrapping_mul(2);
    [left, left.wrapping_add(1)]
}

/// Draws features for the nodes of a tree: which ones depends on the seed, the tree and the node's path from the root
/// alone, so it does not matter when and where a node is split. (From the 64th level on, nodes with the same last 63
/// turns share their draws.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureDraw {
    key: [u32; 2],
    tree: u32,
    columns: u32,
    count: usize,
    random_cuts: bool,
    random_ties: bool,
}

impl FeatureDraw {
    /// `count` of `columns` features at each node.
    pub fn new(seed: u64, tree: u32, columns: usize, count: usize) -> FeatureDraw {
        let seed = seed.wrapping_add(PURPOSE);
        let key = [seed as u32, (seed >> 32) as u32];
        FeatureDraw {
            key,
            tree,
            columns: columns as u32,
            count: count.min(columns),
            random_cuts: false,
            random_ties: false,
        }
    }

    /// The same, and each feature gets one random threshold instead of the best.
    pub fn with_random_cuts(self, random_cuts: bool) -> FeatureDraw {
        FeatureDraw { random_cuts, ..self }
    }

    /// The same, and of equally good features a random one wins instead of the lowest.
    pub fn with_random_ties(self, random_ties: bool) -> FeatureDraw {
        FeatureDraw { random_ties, ..self }
    }

    /// The same for another tree.
    pub fn of_tree(self, tree: u32) -> FeatureDraw {
        FeatureDraw { tree, ..self }
    }

    /// Features of a node, before it goes on drawing.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether a node looks at half of the features at most.
    pub fn takes_few(&self) -> bool {
        2 * self.count <= self.columns as usize
    }

    /// Whether thresholds are drawn.
    pub fn cuts_at_random(&self) -> bool {
        self.random_cuts
    }

    /// A number from 0 up to 1 for the threshold of a feature in a node, where features have no bins.
    pub fn uniform(&self, path: u64, feature: u32) -> f64 {
        let numbers = self.threshold_numbers(path, feature);
        // 53 bits: what an f64 holds.
        let bits = u64::from(numbers[0]) << 21 | u64::from(numbers[1]) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }

    /// The same as one of so many places: the high word of a product, uneven by at most places/2³².
    pub fn place(&self, path: u64, feature: u32, places: u32) -> u32 {
        ((u64::from(self.threshold_numbers(path, feature)[0]) * u64::from(places)) >> 32) as u32
    }

    /// The side of a feature's missing values in a node.
    pub fn missing_left(&self, path: u64, feature: u32) -> bool {
        self.threshold_numbers(path, feature)[2] & 1 == 1
    }

    /// The numbers of the threshold of a feature in a node: those of its path and tree under this key.
    fn threshold_numbers(&self, path: u64, feature: u32) -> [u32; 4] {
        philox4x32([feature, path as u32, (path >> 32) as u32, self.tree], self.threshold_key())
    }

    /// The key of the numbers of thresholds.
    pub fn threshold_key(&self) -> [u32; 2] {
        [self.key[0], self.key[1].wrapping_add(THRESHOLDS)]
    }

    /// The number of the tree.
    pub fn tree(&self) -> u32 {
        self.tree
    }

    /// A number from 0 up to 1 for a category of a node's feature.
    pub fn uniform_of_category(&self, path: u64, feature: u32, bin: u8) -> f64 {
        let counter = [feature, path as u32, (path >> 32) as u32 ^ (1 + u32::from(bin)) << 22, self.tree];
        let numbers = philox4x32(counter, self.threshold_key());
        f64::from(numbers[2]) / (1_u64 << 32) as f64
    }

    /// Whether every node looks at every feature.
    pub fn takes_all(&self) -> bool {
        self.count == self.columns as usize
    }

    /// Starts the draw of a node: `order` gets the features to look at, ascending, or as drawn where ties are random.
    pub fn start(&self, path: u64, order: &mut FeatureOrder) {
        order.places.clear();
        order.places.extend(0..self.columns);
        (order.path, order.drawn) = (path, 0);
        if self.takes_all() && !self.random_ties {
            order.drawn = self.columns as usize;
            return;
        }
        (0..self.count).for_each(|_| self.next(order));
        if !self.random_ties {
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
    pub fn another(&self, order: &mut FeatureOrder) -> Option<u32> {
        (order.drawn < order.places.len()).then(|| {
            self.next(order);
            order.places[order.drawn - 1]
        })
    }
}

/// The features of one node: those drawn, then the others. Room that is used again for the next node.
#[derive(Debug, Clone, Default)]
pub struct FeatureOrder {
    places: Vec<u32>,
    numbers: [u32; 4],
    path: u64,
    drawn: usize,
}

impl FeatureOrder {
    /// The features drawn so far.
    pub fn drawn(&self) -> &[u32] {
        &self.places[..self.drawn]
    }
}
