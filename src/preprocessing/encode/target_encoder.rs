//! Categories as the mean target of their rows.

use std::collections::HashMap;

use crate::array::Matrix;
use crate::data::Target;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Declared, Estimator, Fit, FittedWith, OwnedRows, Rows, Save, parameters};
use crate::model_file::Container;
use crate::preprocessing::columns::Columns;
use crate::preprocessing::transformer::{Transformer, to_fit, transformed};
use crate::splits::Folds;

/// Stands for a missing value among the codes of categories, which are smaller.
const MISSING: u32 = u32::MAX;

parameters! {
    /// Turns each categorical column into the mean target of the rows of each category, shrunk towards the mean of all
    /// (Micci-Barreca 2001): for columns of many categories. Names and defaults are scikit-learn's.
    ///
    /// A row's own target must not show in what is made of it. So a pipeline, and
    /// [`fit_transform`](crate::AnyEstimator::fit_transform), encode each part of the fitted rows by the targets of the
    /// others; `fit` and then `transform` is for other rows.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::TargetEncoder;
    /// let x = Matrix::from_rows(&[[0.0], [0.0], [1.0], [1.0]])?.with_category_names(0, ["a", "b"])?;
    /// let y = Target::from_numbers(Matrix::from_vec(4, 1, vec![1.0, 3.0, 7.5, 8.5])?);
    /// let model = TargetEncoder::default().smooth(0.0).fit(&x, &y)?;
    /// assert_eq!(model.transform(&x)?.as_slice(), [2.0, 2.0, 8.0, 8.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// Two classes give the share of the second, more classes a column for each. A category that was not fitted gets
    /// the mean of all; missing values are a category of their own. Targets that `f32` cannot tell apart, such as 10⁹ + i,
    /// are encoded less a whole number close to their mean, so that their categories stay apart.
    pub struct TargetEncoder: supervised_transformer("target-encoder") -> TargetEncoderModel;
    about "turns each category into the mean target of its rows";
    {
        /// The columns to encode, by name or by number from 0; none: the categorical ones.
        #[into]
        columns: Columns = Columns::chosen();
        /// How many rows the overall mean counts for beside those of a category; none: from the variances (empirical
        /// Bayes).
        smooth: Option<f64> = None, at_least(0.0);
        /// Number of folds; each is encoded by the targets of the others.
        cv: usize = 5, at_least(2.0);
        /// Seed of the folds.
        seed: u64 = 0;
    }
}

impl Estimator for TargetEncoder {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, encodes_categories: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<TargetEncoderModel> {
        let x = to_fit(self, x, &options)?;
        let outputs = Outputs::of(target, x.rows())?;
        let all: Vec<usize> = (0..x.rows()).collect();
        self.learn(&x, &outputs, &all)
    }

    /// Each part of the rows is encoded by the targets of the others.
    fn fit_transform_rows(
        &self,
        x: Rows<'_>,
        target: &Target,
        options: Fit<'_>,
    ) -> Result<(TargetEncoderModel, OwnedRows)> {
        let model = self.fit_rows(x, target, options)?;
        let rows = to_fit(self, x, &Fit::default())?;
        let outputs = Outputs::of(target, rows.rows())?;
        let folds = match outputs.names.is_empty() {
            true => Folds::KFold { n_splits: self.cv, shuffle: true, seed: self.seed },
            false => Folds::Stratified { n_splits: self.cv, shuffle: true, seed: self.seed },
        };
        let labels = if outputs.names.is_empty() { None } else { Some(target.labels()?) };
        let mut encoded: Option<Matrix> = None;
        for (others, part) in folds.split(rows.rows(), labels)?.iter() {
            let made = transformed(&self.learn(&rows, &outputs, &others)?, &rows.select(&part)?)?;
            let width = made.columns();
            let all = match &mut encoded {
                Some(all) => all,
                None => encoded.insert(Matrix::zeros(rows.rows(), width)?.with_column_info(made.column_info().clone())),
            };
            for (place, row) in part.into_iter().enumerate() {
                all.as_mut_slice()[row * width..][..width].copy_from_slice(made.row(place));
            }
        }
        let encoded = match encoded {
            Some(encoded) => encoded,
            None => transformed(&model, &rows)?,
        };
        Ok((model, OwnedRows::beside(x, encoded)?))
    }
}

/// What is averaged: one number a row, or for each class whether the row is of it.
struct Outputs {
    /// n×p, row by row.
    values: Vec<f64>,
    count: usize,
    /// The classes of the columns; none for numbers, and none but the second of two classes.
    names: Vec<String>,
}

impl Outputs {
    fn of(target: &Target, rows: usize) -> Result<Outputs> {
        let outputs = match target {
            Target::Numbers(numbers) | Target::Whole { numbers, .. } if numbers.columns() == 1 => {
                let values = numbers.as_slice().iter().copied().map(f64::from).collect();
                Outputs { values, count: 1, names: vec![] }
            }
            _ => {
                let labels = target.labels()?;
                let classes: Vec<usize> = if labels.classes() == 2 { vec![1] } else { (0..labels.classes()).collect() };
                let is = |code: u32, class: usize| f64::from(u8::from(code as usize == class));
                let values = labels.codes().iter().flat_map(|code| classes.iter().map(|class| is(*code, *class)));
                let names = classes.iter().map(|class| labels.names()[*class].clone()).collect();
                Outputs { values: values.collect(), count: classes.len(), names }
            }
        };
        match outputs.values.len() == rows * outputs.count && rows > 0 {
            true => Ok(outputs),
            false => {
                let (expected, got) = (format!("a target for each of {rows} rows, and a row"), target_rows(&outputs));
                Err(Error::shape(TargetEncoder::TYPE, expected, got))
            }
        }
    }
}

fn target_rows(outputs: &Outputs) -> String {
    format!("{} targets", outputs.values.len() / outputs.count.max(1))
}

impl TargetEncoder {
    /// The encodings by some of the rows.
    fn learn(&self, x: &Matrix, outputs: &Outputs, rows: &[usize]) -> Result<TargetEncoderModel> {
        let chosen = self.columns.find(x)?.unwrap_or_else(|| x.categorical_columns());
        let value = |row: usize, output: usize| outputs.values[row * outputs.count + output];
        let mean = |output: usize| rows.iter().map(|row| value(*row, output)).sum::<f64>() / rows.len() as f64;
        let means: Vec<f64> = (0..outputs.count).map(mean).collect();
        let spread = |output: usize| {
            rows.iter().map(|row| (value(*row, output) - means[output]).powi(2)).sum::<f64>() / rows.len() as f64
        };
        let variances: Vec<f64> = (0..outputs.count).map(spread).collect();
        let encode = |column: usize| {
            let mut groups: HashMap<u32, Vec<usize>> = HashMap::new();
            for row in rows {
                groups.entry(code(x.get(*row, column))).or_default().push(*row);
            }
            let mut encodings: Vec<(u32, Vec<f64>)> = groups
                .into_iter()
                .map(|(code, members)| {
                    let one = |output: usize| {
                        let count = members.len() as f64;
                        let own = members.iter().map(|row| value(*row, output)).sum::<f64>() / count;
                        let within = members.iter().map(|row| (value(*row, output) - own).powi(2)).sum::<f64>() / count;
                        self.shrunk(own, count, within, means[output], variances[output])
                    };
                    (code, (0..outputs.count).map(one).collect())
                })
                .collect();
            encodings.sort_by_key(|(code, _)| *code);
            Encodings {
                codes: encodings.iter().map(|(code, _)| *code).collect(),
                values: encodings.into_iter().flat_map(|(_, values)| values).collect(),
            }
        };
        let columns = (0..x.columns()).map(|column| chosen.contains(&column).then(|| encode(column))).collect();
        Ok(TargetEncoderModel { params: self.clone().into(), columns, means, names: outputs.names.clone() })
    }

    /// The mean of a category's n rows, shrunk towards the mean of all.
    fn shrunk(&self, own: f64, count: f64, within: f64, mean: f64, variance: f64) -> f64 {
        match self.smooth {
            Some(smooth) => (count * own + smooth * mean) / (count + smooth),
            // The share of the category's own mean: n·τ² / (n·τ² + σ²), with the variances of all targets and of its
            // own.
            None if variance == 0.0 => mean,
            None => {
                let share = count * variance / (count * variance + within);
                share * own + (1.0 - share) * mean
            }
        }
    }
}

/// The code of a category.
fn code(value: f32) -> u32 {
    if value.is_nan() { MISSING } else { value as u32 }
}

/// The encodings of one column: the codes that occurred, ascending, and p numbers for each.
#[derive(Debug, Clone, PartialEq)]
struct Encodings {
    codes: Vec<u32>,
    values: Vec<f64>,
}

/// The encodings that [`TargetEncoder`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetEncoderModel {
    params: FittedWith<TargetEncoder>,
    columns: Vec<Option<Encodings>>,
    /// The mean target of all rows, p numbers.
    means: Vec<f64>,
    /// The class of each output; none for numbers.
    names: Vec<String>,
}

impl TargetEncoderModel {
    /// The mean of the targets, in their unit: one number, or the share of each class.
    pub fn target_mean(&self) -> &[f64] {
        self.params.in_unit_of_target(&self.means)
    }
}

impl Transformer for TargetEncoderModel {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        let of = |(column, name): (usize, String)| match &self.columns[column] {
            None => vec![(name, Some(column))],
            Some(_) if self.means.len() == 1 => vec![(name, None)],
            Some(_) => self.names.iter().map(|class| (format!("{name}_{class}"), None)).collect(),
        };
        names.into_iter().enumerate().flat_map(of).collect()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let outputs = self.means.len();
        let mut values = Vec::new();
        for row in 0..x.rows() {
            for (value, encodings) in x.row(row).iter().zip(&self.columns) {
                match encodings {
                    None => values.push(*value),
                    Some(own) => {
                        let place = own.codes.binary_search(&code(*value));
                        let found = place.map_or(&self.means[..], |place| &own.values[place * outputs..][..outputs]);
                        values.extend(found.iter().map(|number| *number as f32));
                    }
                }
            }
        }
        let width = self.columns.iter().map(|own| if own.is_some() { outputs } else { 1 }).sum();
        Matrix::from_vec(x.rows(), width, values)
    }
}

impl Save for TargetEncoderModel {
    type Estimator = TargetEncoder;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let encoded: Vec<u8> = self.columns.iter().map(|own| u8::from(own.is_some())).collect();
        container.insert_list("encoded", &encoded)?;
        container.insert_list("means", &self.means)?;
        container.insert_strings("class_names", &self.names)?;
        for (column, own) in self.columns.iter().enumerate() {
            if let Some(own) = own {
                container.insert_list(&format!("codes.{column}"), &own.codes)?;
                let shape = [own.codes.len(), self.means.len()];
                container.insert(&format!("encodings.{column}"), &shape, own.values.clone())?;
            }
        }
        Ok(())
    }

    fn load_fitted(params: FittedWith<TargetEncoder>, container: &mut Container) -> Result<TargetEncoderModel> {
        let encoded: Vec<u8> = container.take_list("encoded")?;
        let means: Vec<f64> = container.take_list("means")?;
        let outputs = means.len();
        let names = container.take_strings("class_names")?;
        if outputs == 0 || (!names.is_empty() && names.len() != outputs) {
            return Err(container.refuse(format!("{outputs} outputs, and {} classes", names.len())));
        }
        let mut columns = vec![];
        for (column, encoded) in encoded.into_iter().enumerate() {
            if encoded == 0 {
                columns.push(None);
                continue;
            }
            let codes: Vec<u32> = container.take_list(&format!("codes.{column}"))?;
            if !codes.is_sorted_by(|left, right| left < right) {
                return Err(container.refuse(format!("the codes of column {column} do not ascend")));
            }
            let values = container.take(&format!("encodings.{column}"), &[codes.len(), outputs])?;
            columns.push(Some(Encodings { codes, values }));
        }
        Ok(TargetEncoderModel { params, columns, means, names })
    }
}
