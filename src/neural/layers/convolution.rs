//! The convolution of images.

use super::check_dropout;
use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Block, Forward, Layer};
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{
    Activation, ConvolutionShape, Windows, convolution_forward, convolution_input_slope, convolution_weight_slope,
};

/// Filters that move over an image: activation(window·W + bias) at every place. Filters are a multiple of 4; so are the
/// channels of an image, unless no layer before it learns.
///
/// ```
/// use gristmill::neural::{Activation, Convolution, Layer, Shape};
/// let layer = Convolution::new(8, [3, 3], Activation::Relu).step(2).padding(1);
/// let image = Shape::Image { height: 28, width: 28, channels: 1 };
/// assert_eq!(layer.output(image)?, Shape::Image { height: 14, width: 14, channels: 8 });
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convolution {
    /// Numbers of an output pixel, a multiple of 4.
    pub filters: usize,
    /// Rows and columns of a window.
    pub size: [usize; 2],
    /// From a window to the next, both ways.
    pub step: usize,
    /// Pixels of 0 around the image.
    pub padding: usize,
    /// What is done to each sum.
    pub activation: Activation,
    /// The share of outputs left out while the network learns.
    pub dropout: f64,
    /// What the weights begin with.
    pub start: Start,
}

impl Convolution {
    /// Windows of this size at every pixel, without padding and dropout; weights begin as [`Start::He`], biases at 0.
    pub fn new(filters: usize, size: [usize; 2], activation: Activation) -> Convolution {
        Convolution { filters, size, step: 1, padding: 0, activation, dropout: 0.0, start: Start::He }
    }

    /// The same with so many pixels from a window to the next.
    pub fn step(mut self, step: usize) -> Convolution {
        self.step = step;
        self
    }

    /// The same with so many pixels of 0 around the image.
    pub fn padding(mut self, padding: usize) -> Convolution {
        self.padding = padding;
        self
    }

    /// The same with so much dropout.
    pub fn dropout(mut self, dropout: f64) -> Convolution {
        self.dropout = dropout;
        self
    }

    /// The same with another start of its weights.
    pub fn start(mut self, start: Start) -> Convolution {
        self.start = start;
        self
    }

    fn windows(&self, input: Shape) -> Result<Windows> {
        super::pool::windows("convolution", input, self.size, (self.step, self.padding))
    }

    fn shape(&self, first: usize, input: Shape) -> Result<ConvolutionShape> {
        Ok(ConvolutionShape { first, windows: self.windows(input)?, filters: self.filters })
    }
}

impl Layer for Convolution {
    fn name(&self) -> &'static str {
        "convolution"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        let windows = self.windows(input)?;
        if self.filters == 0 || !self.filters.is_multiple_of(4) {
            return Err(Error::param("filters", "a multiple of 4, above 0", self.filters));
        }
        check_dropout(self.dropout)?;
        Ok(Shape::Image { height: windows.rows(), width: windows.columns(), channels: self.filters })
    }

    fn blocks(&self, input: Shape) -> Vec<Block> {
        let channels = if let Shape::Image { channels, .. } = input { channels } else { 1 };
        let pixels = self.size[0] * self.size[1];
        let fan = [pixels * channels, pixels * self.filters];
        let bias = Block { name: "bias", rows: 1, columns: self.filters, penalised: false, start: Start::Zero, fan };
        vec![Block { name: "weights", rows: fan[0], penalised: true, start: self.start, ..bias }, bias]
    }

    fn activation(&self) -> Activation {
        self.activation
    }

    fn dropout(&self) -> f64 {
        self.dropout
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape)?;
        convolution_forward(pass.stream, pass.input, (pass.parameters, shape), pass.rows, pass.output, pass.tail)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape)?;
        convolution_weight_slope(pass.stream, (pass.input, pass.slope), shape, pass.rows, pass.gradient)?;
        if let Some((out, tail)) = pass.input_slope {
            let of_layer = (pass.parameters, shape);
            convolution_input_slope(pass.stream, pass.slope, of_layer, pass.rows, out, (tail, pass.input))?;
        }
        Ok(())
    }

    fn reference(&self, input: &[f64], rows: usize, parameters: &[f64], shape: Shape) -> Vec<f64> {
        let Ok(windows) = self.windows(shape) else { return vec![] };
        let (size, filters) = (shape.size(), self.filters);
        let mut out = Vec::with_capacity(rows * windows.count() * filters);
        for image in input.chunks_exact(size).take(rows) {
            for window in 0..windows.count() {
                for filter in 0..filters {
                    let mut sum = parameters[windows.depth() * filters + filter];
                    windows.visit(window, |inside, from, numbers| {
                        let weight = |at: usize| parameters[(inside + at) * filters + filter];
                        sum += (0..numbers).map(|at| image[from + at] * weight(at)).sum::<f64>();
                    });
                    out.push(sum);
                }
            }
        }
        out
    }
}
