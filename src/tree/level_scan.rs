//! The best division of the levels of a categorical feature into two sets, from the target cells of its bins.

use super::levels::LevelBins;
use super::split::{Node, Split};
use super::target::{Target, add_cell, take_cell};
use crate::cpu::tree::bin_set::BinSet;

/// Up to this many inhabited bins, every division is tried where no order of them is known to hold the best.
const EXACT: usize = 8;
/// Steps towards the direction in which the bins differ most.
const STEPS: usize = 16;

/// The inhabited bins of a node.
struct Bins {
    /// Their numbers and their cells, in the order in which they are tried.
    numbers: Vec<u8>,
    cells: Vec<u64>,
    missing: Vec<u64>,
}

/// A division that is the best so far.
struct Best {
    gain: f64,
    missing_left: bool,
    left: Vec<u64>,
    choice: usize,
}

/// Compares the divisions of a feature's levels with the best split so far, missing values with either side.
///
/// `cells` has the cells of some bins, and behind the first `present` of them one for missing values or none; `bin_of`
/// tells which bins they are. For two classes or one number, bins in the order of their means hold the best division at
/// one of their places (Breiman et al., "Classification and regression trees", 1984, section 4.2). For more, up to
/// eight bins are divided in every way, and more of them at the places of their order along the direction in which they
/// differ most (Coppersmith, Hong, Hosking, "Partitioning nominal attributes in decision trees", 1999). Levels that the
/// node has no row of go with the larger child.
pub(super) fn scan_levels<T: Target>(
    node: &Node<'_, T>,
    levels: &LevelBins,
    feature: u32,
    cells: &[u64],
    present: usize,
    bin_of: impl Fn(usize) -> usize,
    best: &mut Option<Split>,
) {
    let words = node.cell.len();
    let (cells, missing) = cells.split_at(present * words);
    let is_inhabited = |cell: &[u64]| cell.iter().any(|word| *word != 0);
    let missing = if is_inhabited(missing) { missing.to_vec() } else { vec![] };
    let inhabited = cells.chunks_exact(words).enumerate().filter(|(_, cell)| is_inhabited(cell));
    let (numbers, found): (Vec<u8>, Vec<&[u64]>) = inhabited.map(|(at, cell)| (bin_of(at) as u8, cell)).unzip();
    if numbers.is_empty() || numbers.len() == 1 && missing.is_empty() {
        return;
    }
    let (order, one_number) = ordered(node.target, &numbers, &found);
    let bins = Bins {
        numbers: order.iter().map(|at| numbers[*at]).collect(),
        cells: order.iter().flat_map(|at| found[*at]).copied().collect(),
        missing,
    };
    let every = !one_number && numbers.len() <= EXACT;
    let tried = if every { try_all(node, &bins) } else { try_places(node, &bins) };
    let Some(tried) = tried.filter(|tried| best.as_ref().is_none_or(|best| tried.gain > best.gain)) else { return };
    let is_left = |at: usize| if every { tried.choice >> at & 1 == 1 } else { at < tried.choice };
    let left = (0..bins.numbers.len()).filter(|at| is_left(*at)).map(|at| bins.numbers[at]).collect::<BinSet>();
    let Best { gain, missing_left, left: cell, .. } = tried;
    let (bin, threshold) = (0, 0.0);
    let mut split = Split { feature, bin, threshold, levels: Some(left), missing_left, gain, left: cell };
    node.send_absent(&mut split, levels.count(), &bins.numbers, !bins.missing.is_empty());
    *best = Some(split);
}

/// The places of the cells in the order in which they are tried, and whether that is the order of one number.
fn ordered<T: Target>(target: &T, numbers: &[u8], cells: &[&[u64]]) -> (Vec<usize>, bool) {
    let mut profiles = vec![];
    let weights: Vec<f64> = cells.iter().map(|cell| target.profile(cell, &mut profiles)).collect();
    let width = profiles.len() / cells.len();
    let keys = if width == 1 { profiles } else { along_main_direction(&weights, &mut profiles, width) };
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_unstable_by(|one, other| keys[*one].total_cmp(&keys[*other]).then(numbers[*one].cmp(&numbers[*other])));
    (order, width == 1)
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

/// Tries a division with these present values on the left, missing ones on the right and then on the left.
fn consider<T: Target>(node: &Node<'_, T>, bins: &Bins, left: &mut [u64], choice: usize, best: &mut Option<Best>) {
    for missing_left in [false, true] {
        if missing_left && bins.missing.is_empty() {
            return;
        }
        if missing_left {
            add_cell(left, &bins.missing);
        }
        if node.bounds.allow(node.target.count(left)) {
            let gain = node.target.gain(node.bounds.totals, left);
            if best.as_ref().is_none_or(|best| gain > best.gain) {
                *best = Some(Best { gain, missing_left, left: left.to_vec(), choice });
            }
        }
        if missing_left {
            take_cell(left, &bins.missing);
        }
    }
}

/// The divisions behind each bin; a choice is how many are on the left.
fn try_places<T: Target>(node: &Node<'_, T>, bins: &Bins) -> Option<Best> {
    let words = node.cell.len();
    let (mut left, mut best) = (vec![0; words], None);
    // Behind the last bin, what is present is divided from what is missing.
    for (at, cell) in bins.cells.chunks_exact(words).enumerate() {
        add_cell(&mut left, cell);
        consider(node, bins, &mut left, at + 1, &mut best);
    }
    best
}

/// Every division, the first bin on the left; a choice has a bit for each bin on the left.
fn try_all<T: Target>(node: &Node<'_, T>, bins: &Bins) -> Option<Best> {
    let words = node.cell.len();
    let (mut left, mut best) = (vec![0; words], None);
    for choice in (1..1_usize << bins.numbers.len()).step_by(2) {
        left.fill(0);
        for (at, cell) in bins.cells.chunks_exact(words).enumerate() {
            if choice >> at & 1 == 1 {
                add_cell(&mut left, cell);
            }
        }
        consider(node, bins, &mut left, choice, &mut best);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::bins::MOST_BINS;
    use super::super::criterion::Criterion;
    use super::super::levels::Levels;
    use super::super::target::{Bounds, ClassTarget, FixedWeights, Totals, Values};
    use super::*;
    use crate::array::Matrix;
    use crate::cpu::random::philox::Philox;
    use crate::tree::level_groups::Guide;

    /// The best division of `bins` levels by the scan and by trying all, missing values being one more level.
    fn compare<T: Target>(target: &T, codes: &[Option<usize>], bins: usize) -> (Option<Split>, Option<f64>) {
        let words = target.words();
        let (mut cells, mut whole, mut totals) = (vec![0; (bins + 1) * words], vec![0; words], Totals::default());
        for (row, code) in codes.iter().enumerate() {
            target.add(row, &mut cells[code.unwrap_or(bins) * words..][..words]);
            target.add(row, &mut whole);
        }
        target.totals(&whole, &mut totals);
        let bounds = Bounds { totals: &totals, count: target.count(&whole), min_samples_leaf: 1 };
        let node = Node { target, cell: &whole, bounds };
        let codes = codes.iter().map(|code| code.map_or(f32::NAN, |code| code as f32)).collect::<Vec<_>>();
        let x = Matrix::from_vec(codes.len(), 1, codes).unwrap().with_categories([0]).unwrap();
        let levels = Levels::fit(&x, None, MOST_BINS, &Guide::Columns(&[])).unwrap();
        let mut best = None;
        scan_levels(&node, levels.feature(0).unwrap(), 0, &cells, bins, |bin| bin, &mut best);
        let divisions = (0..1_usize << (bins + 1)).filter_map(|choice| {
            let mut left = vec![0; words];
            let chosen = cells.chunks_exact(words).enumerate().filter(|(at, _)| choice >> at & 1 == 1);
            chosen.for_each(|(_, cell)| add_cell(&mut left, cell));
            bounds.allow(target.count(&left)).then(|| target.gain(&totals, &left))
        });
        (best, divisions.reduce(f64::max))
    }

    fn codes(count: usize, bins: usize, missing: bool, numbers: &Philox) -> Vec<Option<usize>> {
        let code = |row: u64| match missing && numbers.below(row + 5000, 6) == 0 {
            true => None,
            false => Some(numbers.below(row + 7000, bins as u32) as usize),
        };
        (0..count as u64).map(code).collect()
    }

    fn check(found: (Option<Split>, Option<f64>), what: &str) {
        let (split, want) = found;
        let got = split.map(|split| split.gain);
        let close = |got: f64, want: f64| (got - want).abs() <= 1e-9 * want.max(1.0);
        assert!(got.zip(want).map_or(got == want, |(got, want)| close(got, want)), "{what}: {got:?} {want:?}");
    }

    #[test]
    fn levels_are_divided_by_classes_as_well_as_can_be() {
        for seed in 0..150 {
            let numbers = Philox::new(seed, 4);
            let (bins, missing, count) = (1 + seed as usize % 7, seed % 3 == 0, 10 + seed as usize % 50);
            let codes = codes(count, bins, missing, &numbers);
            for (classes, criterion) in [
                (2, Criterion::Gini),
                (2, Criterion::Entropy),
                (2, Criterion::Misclassification),
                (3, Criterion::Gini),
                (5, Criterion::Entropy),
            ] {
                let labels: Vec<u32> = (0..count as u64).map(|row| numbers.below(row, classes)).collect();
                let fixed = FixedWeights::for_classes("test", count, None).unwrap();
                let target = ClassTarget::new(&labels, classes as usize, fixed, criterion);
                check(compare(&target, &codes, bins), &format!("seed {seed}, {classes} classes, {criterion:?}"));
            }
        }
    }

    #[test]
    fn levels_are_divided_by_numbers_as_well_as_can_be() {
        for seed in 0..150 {
            let numbers = Philox::new(seed, 5);
            let (bins, missing, count) = (1 + seed as usize % 7, seed % 3 == 0, 10 + seed as usize % 50);
            let codes = codes(count, bins, missing, &numbers);
            for outputs in [1, 2] {
                let y = (0..(count * outputs) as u64).map(|at| numbers.below(at, 1000) as f32 / 7.0).collect();
                let values = Values::new("test", Matrix::from_vec(count, outputs, y).unwrap(), None).unwrap();
                check(compare(&values.target(None), &codes, bins), &format!("seed {seed}, {outputs} outputs"));
            }
        }
    }

    #[test]
    fn many_levels_of_several_classes_are_told_apart_by_their_main_direction() {
        // Levels below 20 are mostly of classes 0 and 1, the others of 2 and 3.
        let codes: Vec<Option<usize>> = (0..4000).map(|row| Some(row % 40)).collect();
        let labels: Vec<u32> = (0..4000).map(|row| u32::from(row % 40 >= 20) * 2 + (row / 40 % 2) as u32).collect();
        let fixed = FixedWeights::for_classes("test", 4000, None).unwrap();
        let target = ClassTarget::new(&labels, 4, fixed, Criterion::Gini);
        let words = target.words();
        let (mut cells, mut whole, mut totals) = (vec![0; 40 * words], vec![0; words], Totals::default());
        for (row, code) in codes.iter().enumerate() {
            target.add(row, &mut cells[code.unwrap() * words..][..words]);
            target.add(row, &mut whole);
        }
        target.totals(&whole, &mut totals);
        let bounds = Bounds { totals: &totals, count: 4000, min_samples_leaf: 1 };
        let x = Matrix::from_vec(4000, 1, codes.iter().map(|code| code.unwrap() as f32).collect()).unwrap();
        let levels = Levels::fit(&x.with_categories([0]).unwrap(), None, MOST_BINS, &Guide::Columns(&[])).unwrap();
        let (node, mut best) = (Node { target: &target, cell: &whole, bounds }, None);
        scan_levels(&node, levels.feature(0).unwrap(), 0, &cells, 40, |bin| bin, &mut best);
        let left = best.unwrap().levels.unwrap();
        assert!((1..20).all(|bin| left.contains(bin) == left.contains(0)));
        assert!((20..40).all(|bin| left.contains(bin) != left.contains(0)));
    }
}
