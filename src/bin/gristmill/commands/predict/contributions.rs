//! What each column adds to each prediction: Shapley values.

use std::io::Write;

use gristmill::{Dataset, Matrix};
use serde::Serialize;

use crate::arguments::SavedModel;
use crate::report::{CliError, CommandResult, dense, write_numbers};

/// What a model adds up to a prediction, for each of its outputs.
#[derive(Serialize)]
pub struct Contributions {
    /// The columns that the model sees, behind its steps.
    columns: Vec<String>,
    outputs: Vec<Output>,
}

#[derive(Serialize)]
struct Output {
    /// The class or the column of the target that is explained, where there are several.
    #[serde(skip_serializing_if = "String::is_empty")]
    of: String,
    /// What is expected of any row.
    base: f32,
    /// What each column adds to it, row by row.
    #[serde(serialize_with = "without_base")]
    values: Matrix,
}

fn without_base<S: serde::Serializer>(values: &Matrix, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq((0..values.rows()).map(|row| &values.row(row)[..values.columns() - 1]))
}

impl Contributions {
    /// Of the rows of `data`, which has the columns of the model in its order.
    pub fn of(saved: &SavedModel, data: &Dataset) -> CommandResult<Contributions> {
        let rows = &dense(data, "--contributions")?.x;
        let Some(found) = saved.model.shapley_values(rows)? else {
            let why = "its predictions are no sums of what columns add; leave out --contributions, or see evaluate";
            return Err(CliError::Usage(format!("{}: {why} --permutation-importance", saved.name())));
        };
        let (classes, targets) = (saved.model.model().classes(), saved.model.targets());
        let name = |at: usize| match (classes.len(), found.len()) {
            // Of two classes boosting explains the second.
            (2, 1) => classes[1].clone(),
            (0, 1) => String::new(),
            (0, _) => targets.get(at).cloned().unwrap_or_else(|| (at + 1).to_string()),
            _ => classes.get(at).cloned().unwrap_or_else(|| (at + 1).to_string()),
        };
        let names: Vec<String> = (0..found.len()).map(name).collect();
        let base = |values: &Matrix| if values.rows() == 0 { 0.0 } else { values.get(0, values.columns() - 1) };
        let output = |(of, values): (String, Matrix)| Output { of, base: base(&values), values };
        let outputs: Vec<Output> = names.into_iter().zip(found).map(output).collect();
        let columns = saved.model.input_columns().names;
        let width = outputs.first().map_or(0, |output| output.values.columns() - 1);
        let columns = match columns.len() == width {
            true => columns,
            false => (0..width).map(|column| format!("x{column}")).collect(),
        };
        Ok(Contributions { columns, outputs })
    }

    /// The names of the columns of a CSV file.
    pub fn names(&self) -> Vec<String> {
        let base = "base".to_string();
        let of_output = |output: &Output| {
            let of = if output.of.is_empty() { String::new() } else { format!("{}_", output.of) };
            self.columns.iter().chain([&base]).map(|column| format!("c_{of}{column}")).collect::<Vec<_>>()
        };
        self.outputs.iter().flat_map(of_output).collect()
    }

    /// The cells of a row, each after a comma.
    pub fn write(&self, row: usize, out: &mut dyn Write) -> std::io::Result<()> {
        self.outputs.iter().try_for_each(|output| {
            write!(out, ",")?;
            write_numbers(out, output.values.row(row))
        })
    }
}
