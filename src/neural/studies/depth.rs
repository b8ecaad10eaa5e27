//! Gradients that vanish or explode with depth.

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

/// Lengths of the gradient by layer, before the first step.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthStudy {
    /// Hidden layers of each network.
    pub depths: Vec<usize>,
    /// What each network was built with.
    pub activations: Vec<(Activation, Start)>,
    /// `norms[activation][depth][layer]`: length of the gradient by the weights of each layer, the first layer first.
    pub norms: Vec<Vec<Vec<f64>>>,
}

/// The gradient of all rows as one batch by the weights of each layer, for networks of so many hidden layers of `width` units, for
/// each activation with its start. The dataset has two classes.
pub fn depth_study(
    data: &Dataset,
    (depths, width): (&[usize], usize),
    activations: &[(Activation, Start)],
    seed: u64,
) -> Result<DepthStudy> {
    let y = code_column(data)?;
    let rows = Rows { x: &data.x, y: &y, classes: false };
    let mut study = DepthStudy { depths: depths.to_vec(), activations: activations.to_vec(), norms: vec![] };
    for (activation, start) in activations {
        let of_depth = |depth: &usize| -> Result<Vec<f64>> {
            let mut network = Network::new(Shape::Flat(data.x.columns()), OutputLoss::BinaryCrossEntropy);
            for _ in 0..*depth {
                network = network.layer(Dense::new(width, *activation).start(*start))?;
            }
            let network = network.layer(Dense::new(1, Activation::Logistic))?;
            let pace = Pace { batch: data.x.rows(), rule: UpdateRule::Gradient, rate: 0.1, seed };
            let mut lesson = Lesson::new(&network, &network.start(seed), rows, pace)?;
            let (_, gradient) = lesson.gradient()?;
            let weights = network.blocks().filter(|placed| placed.block.name == "weights");
            let norm = |slopes: &[f32]| slopes.iter().map(|slope| f64::from(*slope).powi(2)).sum::<f64>().sqrt();
            Ok(weights.map(|placed| norm(&gradient[placed.range()])).collect())
        };
        study.norms.push(depths.iter().map(of_depth).collect::<Result<_>>()?);
    }
    Ok(study)
}

impl DepthStudy {
    /// log₁₀ of the gradient's length by the first layer's weights, by depth, a line for each activation; and by layer in the
    /// deepest network.
    pub fn figures(&self) -> Vec<Figure> {
        let lines = |title: &str, label: &str, points: &dyn Fn(usize) -> Vec<(f64, f64)>| {
            let figure = Figure::new().title(title).x_label(label).y_label("log₁₀ ‖∇W‖");
            self.activations.iter().enumerate().fold(figure, |figure, (at, (activation, start))| {
                figure.line(&format!("{activation:?}, {start:?}"), points(at))
            })
        };
        let by_depth = |at: usize| -> Vec<(f64, f64)> {
            let first = |norms: &Vec<f64>| norms.first().map_or(f64::NAN, |norm| norm.log10());
            self.depths.iter().zip(&self.norms[at]).map(|(depth, norms)| (*depth as f64, first(norms))).collect()
        };
        let by_layer = |at: usize| -> Vec<(f64, f64)> {
            let deepest = self.norms[at].last().map_or(&[] as &[f64], Vec::as_slice);
            deepest.iter().enumerate().map(|(layer, norm)| (layer as f64 + 1.0, norm.log10())).collect()
        };
        vec![
            lines("Gradient of the first layer by depth", "hidden layers", &by_depth),
            lines("Gradient by layer, deepest network", "layer", &by_layer),
        ]
    }
}
