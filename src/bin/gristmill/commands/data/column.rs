//! What is in a column.

use gristmill::Matrix;
use serde::Serialize;

/// A column of `x`, or of a target of numbers.
#[derive(Serialize)]
pub struct Column {
    pub name: String,
    /// `number`, `integer`, `text`, or `empty` if every value is missing.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub missing: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// The values below which a quarter, half and three quarters of the values lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quartiles: Option<[f64; 3]>,
    /// Pearson's correlation with the target, if that is one column of numbers or two classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<f64>,
    /// How many different values there are.
    pub distinct: usize,
    /// Of a text column, how many rows have each category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<Count>>,
}

#[derive(Serialize)]
pub struct Count {
    pub name: String,
    pub count: usize,
}

/// Describes a column of a matrix.
pub fn column(x: &Matrix, at: usize) -> Column {
    let name = x.names().map_or_else(|| (at + 1).to_string(), |names| names[at].clone());
    let values = || x.as_slice().iter().skip(at).step_by(x.columns()).copied().filter(|value| !value.is_nan());
    let present = values().count();
    let missing = x.rows() - present;
    let (kind, quartiles, categories) = ("empty", None, None);
    let described = Column {
        name,
        kind,
        missing,
        min: None,
        max: None,
        mean: None,
        deviation: None,
        quartiles,
        correlation: None,
        distinct: 0,
        categories,
    };
    if let Some(categories) = x.categories(at) {
        let mut counts = vec![0; categories.len()];
        values().for_each(|code| counts[code as usize] += 1);
        let distinct = counts.iter().filter(|count| **count > 0).count();
        let categories = categories.iter().zip(counts).map(|(name, count)| Count { name: name.clone(), count });
        return Column { kind: "text", distinct, categories: Some(categories.collect()), ..described };
    }
    // The numbers of the file; those of a file of f32 as they are written.
    let is_f32 = (0..x.rows()).all(|row| !(f64::from(x.get(row, at)) != x.get_f64(row, at)));
    let written = |value: f64| if is_f32 { (value as f32).to_string().parse().unwrap_or(value) } else { value };
    let mut sorted: Vec<f64> = x.column_f64(at).into_iter().filter(|value| !value.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let [Some(&min), Some(&max)] = [sorted.first(), sorted.last()] else { return described };
    let mean = min + sorted.iter().map(|value| value - min).sum::<f64>() / present as f64;
    let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / present as f64;
    let integer = sorted.iter().all(|value| value.fract() == 0.0);
    // Linear between neighbouring values, as numpy's.
    let quartile = |quarter: usize| {
        let place = (sorted.len() - 1) * quarter;
        let (low, high) = (sorted[place / 4], sorted[(place / 4 + 1).min(sorted.len() - 1)]);
        low + (high - low) * (place % 4) as f64 / 4.0
    };
    Column {
        kind: if integer { "integer" } else { "number" },
        min: Some(written(min)),
        max: Some(written(max)),
        mean: Some(mean),
        deviation: Some(variance.sqrt()),
        quartiles: Some([1, 2, 3].map(|quarter| written(quartile(quarter)))),
        distinct: 1 + sorted.windows(2).filter(|pair| pair[0] != pair[1]).count(),
        ..described
    }
}

/// Pearson's correlation of a column with numbers, over the rows that have both; nothing where one of them is constant.
pub fn correlation(x: &Matrix, at: usize, target: &[f64]) -> Option<f64> {
    let pairs = x.column_f64(at).into_iter().zip(target.iter().copied());
    let pairs: Vec<(f64, f64)> = pairs.filter(|(value, target)| !value.is_nan() && !target.is_nan()).collect();
    let count = pairs.len() as f64;
    let (value_mean, target_mean) =
        pairs.iter().fold((0.0, 0.0), |(left, right), pair| (left + pair.0, right + pair.1));
    let (value_mean, target_mean) = (value_mean / count, target_mean / count);
    let (mut products, mut values, mut targets) = (0.0, 0.0, 0.0);
    for (value, target) in pairs {
        let (value, target) = (value - value_mean, target - target_mean);
        products += value * target;
        values += value * value;
        targets += target * target;
    }
    (values > 0.0 && targets > 0.0).then(|| products / (values * targets).sqrt())
}
