//! Any Boolean function by one hidden layer.

use crate::array::Matrix;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::neural::Dense;
use crate::neural::network::Network;
use crate::neural::predict::predict;
use crate::neural::shape::Shape;
use crate::ops::neural::{Activation, OutputLoss};
use crate::plot::Figure;

/// Inputs of a function at most: a unit for each of up to 2ⁿ rows.
const MOST_INPUTS: usize = 14;

/// A function {±1}ⁿ → {±1} as a network: hidden unit i is sign(uᵢ·x − n + 1), 1 at the i-th input uᵢ where the function is 1
/// and −1 elsewhere; the output is sign(Σhᵢ + k − 1) of the k units. No weight is learnt.
#[derive(Debug, Clone)]
pub struct BooleanMemoriser {
    network: Network,
    parameters: Vec<f32>,
    inputs: Matrix,
    wanted: Vec<bool>,
}

impl BooleanMemoriser {
    /// The network for a function of `n` inputs, 1 to 14, each −1 or 1.
    pub fn new(n: usize, function: impl Fn(&[f32]) -> bool) -> Result<BooleanMemoriser> {
        if !(1..=MOST_INPUTS).contains(&n) {
            return Err(Error::param("n", format!("from 1 to {MOST_INPUTS}"), n));
        }
        let bit = |row: usize, column: usize| if row >> column & 1 == 1 { 1.0 } else { -1.0 };
        let values = (0..1 << n).flat_map(|row| (0..n).map(move |column| bit(row, column))).collect();
        let inputs = Matrix::from_vec(1 << n, n, values)?;
        let wanted: Vec<bool> = (0..inputs.rows()).map(|row| function(inputs.row(row))).collect();
        let positives: Vec<usize> = (0..inputs.rows()).filter(|row| wanted[*row]).collect();
        // A function that is never 1 needs a unit all the same, with weights of 0 and an output that it cannot move.
        let k = positives.len().max(1);
        let network = Network::new(Shape::Flat(n), OutputLoss::Squared)
            .layer(Dense::new(k, Activation::Sign))?
            .layer(Dense::new(1, Activation::Sign))?;
        let mut parameters = vec![0.0; network.parameters()];
        if positives.is_empty() {
            network.set_block(&mut parameters, 3, &Matrix::from_rows(&[[-1.0]])?)?;
        } else {
            let weights = (0..n).flat_map(|column| positives.iter().map(move |row| bit(*row, column))).collect();
            network.set_block(&mut parameters, 0, &Matrix::from_vec(n, k, weights)?)?;
            network.set_block(&mut parameters, 1, &Matrix::from_vec(1, k, vec![1.0 - n as f32; k])?)?;
            network.set_block(&mut parameters, 2, &Matrix::from_vec(k, 1, vec![1.0; k])?)?;
            network.set_block(&mut parameters, 3, &Matrix::from_rows(&[[k as f32 - 1.0]])?)?;
        }
        Ok(BooleanMemoriser { network, parameters, inputs, wanted })
    }

    /// Hidden units: the inputs where the function is 1, at least one.
    pub fn units(&self) -> usize {
        self.network.blocks().next().map_or(0, |placed| placed.block.columns)
    }

    /// The network's value for rows of −1 and 1, n×inputs.
    pub fn outputs(&self, x: &Matrix) -> Result<Vec<bool>> {
        let made = predict(&self.network, &self.parameters, &x.to(&Device::Cpu)?, true)?;
        Ok(made.as_slice().iter().map(|value| *value > 0.0).collect())
    }

    /// Inputs, of all 2ⁿ, for which network and function differ.
    pub fn mistakes(&self) -> Result<usize> {
        let found = self.outputs(&self.inputs)?;
        Ok(found.iter().zip(&self.wanted).filter(|(found, wanted)| found != wanted).count())
    }

    /// The weights of the hidden units, an input a row.
    pub fn figure(&self) -> Result<Figure> {
        let weights = self.network.block(&self.parameters, 0)?;
        let names = |letter: &str, count: usize| (1..=count).map(|at| format!("{letter}{at}")).collect::<Vec<_>>();
        let values: Vec<f64> = weights.as_slice().iter().copied().map(f64::from).collect();
        let figure = Figure::new().title("Weights of the memoriser").x_label("hidden unit").y_label("input");
        figure.heatmap(&names("x", weights.rows()), &names("h", weights.columns()), &values)
    }
}
