//! Which levels of a categorical feature share a bin when there are more levels than bins: those whose rows have like
//! targets.

/// The targets of rows, by which levels are told apart.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guide<'a> {
    /// Numbers, a column for each output.
    Columns(&'a [Vec<f32>]),
    /// Numbers in some unit, n×`outputs`.
    Fixed { values: &'a [i64], outputs: usize },
    /// A class below `count` for each row.
    Classes { codes: &'a [u32], count: usize },
}

impl Guide<'_> {
    /// Numbers of a row; a class counts as one for itself and zero for each other.
    fn outputs(&self) -> usize {
        match self {
            Guide::Columns(columns) => columns.len(),
            Guide::Fixed { outputs, .. } => *outputs,
            Guide::Classes { count, .. } => *count,
        }
    }

    fn get(&self, row: usize, output: usize) -> f64 {
        match self {
            Guide::Columns(columns) => f64::from(columns[output][row]),
            Guide::Fixed { values, outputs } => values[row * outputs + output] as f64,
            Guide::Classes { codes, .. } => f64::from(u8::from(codes[row] as usize == output)),
        }
    }
}

/// A level: its number of rows, and what they have of each output above the mean of all rows.
#[derive(Debug, Clone)]
struct Level {
    number: usize,
    rows: f64,
    means: Vec<f64>,
    /// The means drawn towards zero, the more so the fewer rows there are.
    likely: Vec<f64>,
}

/// Levels that share a bin as long as they are not parted.
struct Group {
    levels: Vec<Level>,
    /// How far the likely means are from one another: the output in which they are farthest, and Σ rows × distance² there.
    widest: (usize, f64),
}

/// Divides levels into at most `most` groups and returns the group of each. `members` gives each row with the number of
/// its level, which is below `levels`; every level has a row.
///
/// The group whose means are farthest from one another is cut in two where that leaves least, in the output in which they
/// are farthest, over and over. A mean of few rows is drawn to that of all, as far as the spread within levels says that
/// it is chance; a group whose levels differ no more than chance would have them stays whole. So a column of numbers that
/// name the rows stays one group: it tells nothing of other rows.
pub(crate) fn group_levels(
    guide: &Guide<'_>,
    members: impl Iterator<Item = (usize, usize)> + Clone,
    levels: usize,
    most: usize,
) -> Vec<usize> {
    let (levels, chance) = summarise(guide, members, levels);
    let mut owner = vec![0; levels.len()];
    let mut groups = vec![Group::new(levels)];
    while groups.len() < most {
        let open = groups.iter().enumerate().filter(|(_, group)| group.differs(&chance));
        let Some((at, _)) = open.max_by(|(_, one), (_, other)| one.widest.1.total_cmp(&other.widest.1)) else { break };
        let [one, other] = groups.swap_remove(at).cut();
        groups.extend([one, other]);
    }
    for (number, group) in groups.iter().enumerate() {
        group.levels.iter().for_each(|level| owner[level.number] = number);
    }
    owner
}

/// How far rows of one level are apart.
struct Chance {
    /// The variance of a row, over all outputs.
    variance: f64,
    /// Rows that tell it, less the levels.
    degrees: f64,
}

/// The means of all levels, and what may be chance in them.
fn summarise(
    guide: &Guide<'_>,
    members: impl Iterator<Item = (usize, usize)> + Clone,
    levels: usize,
) -> (Vec<Level>, Chance) {
    let outputs = guide.outputs();
    let (mut rows, mut mean) = (0.0, vec![0.0; outputs]);
    for (row, _) in members.clone() {
        rows += 1.0;
        mean.iter_mut().enumerate().for_each(|(output, mean)| *mean += guide.get(row, output));
    }
    mean.iter_mut().for_each(|mean| *mean /= rows);
    let new = |number| Level { number, rows: 0.0, means: vec![0.0; outputs], likely: vec![] };
    let mut found: Vec<Level> = (0..levels).map(new).collect();
    let mut squares = 0.0;
    for (row, level) in members {
        let level = &mut found[level];
        level.rows += 1.0;
        for (output, sum) in level.means.iter_mut().enumerate() {
            let above = guide.get(row, output) - mean[output];
            *sum += above;
            squares += above * above;
        }
    }
    let (mut between, mut concentration) = (0.0, 0.0);
    for level in &mut found {
        level.means.iter_mut().for_each(|mean| *mean /= level.rows);
        between += level.rows * level.means.iter().map(|mean| mean * mean).sum::<f64>();
        concentration += level.rows * level.rows / rows;
    }
    // Where each level has one row, nothing is known of the spread within: all of it may be chance.
    let degrees = rows - levels as f64;
    let variance = if degrees > 0.0 { (squares - between).max(0.0) / degrees } else { squares / (rows - 1.0).max(1.0) };
    // The variance of the levels' true means, by the method of moments.
    let truth = ((between - (levels as f64 - 1.0) * variance) / (rows - concentration)).max(0.0);
    for level in &mut found {
        let trust = if truth > 0.0 { level.rows / (level.rows + variance / truth) } else { 0.0 };
        level.likely = level.means.iter().map(|mean| trust * mean).collect();
    }
    (found, Chance { variance, degrees })
}

impl Group {
    fn new(levels: Vec<Level>) -> Group {
        let outputs = levels.first().map_or(0, |level| level.means.len());
        let spread = |output: usize| spread(&levels, |level| level.likely[output]);
        let widest = (0..outputs).map(|output| (output, spread(output)));
        let widest = widest.max_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap_or((0, 0.0));
        Group { levels, widest }
    }

    /// Whether the levels differ by more than chance: if they do not, Σ rows × distance² over its degrees of freedom is the
    /// variance of a row, give or take what either estimate may be off.
    fn differs(&self, chance: &Chance) -> bool {
        let degrees = self.levels.len() as f64 - 1.0;
        let outputs = self.levels.first().map_or(0, |level| level.means.len());
        let total: f64 = (0..outputs).map(|output| spread(&self.levels, |level| level.means[output])).sum();
        let off = (2.0 / degrees + 2.0 / chance.degrees).sqrt();
        self.widest.1 > 0.0 && total > degrees * chance.variance * (1.0 + 3.0 * off)
    }

    /// Two groups, so that the likely means of each are as near to one another as a cut can make them.
    fn cut(mut self) -> [Group; 2] {
        let output = self.widest.0;
        let of = |level: &Level| level.likely[output];
        self.levels.sort_by(|one, other| of(one).total_cmp(&of(other)).then(one.number.cmp(&other.number)));
        let sums = |levels: &[Level]| {
            levels.iter().fold((0.0, 0.0), |(rows, sum), level| (rows + level.rows, sum + level.rows * of(level)))
        };
        let (all_rows, all) = sums(&self.levels);
        let (mut rows, mut sum, mut best, mut place) = (0.0, 0.0, -1.0, 1);
        for (at, level) in self.levels[..self.levels.len() - 1].iter().enumerate() {
            rows += level.rows;
            sum += level.rows * of(level);
            // What is between the sides is what is not within them.
            let apart = sum / rows - (all - sum) / (all_rows - rows);
            let gain = rows * (all_rows - rows) * apart * apart;
            if gain > best {
                (best, place) = (gain, at + 1);
            }
        }
        let right = self.levels.split_off(place);
        [Group::new(self.levels), Group::new(right)]
    }
}

/// Σ rows × (value − mean)².
fn spread(levels: &[Level], value: impl Fn(&Level) -> f64) -> f64 {
    let rows: f64 = levels.iter().map(|level| level.rows).sum();
    let mean = levels.iter().map(|level| level.rows * value(level)).sum::<f64>() / rows;
    levels.iter().map(|level| level.rows * (value(level) - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::random::philox::Philox;

    fn noise(count: usize) -> Vec<f32> {
        let philox = Philox::new(7, 0);
        (0..count as u64).map(|at| philox.uniform(at) - 0.5).collect()
    }

    #[test]
    fn levels_of_like_targets_share_a_group() {
        // 1,000 levels of 20 rows; what they add is their number modulo 7.
        let levels = 1000;
        let targets: Vec<f32> =
            noise(20 * levels).iter().enumerate().map(|(row, noise)| (row % levels % 7) as f32 + noise).collect();
        let members = (0..20 * levels).map(|row| (row, row % levels));
        let groups = group_levels(&Guide::Columns(std::slice::from_ref(&targets)), members, levels, 127);
        for level in 0..levels {
            assert_eq!(groups[level] == groups[0], level % 7 == 0, "level {level}");
        }
        assert_eq!(*groups.iter().max().unwrap(), 6);
    }

    #[test]
    fn what_names_the_rows_or_is_chance_stays_one_group() {
        let targets = noise(6000);
        let guide = Guide::Columns(std::slice::from_ref(&targets));
        for levels in [6000, 3000, 1000] {
            let members = (0..6000).map(|row| (row, row % levels));
            assert!(group_levels(&guide, members, levels, 127).iter().all(|group| *group == 0), "{levels} levels");
        }
        // Nothing to go by.
        let members = (0..10).map(|row| (row, row));
        assert_eq!(group_levels(&Guide::Columns(&[]), members, 10, 4), [0; 10]);
    }

    #[test]
    fn classes_are_told_apart_in_all_their_shares() {
        // Three kinds of levels: each has its own class in nine of ten rows.
        let codes: Vec<u32> = (0..3000).map(|row| (row % 300 + u32::from(row / 300 == 4)) % 3).collect();
        let members = (0..3000).map(|row| (row, row % 300));
        let groups = group_levels(&Guide::Classes { codes: &codes, count: 3 }, members, 300, 10);
        assert!((0..300).all(|level| groups[level] == groups[level % 3]));
        assert_eq!(*groups.iter().max().unwrap(), 2);
    }

    #[test]
    fn fixed_numbers_and_columns_are_divided_alike_and_never_too_often() {
        let values: Vec<i64> = (0..900).map(|row| (row % 90) * 1000 + row % 7).collect();
        let column: Vec<f32> = values.iter().map(|value| *value as f32).collect();
        let members = (0..900).map(|row| (row, row % 90));
        for most in [1, 2, 5, 90, 200] {
            let fixed = group_levels(&Guide::Fixed { values: &values, outputs: 1 }, members.clone(), 90, most);
            let columns = group_levels(&Guide::Columns(std::slice::from_ref(&column)), members.clone(), 90, most);
            assert_eq!(fixed, columns);
            assert_eq!(*fixed.iter().max().unwrap() + 1, most.min(90));
        }
    }
}
