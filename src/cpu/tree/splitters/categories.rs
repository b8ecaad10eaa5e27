//! The best split of the categories of a feature, from the target cells of its bins.

use super::{TargetNode, TargetSplit};
use crate::cpu::tree::category_split::{
    CategoryCells, CategoryNode, CategorySearch, EXACT, InhabitedBin, best_category_split,
};
use crate::cpu::tree::target::{TreeTarget, add_cell};

/// Steps towards the direction in which the bins differ most.
const STEPS: usize = 16;

/// Compares the splits of a feature's categories, in `bins` bins, with the best split so far, missing values with either
/// side.
///
/// `cells` has the cells of some bins, and behind the first `present` of them one for missing values or none; `bin_of`
/// tells which bins they are. For two classes or one number, bins in the order of their means hold the best split at
/// one of their places (Breiman et al., "Classification and regression trees", 1984, section 4.2). For more, up to
/// eight bins are split in every way, and more of them at the places of their order along the direction in which they
/// differ most (Coppersmith, Hong, Hosking, "Partitioning nominal attributes in decision trees", 1999).
pub fn split_categories<T: TreeTarget>(
    node: &TargetNode<'_, T>,
    feature: u32,
    bins: u16,
    (cells, present): (&[u64], usize),
    bin_of: impl Fn(usize) -> usize,
    best: &mut Option<TargetSplit>,
) {
    let words = node.cell.len();
    let (cells, missing) = cells.split_at(present * words);
    let is_inhabited = |cell: &[u64]| cell.iter().any(|word| *word != 0);
    let inhabited = cells.chunks_exact(words).enumerate().filter(|(_, cell)| is_inhabited(cell));
    let (places, found): (Vec<usize>, Vec<&[u64]>) = inhabited.unzip();
    if found.is_empty() {
        return;
    }
    let (keys, one_number) = keys(node.target, &found);
    let keyed = places.into_iter().zip(keys);
    let inhabited = keyed.map(|(place, key)| InhabitedBin { bin: bin_of(place) as u8, place, key }).collect();
    let every = !one_number && found.len() <= EXACT;
    let tried = if every { CategorySearch::All } else { CategorySearch::Places { smaller: usize::MAX } };
    let cells = TargetCategories { node, cells, missing };
    let category_node = CategoryNode { feature, bins, has_missing: is_inhabited(missing) };
    let split = best_category_split(&cells, &category_node, inhabited, tried);
    if let Some(split) = split.filter(|split| best.as_ref().is_none_or(|best| split.gain > best.gain)) {
        *best = Some(split);
    }
}

struct TargetCategories<'a, T> {
    node: &'a TargetNode<'a, T>,
    cells: &'a [u64],
    missing: &'a [u64],
}

impl<T: TreeTarget> CategoryCells for TargetCategories<'_, T> {
    type Sum = Vec<u64>;

    fn empty(&self) -> Vec<u64> {
        vec![0; self.node.cell.len()]
    }

    #[inline(always)]
    fn add(&self, place: usize, sum: &mut Vec<u64>) {
        let words = self.node.cell.len();
        add_cell(sum, &self.cells[place * words..][..words]);
    }

    #[inline(always)]
    fn add_missing(&self, sum: &mut Vec<u64>) {
        add_cell(sum, self.missing);
    }

    #[inline(always)]
    fn gain(&self, left: &Vec<u64>) -> Option<f64> {
        self.node.gain(left)
    }

    fn larger_is_left(&self, left: &Vec<u64>) -> bool {
        self.node.larger_is_left(left)
    }
}

/// What puts cells in order, and whether that is one number of each.
fn keys<T: TreeTarget>(target: &T, cells: &[&[u64]]) -> (Vec<f64>, bool) {
    let mut profiles = vec![];
    let weights: Vec<f64> = cells.iter().map(|cell| target.profile(cell, &mut profiles)).collect();
    match profiles.len() / cells.len() {
        1 => (profiles, true),
        width => (along_main_direction(&weights, &mut profiles, width), false),
    }
}

/// Where each profile lies along the first principal direction of all, by power iteration.
fn along_main_direction(weights: &[f64], profiles: &mut [f64], width: usize) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let mut mean = vec![0.0; width];
    for (weight, profile) in weights.iter().zip(profiles.chunks_exact(width)) {
        mean.iter_mut().zip(profile).for_each(|(mean, part)| *mean += weight * part / total);
    }
    for profile in profiles.chunks_exact_mut(width) {
        profile.iter_mut().zip(&mean).for_each(|(part, mean)| *part -= mean);
    }
    let along = |direction: &[f64], profile: &[f64]| direction.iter().zip(profile).map(|(d, p)| d * p).sum::<f64>();
    // From the profile that deviates most, weighted.
    let spread = |at: usize| weights[at] * along(&profiles[at * width..][..width], &profiles[at * width..][..width]);
    let farthest = (1..weights.len()).fold(0, |best, at| if spread(at) > spread(best) { at } else { best });
    let mut direction = profiles[farthest * width..][..width].to_vec();
    for _ in 0..STEPS {
        let mut next = vec![0.0; width];
        for (weight, profile) in weights.iter().zip(profiles.chunks_exact(width)) {
            let share = weight * along(&direction, profile);
            next.iter_mut().zip(profile).for_each(|(next, part)| *next += share * part);
        }
        let size = along(&next, &next).sqrt();
        if size <= 0.0 {
            break;
        }
        next.iter_mut().for_each(|part| *part /= size);
        direction = next;
    }
    profiles.chunks_exact(width).map(|profile| along(&direction, profile)).collect()
}
