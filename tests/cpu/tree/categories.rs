//! Splits of categories into two sets against all there are, by gradients and by targets.

use gristmill::cpu::random::philox::Philox;
use gristmill::cpu::tree::best_split::{GradientNode, GradientRules, GradientSplit, best_split};
use gristmill::cpu::tree::histogram::Histogram;
use gristmill::cpu::tree::splitters::{TargetNode, TargetSplit, split_categories};
use gristmill::cpu::tree::target::{
    ClassTarget, Criterion, FixedValues, FixedWeights, SplitBounds, TargetTotals, TreeTarget, add_cell,
};
use gristmill::cpu::tree::{FeaturePlace, GradientSums, Split};

const RULES: GradientRules =
    GradientRules { units: [1e-3, 2e-4], l1: 0.0, l2: 0.5, min_hessian: 1e-3, min_count: 3, min_gain: 0.0 };

/// Cells of some bins, one in five of them empty, and their sum.
fn cells(bins: usize, missing: bool, seed: u64) -> (Vec<GradientSums>, GradientSums) {
    let numbers = Philox::new(seed, 1);
    let cell = |at: u64| match numbers.below(4 * at, 5) {
        0 => GradientSums::default(),
        _ => GradientSums {
            gradient: i64::from(numbers.below(4 * at + 1, 20_000)) - 10_000,
            hessian: u64::from(numbers.below(4 * at + 2, 90_000)) + 1,
            count: u64::from(numbers.below(4 * at + 3, 40)) + 1,
        },
    };
    let cells: Vec<GradientSums> = (0..(bins + usize::from(missing)) as u64).map(cell).collect();
    let node = cells.iter().copied().fold(GradientSums::default(), GradientSums::plus);
    (cells, node)
}

/// Is added to every Σ Hessian in the gain of a split of more than four bins.
const L2: f64 = 10.0;
const FEW: usize = 4;
/// Bins of the smaller set at most.
const SMALLER: usize = 32;

fn allow(child: GradientSums) -> bool {
    child.count >= RULES.min_count && child.hessian as f64 * RULES.units[1] >= RULES.min_hessian
}

/// The best split of `bins` bins; behind their cells is that of missing values or none.
fn split(cells: &[GradientSums], bins: usize, feature: u32, node: GradientSums) -> Option<GradientSplit> {
    let mut histogram = Histogram::zeros(cells.len());
    cells.iter().enumerate().for_each(|(at, sums)| histogram.set(at, *sums));
    let missing = cells.len() > bins;
    let place = FeaturePlace { first: 0, bins: bins as u16, missing, categorical: true, ..FeaturePlace::default() };
    best_split(&histogram, feature, &place, &GradientNode { sums: node, rules: &RULES, limit: None })
}

/// The largest gain of all splits, the bin of missing values being one of the bins.
fn brute_force(cells: &[GradientSums], node: GradientSums, l2: f64) -> Option<f64> {
    let stricter = GradientRules { l2: RULES.l2 + l2, ..RULES };
    let splits = (0..1_usize << cells.len()).filter_map(|choice| {
        let chosen = (0..cells.len()).filter(|at| choice >> at & 1 == 1).map(|at| cells[at]);
        let left = chosen.fold(GradientSums::default(), GradientSums::plus);
        let right = node.minus(left);
        let allowed = allow(left) && allow(right);
        allowed.then(|| stricter.score(left) + stricter.score(right) - RULES.score(node))
    });
    splits.filter(|gain| *gain > 1e-9).reduce(f64::max)
}

#[test]
fn up_to_eight_categories_are_split_by_gradients_as_well_as_can_be() {
    for seed in 0..400 {
        let (bins, missing) = (1 + seed as usize % 8, seed % 3 == 0);
        let (cells, node) = cells(bins, missing, seed);
        let inhabited = cells[..bins].iter().filter(|cell| cell.count > 0).count();
        let want = brute_force(&cells, node, if inhabited > FEW { L2 } else { 0.0 });
        let found = split(&cells, bins, 3, node);
        assert_eq!(found.map(|found| (found.gain * 1e9) as i64), want.map(|gain| (gain * 1e9) as i64), "seed {seed}");
        let Some(Split { rule, left, .. }) = found else { continue };
        let (Some(categories), missing_left, 3) = (rule.categories, rule.missing_left, rule.feature) else {
            panic!("{rule:?}")
        };
        // The set holds what is on the left, and what the node has not goes with the larger child.
        let own = (0..bins).filter(|bin| categories.contains(*bin as u8)).map(|bin| cells[bin]);
        let sum = own.fold(GradientSums::default(), GradientSums::plus);
        let absent = if missing && missing_left { cells[bins] } else { GradientSums::default() };
        assert_eq!(sum.plus(absent), left, "seed {seed}");
        let unseen = (0..bins).filter(|bin| cells[*bin].count == 0);
        assert!(unseen.into_iter().all(|bin| categories.contains(bin as u8) == (2 * left.count >= node.count)));
    }
}

#[test]
fn many_categories_are_split_as_their_order_allows_whatever_their_codes_are() {
    for seed in 0..40 {
        let (cells, node) = cells(100, false, seed);
        let found = split(&cells, 100, 0, node).unwrap();
        let reversed: Vec<GradientSums> = cells.iter().rev().copied().collect();
        let mirrored = split(&reversed, 100, 0, node).unwrap();
        assert_eq!((found.gain, found.left), (mirrored.gain, mirrored.left));
        let (categories, others) = (found.rule.categories.unwrap(), mirrored.rule.categories.unwrap());
        assert!((0..100).all(|bin| categories.contains(bin) == others.contains(99 - bin)));
        let left = (0..100).filter(|bin| categories.contains(*bin) && cells[*bin as usize].count > 0).count();
        let right = (0..100).filter(|bin| !categories.contains(*bin) && cells[*bin as usize].count > 0).count();
        assert!(left.min(right) <= SMALLER, "{left} {right}");
    }
}

#[test]
fn one_category_is_split_from_missing_values_alone() {
    let one = GradientSums { gradient: 9000, hessian: 50_000, count: 20 };
    let other = GradientSums { gradient: -8000, hessian: 50_000, count: 30 };
    let found = split(&[one, other], 1, 0, one.plus(other)).unwrap();
    assert_eq!((found.left, found.rule.missing_left, found.rule.categories.unwrap().contains(0)), (one, false, true));
    assert!(split(&[one], 1, 0, one).is_none());
    assert!(split(&[GradientSums::default(), one], 1, 0, one).is_none());
}

/// The best split of `bins` categories by the search and by trying all, missing values being one more category.
fn compare<T: TreeTarget>(target: &T, codes: &[Option<usize>], bins: usize) -> (Option<TargetSplit>, Option<f64>) {
    let words = target.words();
    let (mut cells, mut whole, mut totals) = (vec![0; (bins + 1) * words], vec![0; words], TargetTotals::default());
    for (row, code) in codes.iter().enumerate() {
        target.add(row, &mut cells[code.unwrap_or(bins) * words..][..words]);
        target.add(row, &mut whole);
    }
    target.totals(&whole, &mut totals);
    let bounds = SplitBounds { totals: &totals, count: target.count(&whole), min_samples_leaf: 1 };
    let node = TargetNode { target, cell: &whole, bounds };
    let mut best = None;
    split_categories(&node, 0, bins as u16, (&cells, bins), |bin| bin, &mut best);
    let splits = (0..1_usize << (bins + 1)).filter_map(|choice| {
        let mut left = vec![0; words];
        let chosen = cells.chunks_exact(words).enumerate().filter(|(at, _)| choice >> at & 1 == 1);
        chosen.for_each(|(_, cell)| add_cell(&mut left, cell));
        bounds.allow(target.count(&left)).then(|| target.gain(&totals, &left))
    });
    (best, splits.reduce(f64::max))
}

fn codes(count: usize, bins: usize, missing: bool, numbers: &Philox) -> Vec<Option<usize>> {
    let code = |row: u64| match missing && numbers.below(row + 5000, 6) == 0 {
        true => None,
        false => Some(numbers.below(row + 7000, bins as u32) as usize),
    };
    (0..count as u64).map(code).collect()
}

fn check(found: (Option<TargetSplit>, Option<f64>), what: &str) {
    let (split, want) = found;
    let got = split.map(|split| split.gain);
    let close = |got: f64, want: f64| (got - want).abs() <= 1e-9 * want.max(1.0);
    assert!(got.zip(want).map_or(got == want, |(got, want)| close(got, want)), "{what}: {got:?} {want:?}");
}

#[test]
fn categories_are_split_by_classes_as_well_as_can_be() {
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
fn categories_are_split_by_numbers_as_well_as_can_be() {
    for seed in 0..150 {
        let numbers = Philox::new(seed, 5);
        let (bins, missing, count) = (1 + seed as usize % 7, seed % 3 == 0, 10 + seed as usize % 50);
        let codes = codes(count, bins, missing, &numbers);
        for outputs in [1, 2] {
            let y = (0..(count * outputs) as u64).map(|at| numbers.below(at, 1000) as f32 / 7.0).collect::<Vec<f32>>();
            let values = FixedValues::new("test", &y, outputs, None).unwrap();
            check(compare(&values.target(None), &codes, bins), &format!("seed {seed}, {outputs} outputs"));
        }
    }
}

#[test]
fn many_categories_of_several_classes_are_told_apart_by_their_main_direction() {
    // Categories below 20 are mostly of classes 0 and 1, the others of 2 and 3.
    let codes: Vec<Option<usize>> = (0..4000).map(|row| Some(row % 40)).collect();
    let labels: Vec<u32> = (0..4000).map(|row| u32::from(row % 40 >= 20) * 2 + (row / 40 % 2) as u32).collect();
    let fixed = FixedWeights::for_classes("test", 4000, None).unwrap();
    let target = ClassTarget::new(&labels, 4, fixed, Criterion::Gini);
    let words = target.words();
    let (mut cells, mut whole, mut totals) = (vec![0; 40 * words], vec![0; words], TargetTotals::default());
    for (row, code) in codes.iter().enumerate() {
        target.add(row, &mut cells[code.unwrap() * words..][..words]);
        target.add(row, &mut whole);
    }
    target.totals(&whole, &mut totals);
    let bounds = SplitBounds { totals: &totals, count: 4000, min_samples_leaf: 1 };
    let (node, mut best) = (TargetNode { target: &target, cell: &whole, bounds }, None);
    split_categories(&node, 0, 40, (&cells, 40), |bin| bin, &mut best);
    let left = best.unwrap().rule.categories.unwrap();
    assert!((1..20).all(|bin| left.contains(bin) == left.contains(0)));
    assert!((20..40).all(|bin| left.contains(bin) != left.contains(0)));
}
