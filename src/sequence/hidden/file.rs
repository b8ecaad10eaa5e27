//! Hidden Markov models in model files.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::emissions::{CovarianceKind, Emissions};
use super::model::HiddenMarkovModel;
use crate::error::Result;
use crate::model_file::{Container, Persist};
use crate::sequence::symbols::Symbols;

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    /// None where symbols are emitted.
    covariance_type: Option<CovarianceKind>,
    converged: bool,
}

impl Persist for HiddenMarkovModel {
    const KIND: &'static str = "hidden-markov";

    fn store(&self, container: &mut Container) -> Result<()> {
        let covariance_type = match &self.emissions {
            Emissions::Discrete { .. } => None,
            Emissions::Gaussian { kind, .. } => Some(*kind),
        };
        container.set_parameters(&Saved { covariance_type, converged: self.converged })?;
        container.insert_list("initial", &self.initial)?;
        container.insert_list("history", &self.history)?;
        insert(container, "transitions", &self.transitions)?;
        match &self.emissions {
            Emissions::Discrete { symbols, probabilities } => {
                symbols.store(container)?;
                insert(container, "probabilities", probabilities)
            }
            Emissions::Gaussian { means, covariances, .. } => {
                insert(container, "means", means)?;
                let values = covariances.iter().flat_map(rows).collect();
                container.insert("covariances", &[covariances.len(), means.ncols(), means.ncols()], values)
            }
        }
    }

    fn restore(container: &mut Container) -> Result<HiddenMarkovModel> {
        let Saved { covariance_type, converged } = container.parameters()?;
        let initial: Vec<f64> = container.take_list("initial")?;
        let states = initial.len();
        let history = container.take_list("history")?;
        let transitions = take(container, "transitions", states, states)?;
        let emissions = match covariance_type {
            None => {
                let symbols = Symbols::restore(container)?;
                let probabilities = take(container, "probabilities", states, symbols.len())?;
                Emissions::Discrete { symbols, probabilities }
            }
            Some(kind) => {
                let [_, columns] = container.shape("means")?;
                let means = take(container, "means", states, columns)?;
                let values: Vec<f64> = container.take("covariances", &[states, columns, columns])?;
                let each = values.chunks((columns * columns).max(1));
                let covariances = each.map(|values| DMatrix::from_row_slice(columns, columns, values)).collect();
                Emissions::Gaussian { means, covariances, kind }
            }
        };
        let model = HiddenMarkovModel::new(initial, transitions, emissions);
        let model = model.map_err(|error| container.refuse(error.to_string()))?;
        Ok(HiddenMarkovModel { history, converged, ..model })
    }
}

fn rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().as_slice().to_vec()
}

fn insert(container: &mut Container, name: &str, matrix: &DMatrix<f64>) -> Result<()> {
    container.insert(name, &[matrix.nrows(), matrix.ncols()], rows(matrix))
}

fn take(container: &mut Container, name: &str, rows: usize, columns: usize) -> Result<DMatrix<f64>> {
    Ok(DMatrix::from_row_slice(rows, columns, &container.take::<f64>(name, &[rows, columns])?))
}
