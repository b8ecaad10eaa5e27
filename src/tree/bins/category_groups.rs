//! Which categories of a feature share a bin when there are more of them than bins: those whose rows have like targets.

/// The targets of rows, by which categories are grouped.
#[derive(Debug, Clone, Copy)]
pub enum CategoryTargets<'a> {
    /// Numbers, a column for each output.
    Columns(&'a [Vec<f32>]),
    /// Numbers in some unit, n×`outputs`.
    Fixed { values: &'a [i64], outputs: usize },
    /// A class below `count` for each row.
    Classes { codes: &'a [u32], count: usize },
    /// Others, and columns of numbers beside them.
    With { targets: &'a CategoryTargets<'a>, columns: &'a [Vec<f32>] },
}

impl CategoryTargets<'_> {
    /// Numbers of a row; a class counts as one for itself and zero for each other.
    pub(super) fn outputs(&self) -> usize {
        match self {
            CategoryTargets::Columns(columns) => columns.len(),
            CategoryTargets::Fixed { outputs, .. } => *outputs,
            CategoryTargets::Classes { count, .. } => *count,
            CategoryTargets::With { targets, columns } => targets.outputs() + columns.len(),
        }
    }

    pub(super) fn get(&self, row: usize, output: usize) -> f64 {
        match self {
            CategoryTargets::Columns(columns) => f64::from(columns[output][row]),
            CategoryTargets::Fixed { values, outputs } => values[row * outputs + output] as f64,
            CategoryTargets::Classes { codes, .. } => f64::from(u8::from(codes[row] as usize == output)),
            CategoryTargets::With { targets, columns } => match output.checked_sub(targets.outputs()) {
                None => targets.get(row, output),
                Some(output) => f64::from(columns[output][row]),
            },
        }
    }
}

/// A category: its number of rows, and what they have of each output above the mean of all rows.
#[derive(Debug, Clone)]
struct Category {
    number: usize,
    rows: f64,
    means: Vec<f64>,
    /// The means drawn towards zero, the more so the fewer rows there are.
    likely: Vec<f64>,
}

/// Categories that share a bin as long as they are not parted.
struct Group {
    categories: Vec<Category>,
    /// How far the likely means are from one another: the output in which they are farthest, and Σ rows × distance² there.
    widest: (usize, f64),
}

/// Puts categories into at most `max_groups` groups and returns the group of each. `members` gives each row with the
/// number of its category, which is below `categories`; every category has a row.
///
/// The group whose means are farthest from one another is cut in two where that leaves least, in the output in which they
/// are farthest, over and over. A mean of few rows is drawn to that of all, as far as the spread within categories says
/// that it is noise; a group whose categories differ no more than noise would have them stays whole. So a column of
/// numbers that name the rows stays one group: it tells nothing of other rows.
pub fn group_categories(
    targets: &CategoryTargets<'_>,
    members: impl Iterator<Item = (usize, usize)> + Clone,
    categories: usize,
    max_groups: usize,
) -> Vec<usize> {
    let (categories, noise) = summarise(targets, members, categories);
    let mut owner = vec![0; categories.len()];
    let mut groups = vec![Group::new(categories)];
    while groups.len() < max_groups {
        let open = groups.iter().enumerate().filter(|(_, group)| group.differs(&noise));
        let Some((at, _)) = open.max_by(|(_, one), (_, other)| one.widest.1.total_cmp(&other.widest.1)) else { break };
        let [one, other] = groups.swap_remove(at).cut();
        groups.extend([one, other]);
    }
    for (number, group) in groups.iter().enumerate() {
        group.categories.iter().for_each(|category| owner[category.number] = number);
    }
    owner
}

/// How far rows of one category are apart.
struct Noise {
    /// The variance of a row, over all outputs.
    variance: f64,
    /// Rows that tell it, less the categories.
    degrees: f64,
}

/// The means of all categories, and what may be noise in them.
fn summarise(
    targets: &CategoryTargets<'_>,
    members: impl Iterator<Item = (usize, usize)> + Clone,
    categories: usize,
) -> (Vec<Category>, Noise) {
    let outputs = targets.outputs();
    let (mut rows, mut mean) = (0.0, vec![0.0; outputs]);
    for (row, _) in members.clone() {
        rows += 1.0;
        mean.iter_mut().enumerate().for_each(|(output, mean)| *mean += targets.get(row, output));
    }
    mean.iter_mut().for_each(|mean| *mean /= rows);
    let new = |number| Category { number, rows: 0.0, means: vec![0.0; outputs], likely: vec![] };
    let mut found: Vec<Category> = (0..categories).map(new).collect();
    let mut squares = 0.0;
    for (row, category) in members {
        let category = &mut found[category];
        category.rows += 1.0;
        for (output, sum) in category.means.iter_mut().enumerate() {
            let above = targets.get(row, output) - mean[output];
            *sum += above;
            squares += above * above;
        }
    }
    let (mut between, mut concentration) = (0.0, 0.0);
    for category in &mut found {
        category.means.iter_mut().for_each(|mean| *mean /= category.rows);
        between += category.rows * category.means.iter().map(|mean| mean * mean).sum::<f64>();
        concentration += category.rows * category.rows / rows;
    }
    // Where each category has one row, nothing is known of the spread within: all of it may be noise.
    let degrees = rows - categories as f64;
    let variance = if degrees > 0.0 { (squares - between).max(0.0) / degrees } else { squares / (rows - 1.0).max(1.0) };
    // The variance of the categories' true means, by the method of moments.
    let signal = ((between - (categories as f64 - 1.0) * variance) / (rows - concentration)).max(0.0);
    for category in &mut found {
        let trust = if signal > 0.0 { category.rows / (category.rows + variance / signal) } else { 0.0 };
        category.likely = category.means.iter().map(|mean| trust * mean).collect();
    }
    (found, Noise { variance, degrees })
}

impl Group {
    fn new(categories: Vec<Category>) -> Group {
        let outputs = categories.first().map_or(0, |category| category.means.len());
        let spread = |output: usize| spread(&categories, |category| category.likely[output]);
        let widest = (0..outputs).map(|output| (output, spread(output)));
        let widest = widest.max_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap_or((0, 0.0));
        Group { categories, widest }
    }

    /// Whether the categories differ by more than noise: if they do not, Σ rows × distance² over its degrees of freedom is
    /// the variance of a row, give or take what either estimate may be off.
    fn differs(&self, noise: &Noise) -> bool {
        let degrees = self.categories.len() as f64 - 1.0;
        let outputs = self.categories.first().map_or(0, |category| category.means.len());
        let total: f64 = (0..outputs).map(|output| spread(&self.categories, |category| category.means[output])).sum();
        let off = (2.0 / degrees + 2.0 / noise.degrees).sqrt();
        self.widest.1 > 0.0 && total > degrees * noise.variance * (1.0 + 3.0 * off)
    }

    /// Two groups, so that the likely means of each are as near to one another as a cut can make them.
    fn cut(mut self) -> [Group; 2] {
        let output = self.widest.0;
        let of = |category: &Category| category.likely[output];
        self.categories.sort_by(|one, other| of(one).total_cmp(&of(other)).then(one.number.cmp(&other.number)));
        let sums = |categories: &[Category]| {
            categories
                .iter()
                .fold((0.0, 0.0), |(rows, sum), category| (rows + category.rows, sum + category.rows * of(category)))
        };
        let (all_rows, all) = sums(&self.categories);
        let (mut rows, mut sum, mut best, mut place) = (0.0, 0.0, -1.0, 1);
        for (at, category) in self.categories[..self.categories.len() - 1].iter().enumerate() {
            rows += category.rows;
            sum += category.rows * of(category);
            // What is between the sides is what is not within them.
            let apart = sum / rows - (all - sum) / (all_rows - rows);
            let gain = rows * (all_rows - rows) * apart * apart;
            if gain > best {
                (best, place) = (gain, at + 1);
            }
        }
        let right = self.categories.split_off(place);
        [Group::new(self.categories), Group::new(right)]
    }
}

/// Σ rows × (value − mean)².
fn spread(categories: &[Category], value: impl Fn(&Category) -> f64) -> f64 {
    let rows: f64 = categories.iter().map(|category| category.rows).sum();
    let mean = categories.iter().map(|category| category.rows * value(category)).sum::<f64>() / rows;
    categories.iter().map(|category| category.rows * (value(category) - mean).powi(2)).sum()
}
