//! Sums of absolute deviations from a median that moves as numbers come in.

/// Numbers with weights, of which some are in: a Fenwick tree over their ranks. All sums are integers, so that they do not
/// depend on the order in which numbers came.
#[derive(Debug, Clone, Default)]
pub struct RankedSums {
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
    pub fn rank(&mut self, numbers: impl Iterator<Item = (i64, u64)>) {
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
    pub fn clear(&mut self) {
        self.tree.clear();
        self.tree.resize(self.values.len() + 1, (0, 0));
        (self.weight, self.sum) = (0, 0);
    }

    /// Lets the number of a place in.
    pub fn insert(&mut self, place: usize) {
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
    pub fn absolute_deviation(&self) -> i128 {
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
