//! Sums of absolute deviations from a median that moves as numbers come in.

/// Numbers with weights, of which some are in: a Fenwick tree over their ranks. All sums are whole, so that they do not
/// depend on the order in which numbers came.
#[derive(Debug, Clone, Default)]
pub(super) struct RankedSums {
    /// The numbers in ascending order, and the weight of each.
    values: Vec<i64>,
    weights: Vec<u64>,
    /// The rank of each number in the order in which they were given.
    ranks: Vec<u32>,
    /// For each rank from 1 on, the weight and the weighted sum of the ranks that it stands for.
    tree: Vec<(u64, i64)>,
    weight: u64,
    sum: i64,
}

impl RankedSums {
    /// Ranks these numbers; none of them is in yet.
    pub(super) fn rank(&mut self, numbers: impl Iterator<Item = (i64, u64)>) {
        let numbers: Vec<(i64, u64)> = numbers.collect();
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        order.sort_unstable_by_key(|place| (numbers[*place as usize].0, *place));
        (self.values, self.weights) = order.iter().map(|place| numbers[*place as usize]).unzip();
        self.ranks.clear();
        self.ranks.resize(numbers.len(), 0);
        order.iter().enumerate().for_each(|(rank, place)| self.ranks[*place as usize] = rank as u32);
        self.clear();
    }

    /// Takes all numbers out.
    pub(super) fn clear(&mut self) {
        self.tree.clear();
        self.tree.resize(self.values.len() + 1, (0, 0));
        (self.weight, self.sum) = (0, 0);
    }

    /// Lets the number of a place in.
    pub(super) fn insert(&mut self, place: usize) {
        let rank = self.ranks[place] as usize;
        let weight = self.weights[rank];
        let product = self.values[rank].wrapping_mul(weight as i64);
        self.weight += weight;
        self.sum = self.sum.wrapping_add(product);
        let mut at = rank + 1;
        while at < self.tree.len() {
            let (weights, sums) = &mut self.tree[at];
            *weights += weight;
            *sums = sums.wrapping_add(product);
            at += at & at.wrapping_neg();
        }
    }

    /// Σ w·|y − median| over the numbers that are in.
    pub(super) fn absolute_deviation(&self) -> i128 {
        if self.weight == 0 {
            return 0;
        }
        // The lowest rank up to which half of the weight is: everything below weighs less than half.
        let (mut below, mut below_sum, mut at) = (0_u64, 0_i64, 0_usize);
        let mut step = self.values.len().next_power_of_two();
        while step > 0 {
            if let Some((weight, sum)) = self.tree.get(at + step)
                && 2 * (below + weight) < self.weight
            {
                (below, below_sum, at) = (below + weight, below_sum.wrapping_add(*sum), at + step);
            }
            step /= 2;
        }
        let median = i128::from(self.values[at]);
        let (above, above_sum) = (self.weight - below, self.sum.wrapping_sub(below_sum));
        i128::from(above_sum) - median * i128::from(above) + median * i128::from(below) - i128::from(below_sum)
    }
}

/// The weighted median of numbers: the mean of the two in the middle where exactly half of the weight is on each side.
pub(super) fn weighted_median(numbers: &mut [(f32, u64)]) -> f64 {
    numbers.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let total: u64 = numbers.iter().map(|(_, weight)| weight).sum();
    let mut below = 0;
    for (at, (number, weight)) in numbers.iter().enumerate() {
        below += weight;
        if 2 * below == total
            && let Some((next, _)) = numbers.get(at + 1)
        {
            return (f64::from(*number) + f64::from(*next)) / 2.0;
        }
        if 2 * below >= total {
            return f64::from(*number);
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_from_the_median_whatever_is_in() {
        let numbers = [(5, 2), (-3, 1), (5, 1), (100, 3), (0, 4), (-7, 2), (41, 1)];
        let mut sums = RankedSums::default();
        sums.rank(numbers.into_iter());
        assert_eq!(sums.absolute_deviation(), 0);
        let mut inside = vec![];
        for place in [3, 0, 6, 5, 1, 4, 2] {
            sums.insert(place);
            inside.push(numbers[place]);
            let from = |center: i64| inside.iter().map(|(y, w)| (y - center).abs() * *w as i64).sum::<i64>();
            let least = inside.iter().map(|(center, _)| from(*center)).min().unwrap();
            assert_eq!(sums.absolute_deviation(), i128::from(least), "{inside:?}");
        }
        sums.clear();
        sums.insert(2);
        assert_eq!(sums.absolute_deviation(), 0);
    }

    #[test]
    fn medians_are_between_the_two_in_the_middle_or_the_one() {
        assert_eq!(weighted_median(&mut [(3.0, 1), (1.0, 1), (2.0, 1)]), 2.0);
        assert_eq!(weighted_median(&mut [(3.0, 1), (1.0, 1), (2.0, 1), (9.0, 1)]), 2.5);
        assert_eq!(weighted_median(&mut [(3.0, 5), (1.0, 1), (2.0, 1)]), 3.0);
        assert_eq!(weighted_median(&mut [(3.0, 2), (1.0, 1), (2.0, 1)]), 2.5);
    }
}
