//! The best division of the levels of a categorical feature into two sets, from the gradient cells of its bins.

use super::best_split::{Found, ROUNDING, Rules, score};
use super::bin_set::BinSet;
use super::histogram::Sums;
use super::monotone::Limit;

/// Up to this many inhabited bins, every division is tried.
const EXACT: usize = 8;
/// Is added to the Hessian of a bin before bins are put in order, so that small ones stay in the middle.
const SMOOTH: f64 = 10.0;
/// Is added to every Σ Hessian in the gain of a division of more than [`FEW`] bins: with sets to choose from, chance
/// alone finds a good one.
const L2: f64 = 10.0;
/// Bins that are divided without that.
const FEW: usize = 4;
/// Bins of the smaller set at most, where not every division is tried.
const SMALLER: usize = 32;

/// The best division of the inhabited bins in two, missing values with either; equal gains go to the first tried.
///
/// `sums` has a cell for each of `bins` bins, and behind them one for missing values or none. Bins are put in order by
/// Σg/(Σh + 10) (Fisher, "On grouping for maximum homogeneity", 1958): up to eight are divided in every way, more at a
/// place of that order. Bins that the node has no row of go with the larger child. With a limit, values stay within its
/// bounds; levels have no order, so that no direction applies.
pub fn best_level_split(
    sums: &[Sums],
    bins: usize,
    feature: u32,
    node: Sums,
    rules: &Rules,
    limit: Option<&Limit>,
) -> Option<Found> {
    let missing = sums.get(bins).copied().unwrap_or_default();
    let order = ordered(&sums[..bins], rules);
    let cells: Vec<Sums> = order.iter().map(|bin| sums[*bin as usize]).collect();
    let stricter = Rules { l2: rules.l2 + if order.len() > FEW { L2 } else { 0.0 }, ..*rules };
    let whole = score(rules, limit, node);
    let mut trial = Trial { node, missing, whole, rules: &stricter, limit, best: None };
    let (left, gain, missing_left, bins_left) = match order.len() {
        0 => return None,
        1..=EXACT => {
            try_all(&cells, &mut trial);
            let Best { left, gain, missing_left, choice } = trial.best?;
            let chosen = |place: &usize| choice >> place & 1 == 1;
            (left, gain, missing_left, (0..order.len()).filter(chosen).map(|place| order[place]).collect::<BinSet>())
        }
        _ => {
            try_places(&cells, &mut trial);
            let Best { left, gain, missing_left, choice } = trial.best?;
            (left, gain, missing_left, order[..choice].iter().copied().collect::<BinSet>())
        }
    };
    let larger_is_left = 2 * left.count >= node.count;
    let mut levels = bins_left;
    if larger_is_left {
        (0..bins).filter(|bin| sums[*bin].count == 0).for_each(|bin| levels.insert(bin as u8));
    }
    let missing_left = if missing.count == 0 { larger_is_left } else { missing_left };
    Some(Found { feature, bin: 0, levels: Some(levels), missing_left, gain, left })
}

/// The inhabited bins by what they say, the lowest Σg/(Σh + 10) first; of equal ones the lower bin.
fn ordered(sums: &[Sums], rules: &Rules) -> Vec<u8> {
    let key = |sums: &Sums| sums.gradient as f64 * rules.units[0] / (sums.hessian as f64 * rules.units[1] + SMOOTH);
    let inhabited = sums.iter().enumerate().filter(|(_, sums)| sums.count > 0);
    let mut keyed: Vec<(f64, u8)> = inhabited.map(|(bin, sums)| (key(sums), bin as u8)).collect();
    keyed.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    keyed.into_iter().map(|(_, bin)| bin).collect()
}

/// What is tried, and the best so far.
struct Trial<'a> {
    node: Sums,
    missing: Sums,
    whole: f64,
    rules: &'a Rules,
    limit: Option<&'a Limit>,
    best: Option<Best>,
}

struct Best {
    left: Sums,
    gain: f64,
    missing_left: bool,
    /// Which division it was.
    choice: usize,
}

impl Trial<'_> {
    /// A division with these present values on the left, missing ones on the right and on the left.
    #[inline(always)]
    fn consider(&mut self, left: Sums, choice: usize) {
        self.consider_one(left, choice, false);
        if self.missing.count > 0 {
            self.consider_one(left.plus(self.missing), choice, true);
        }
    }

    #[inline(always)]
    fn consider_one(&mut self, left: Sums, choice: usize, missing_left: bool) {
        let right = self.node.minus(left);
        if !(self.rules.allow(left) && self.rules.allow(right)) {
            return;
        }
        let scores = score(self.rules, self.limit, left) + score(self.rules, self.limit, right);
        let gain = scores - self.whole;
        let least = self.best.as_ref().map_or(self.rules.min_gain, |best| best.gain);
        if gain > least && gain > ROUNDING * scores {
            self.best = Some(Best { left, gain, missing_left, choice });
        }
    }
}

/// Every division, the first cell on the left; a choice has a bit for each cell on the left.
fn try_all(cells: &[Sums], trial: &mut Trial<'_>) {
    let mut subsets = [Sums::default(); 1 << EXACT];
    for choice in (1..1 << cells.len()).step_by(2) {
        // Without its highest cell it is a set that came before.
        let highest = usize::BITS - 1 - usize::leading_zeros(choice);
        let before = choice & !(1 << highest);
        subsets[choice] = subsets[before].plus(cells[highest as usize]);
        trial.consider(subsets[choice], choice);
    }
}

/// The divisions behind each cell; a choice is how many are on the left.
fn try_places(cells: &[Sums], trial: &mut Trial<'_>) {
    let mut left = Sums::default();
    for (at, cell) in cells.iter().enumerate() {
        left = left.plus(*cell);
        let count = at + 1;
        if count.min(cells.len() - count) <= SMALLER {
            trial.consider(left, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::random::philox::Philox;

    const RULES: Rules =
        Rules { units: [1e-3, 2e-4], l1: 0.0, l2: 0.5, min_hessian: 1e-3, min_count: 3, min_gain: 0.0 };

    /// Cells of some bins, one in five of them empty, and their sum.
    fn cells(bins: usize, missing: bool, seed: u64) -> (Vec<Sums>, Sums) {
        let numbers = Philox::new(seed, 1);
        let cell = |at: u64| match numbers.below(4 * at, 5) {
            0 => Sums::default(),
            _ => Sums {
                gradient: i64::from(numbers.below(4 * at + 1, 20_000)) - 10_000,
                hessian: u64::from(numbers.below(4 * at + 2, 90_000)) + 1,
                count: u64::from(numbers.below(4 * at + 3, 40)) + 1,
            },
        };
        let cells: Vec<Sums> = (0..(bins + usize::from(missing)) as u64).map(cell).collect();
        let node = cells.iter().copied().fold(Sums::default(), Sums::plus);
        (cells, node)
    }

    /// The largest gain of all divisions, the bin of missing values being one of the bins.
    fn brute_force(cells: &[Sums], node: Sums, l2: f64) -> Option<f64> {
        let stricter = Rules { l2: RULES.l2 + l2, ..RULES };
        let divisions = (0..1_usize << cells.len()).filter_map(|choice| {
            let chosen = (0..cells.len()).filter(|at| choice >> at & 1 == 1).map(|at| cells[at]);
            let left = chosen.fold(Sums::default(), Sums::plus);
            let right = node.minus(left);
            let allowed = RULES.allow(left) && RULES.allow(right);
            allowed.then(|| stricter.score(left) + stricter.score(right) - RULES.score(node))
        });
        divisions.filter(|gain| *gain > 1e-9).reduce(f64::max)
    }

    #[test]
    fn up_to_eight_levels_are_divided_as_well_as_can_be() {
        for seed in 0..400 {
            let (bins, missing) = (1 + seed as usize % 8, seed % 3 == 0);
            let (cells, node) = cells(bins, missing, seed);
            let inhabited = cells[..bins].iter().filter(|cell| cell.count > 0).count();
            let want = brute_force(&cells, node, if inhabited > FEW { L2 } else { 0.0 });
            let found = best_level_split(&cells, bins, 3, node, &RULES, None);
            assert_eq!(
                found.map(|found| (found.gain * 1e9) as i64),
                want.map(|gain| (gain * 1e9) as i64),
                "seed {seed}"
            );
            let Some(Found { levels: Some(levels), missing_left, left, feature: 3, .. }) = found else { continue };
            // The set holds what is on the left, and what the node has not goes with the larger child.
            let own = (0..bins).filter(|bin| levels.contains(*bin as u8)).map(|bin| cells[bin]);
            let sum = own.fold(Sums::default(), Sums::plus);
            let absent = if missing && missing_left { cells[bins] } else { Sums::default() };
            assert_eq!(sum.plus(absent), left, "seed {seed}");
            let unseen = (0..bins).filter(|bin| cells[*bin].count == 0);
            assert!(unseen.into_iter().all(|bin| levels.contains(bin as u8) == (2 * left.count >= node.count)));
        }
    }

    #[test]
    fn many_levels_are_divided_as_their_order_allows_whatever_their_codes_are() {
        for seed in 0..40 {
            let (cells, node) = cells(100, false, seed);
            let found = best_level_split(&cells, 100, 0, node, &RULES, None).unwrap();
            let reversed: Vec<Sums> = cells.iter().rev().copied().collect();
            let mirrored = best_level_split(&reversed, 100, 0, node, &RULES, None).unwrap();
            assert_eq!((found.gain, found.left), (mirrored.gain, mirrored.left));
            let (levels, others) = (found.levels.unwrap(), mirrored.levels.unwrap());
            assert!((0..100).all(|bin| levels.contains(bin) == others.contains(99 - bin)));
            let left = (0..100).filter(|bin| levels.contains(*bin) && cells[*bin as usize].count > 0).count();
            let right = (0..100).filter(|bin| !levels.contains(*bin) && cells[*bin as usize].count > 0).count();
            assert!(left.min(right) <= SMALLER, "{left} {right}");
        }
    }

    #[test]
    fn one_level_is_divided_from_missing_values_alone() {
        let one = Sums { gradient: 9000, hessian: 50_000, count: 20 };
        let other = Sums { gradient: -8000, hessian: 50_000, count: 30 };
        let found = best_level_split(&[one, other], 1, 0, one.plus(other), &RULES, None).unwrap();
        assert_eq!((found.left, found.missing_left, found.levels.unwrap().contains(0)), (one, false, true));
        assert!(best_level_split(&[one], 1, 0, one, &RULES, None).is_none());
        assert!(best_level_split(&[Sums::default(), one], 1, 0, one, &RULES, None).is_none());
    }
}
