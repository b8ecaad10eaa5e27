//! The effect of width.

use super::lesson::{Lesson, Pace, Rows, code_column};
use crate::data::Dataset;
use crate::error::Result;
use crate::neural::Dense;
use crate::neural::network::Network;
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{Activation, OutputLoss};
use crate::plot::Figure;
use crate::solvers::UpdateRule;

/// What widths do to learning.
#[derive(Debug, Clone, PartialEq)]
pub struct WidthStudy {
    /// Hidden units.
    pub widths: Vec<usize>,
    /// Loss of each step, a curve for each width.
    pub losses: Vec<Vec<f64>>,
    /// ‖W₁ − W₁⁰‖ / ‖W₁⁰‖ after the last step.
    pub relative_changes: Vec<f64>,
}

/// One hidden layer of each width on a dataset of two classes: relu, a logistic output, full batches, rate 0.1 (000 §5.4.3–4:
/// widths 2 to 128, 1000 steps). As in the notes both layers begin at N(0, 1)/√width: then ‖W₁⁰‖ is about √inputs at every
/// width, and the relative change levels off. With `lazy` the first layer begins at N(0, 1)/√inputs, the scaling of the neural
/// tangent kernel, and wide networks hardly move.
pub fn width_study(data: &Dataset, widths: &[usize], steps: usize, lazy: bool, seed: u64) -> Result<WidthStudy> {
    let y = code_column(data)?;
    let rows = Rows { x: &data.x, y: &y, classes: false };
    let mut study = WidthStudy { widths: widths.to_vec(), losses: vec![], relative_changes: vec![] };
    for width in widths {
        let narrow = 1.0 / (*width as f64).sqrt();
        let first = if lazy { 1.0 / (data.x.columns() as f64).sqrt() } else { narrow };
        let network = Network::new(Shape::Flat(data.x.columns()), OutputLoss::BinaryCrossEntropy)
            .layer(Dense::new(*width, Activation::Relu).start(Start::Normal(first)))?
            .layer(Dense::new(1, Activation::Logistic).start(Start::Normal(narrow)))?;
        let pace = Pace { batch: data.x.rows(), rule: UpdateRule::Gradient, rate: 0.1, seed };
        let start = network.start(seed);
        let mut lesson = Lesson::new(&network, &start, rows, pace)?;
        study.losses.push(lesson.steps(steps)?);
        let before = network.block(&start, 0)?;
        let after = network.block(lesson.parameters()?, 0)?;
        let size = |values: &mut dyn Iterator<Item = f32>| values.map(|value| f64::from(value).powi(2)).sum::<f64>();
        let pairs = before.as_slice().iter().zip(after.as_slice());
        let moved = size(&mut pairs.map(|(before, after)| after - before));
        study.relative_changes.push((moved / size(&mut before.as_slice().iter().copied())).sqrt());
    }
    Ok(study)
}

impl WidthStudy {
    /// The loss by step of each width, and the relative change by width.
    pub fn figures(&self) -> Vec<Figure> {
        let curves = self.widths.iter().zip(&self.losses).fold(
            Figure::new().title("Loss by width").x_label("step").y_label("loss"),
            |figure, (width, losses)| {
                figure.line(&width.to_string(), losses.iter().enumerate().map(|(at, loss)| (at as f64, *loss)))
            },
        );
        let changes = self.widths.iter().zip(&self.relative_changes).map(|(width, change)| (*width as f64, *change));
        let moved = Figure::new().title("Relative change of the first layer").x_label("width").logarithmic_x();
        vec![curves, moved.y_label("‖W − W₀‖ / ‖W₀‖").steps("", changes)]
    }
}
