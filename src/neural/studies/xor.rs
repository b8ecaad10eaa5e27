//! XOR by hand and trained.

use super::lesson::{Lesson, Pace, Rows, code_column, score};
use crate::array::{DeviceMatrix, Matrix};
use crate::data::Dataset;
use crate::device::Device;
use crate::error::Result;
use crate::neural::Dense;
use crate::neural::network::Network;
use crate::neural::pictures::curve;
use crate::neural::predict::predict;
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{Activation, OutputLoss};
use crate::plot::{Figure, Grid};
use crate::solvers::UpdateRule;

/// Cells a side of a map.
const CELLS: usize = 50;
/// Ends of a map.
const EDGE: f64 = 1.5;

/// A network of one hidden layer for two inputs, with its parameters.
#[derive(Debug, Clone)]
pub struct XorNetwork {
    network: Network,
    parameters: Vec<f32>,
    /// Loss of each step; empty if the weights were set.
    pub losses: Vec<f64>,
    /// Share of the rows that are right.
    pub accuracy: f64,
}

/// Class 1 where both inputs have the same sign, by two relu units and a sign: relu(x₁ + x₂) + relu(−x₁ − x₂) ≥ 1. Its
/// accuracy is that on the four corners (±1, ±1).
pub fn xor_by_hand() -> Result<XorNetwork> {
    let network = Network::new(Shape::Flat(2), OutputLoss::Squared)
        .layer(Dense::new(2, Activation::Relu))?
        .layer(Dense::new(1, Activation::Sign))?;
    let mut parameters = vec![0.0; network.parameters()];
    network.set_block(&mut parameters, 0, &Matrix::from_rows(&[[1.0, -1.0], [1.0, -1.0]])?)?;
    network.set_block(&mut parameters, 2, &Matrix::from_rows(&[[1.0], [1.0]])?)?;
    network.set_block(&mut parameters, 3, &Matrix::from_rows(&[[-1.0]])?)?;
    let mut made = XorNetwork { network, parameters, losses: vec![], accuracy: 0.0 };
    let corners = Matrix::from_rows(&[[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])?;
    let found = made.outputs(&corners)?;
    let right = (0..4).filter(|row| found[*row] == corners.get(*row, 0) * corners.get(*row, 1)).count();
    made.accuracy = right as f64 / 4.0;
    Ok(made)
}

/// Two inputs, `units` relu units, a logistic output, cross-entropy; weights begin at N(0, 1)/10, batches of 64 without
/// replacement, rate 0.1 (the notes: 4 units, 2500 steps). Some starts stick: try a few seeds. `data` has two columns and two
/// classes.
pub fn xor_trained(data: &Dataset, units: usize, steps: usize, seed: u64) -> Result<XorNetwork> {
    let dense = |units: usize, activation: Activation| Dense::new(units, activation).start(Start::Normal(0.1));
    let network = Network::new(Shape::Flat(2), OutputLoss::BinaryCrossEntropy)
        .layer(dense(units, Activation::Relu))?
        .layer(dense(1, Activation::Logistic))?;
    let y = code_column(data)?;
    let rows = Rows { x: &data.x, y: &y, classes: false };
    let pace = Pace { batch: 64, rule: UpdateRule::Gradient, rate: 0.1, seed };
    let mut lesson = Lesson::new(&network, &network.start(seed), rows, pace)?;
    let losses = lesson.steps(steps)?;
    let parameters = lesson.parameters()?.to_vec();
    let accuracy = score(&network, &parameters, rows)?[1];
    Ok(XorNetwork { network, parameters, losses, accuracy })
}

impl XorNetwork {
    /// What comes out for rows, n×2: −1 and 1, or probabilities.
    pub fn outputs(&self, x: &Matrix) -> Result<Vec<f32>> {
        let x: DeviceMatrix = x.to(&Device::Cpu)?;
        Ok(predict(&self.network, &self.parameters, &x, true)?.as_slice().to_vec())
    }

    /// The weights into the hidden units, 2×units, and their biases, 1×units.
    pub fn hidden(&self) -> Result<[Matrix; 2]> {
        Ok([self.network.block(&self.parameters, 0)?, self.network.block(&self.parameters, 1)?])
    }

    /// A map of what comes out, one of each hidden unit, and the loss by step if it was trained.
    pub fn figures(&self) -> Result<Vec<Figure>> {
        let grid = Grid::new((-EDGE, EDGE), (-EDGE, EDGE), CELLS, CELLS)?;
        let points = grid.points()?;
        let [weights, biases] = self.hidden()?;
        let map = |title: String, values: Vec<f32>| -> Result<Figure> {
            // Cells come row by row from below; a heat map's first row is on top.
            let upward = values.chunks(CELLS).rev().flatten().map(|value| f64::from(*value)).collect::<Vec<_>>();
            let names = vec![""; CELLS];
            Figure::new().title(title).x_label("x1").y_label("x2").heatmap(&names, &names, &upward)
        };
        let mut figures = vec![map("What comes out".into(), self.outputs(&points)?)?];
        for unit in 0..weights.columns() {
            let value = |row: usize| {
                let (x, y) = (points.get(row, 0), points.get(row, 1));
                (x * weights.get(0, unit) + y * weights.get(1, unit) + biases.get(0, unit)).max(0.0)
            };
            figures.push(map(format!("Hidden unit {}", unit + 1), (0..points.rows()).map(value).collect())?);
        }
        if !self.losses.is_empty() {
            figures.push(curve("Loss by step", "loss", &self.losses).x_label("step"));
        }
        Ok(figures)
    }
}
