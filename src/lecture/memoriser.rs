//! What learning is not.

use std::collections::HashMap;

use super::classified;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{Estimator, Fit, FittedWith, Model, Observer, Predict, Prediction, Rows, Save, parameters};
use crate::model_file::Container;

const OP: &str = "Memoriser";

parameters! {
    /// Remembers every row: its class where a row is exactly one that was fitted, else the first class. No training error
    /// (unless equal rows have different classes), and useless (000 §1.3.1).
    pub struct Memoriser: classifier("memoriser") -> MemoriserModel;
    about "remembers the rows: right on those that it has seen, the first class elsewhere";
    {}
}

impl Estimator for Memoriser {
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<MemoriserModel> {
        options.refuse_weights(OP)?;
        let rows = classified(OP, x, y)?;
        Ok(MemoriserModel::new(self.clone().into(), rows, y.codes().to_vec(), y.with_codes(vec![])?))
    }
}

/// The rows and their classes.
#[derive(Debug, Clone)]
pub struct MemoriserModel {
    params: FittedWith<Memoriser>,
    rows: Matrix,
    codes: Vec<u32>,
    classes: Labels,
    /// The class of the first row with these bits.
    known: HashMap<Vec<u32>, u32>,
}

impl MemoriserModel {
    fn new(params: FittedWith<Memoriser>, rows: Matrix, codes: Vec<u32>, classes: Labels) -> MemoriserModel {
        let mut known = HashMap::new();
        for (row, code) in codes.iter().enumerate() {
            known.entry(bits(rows.row(row))).or_insert(*code);
        }
        MemoriserModel { params, rows, codes, classes, known }
    }
}

/// The bits of a row; 0 and −0 are the same.
fn bits(row: &[f32]) -> Vec<u32> {
    row.iter().map(|value| (value + 0.0).to_bits()).collect()
}

impl Predict for MemoriserModel {
    type Output = Labels;
}

impl Model for MemoriserModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        x.queries(OP, self.rows.columns())?;
        let x = x.on_host()?;
        let code = |row: usize| self.known.get(&bits(x.row(row))).copied().unwrap_or(0);
        Ok(self.classes.with_codes((0..x.rows()).map(code).collect())?.into())
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }
}

impl Save for MemoriserModel {
    type Estimator = Memoriser;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.classes.names())?;
        container.insert("codes", &[self.codes.len()], self.codes.clone())?;
        container.insert("rows", &[self.rows.rows(), self.rows.columns()], self.rows.as_slice().to_vec())
    }

    fn load_fitted(params: FittedWith<Memoriser>, container: &mut Container) -> Result<MemoriserModel> {
        let [rows, columns] = container.shape("rows")?;
        let values: Vec<f32> = container.take("rows", &[rows, columns])?;
        let codes: Vec<u32> = container.take("codes", &[rows])?;
        let names = container.take_strings("class_names")?;
        if names.is_empty() || codes.iter().any(|code| *code as usize >= names.len()) {
            return Err(container.refuse("there is no class, or a row without one"));
        }
        let classes = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
        Ok(MemoriserModel::new(params, Matrix::from_vec(rows, columns, values)?, codes, classes))
    }
}
