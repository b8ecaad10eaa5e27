//! Pooling of images.

use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Forward, Layer};
use crate::neural::shape::Shape;
use crate::ops::neural::{Pooling, Windows, pool_backward, pool_forward};

/// The largest or the mean of each channel in windows of an image.
///
/// ```
/// use gristmill::neural::{Layer, Pool, Shape};
/// let image = Shape::Image { height: 28, width: 28, channels: 8 };
/// assert_eq!(Pool::max(2).output(image)?, Shape::Image { height: 14, width: 14, channels: 8 });
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pool {
    /// The largest or the mean.
    pub pooling: Pooling,
    /// Rows and columns of a window.
    pub size: [usize; 2],
    /// From a window to the next, both ways.
    pub step: usize,
    /// Pixels around the image that count for nothing.
    pub padding: usize,
}

impl Pool {
    /// The largest of square windows beside each other.
    pub fn max(size: usize) -> Pool {
        Pool { pooling: Pooling::Max, size: [size; 2], step: size, padding: 0 }
    }

    /// The mean of square windows beside each other.
    pub fn mean(size: usize) -> Pool {
        Pool { pooling: Pooling::Mean, ..Pool::max(size) }
    }

    /// The same with so many pixels from a window to the next.
    pub fn step(mut self, step: usize) -> Pool {
        self.step = step;
        self
    }

    fn windows(&self, input: Shape) -> Result<Windows> {
        windows("pool", input, self.size, (self.step, self.padding))
    }
}

/// The windows of a layer, or an error that says why there are none.
pub(super) fn windows(
    name: &'static str,
    input: Shape,
    size: [usize; 2],
    (step, padding): (usize, usize),
) -> Result<Windows> {
    let Shape::Image { height, width, channels } = input else {
        return Err(Error::shape(name, "images, height×width×channels", input));
    };
    let windows = Windows { height, width, channels, size, step, padding };
    if !windows.fit() {
        let expected = "windows with pixels, a step, less padding than a window, and an image that holds a window";
        let got = format!("windows of {}×{}, step {step}, padding {padding}, on {input}", size[0], size[1]);
        return Err(Error::shape(name, expected, got));
    }
    Ok(windows)
}

impl Layer for Pool {
    fn name(&self) -> &'static str {
        "pool"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        let windows = self.windows(input)?;
        Ok(Shape::Image { height: windows.rows(), width: windows.columns(), channels: windows.channels })
    }

    fn kept(&self, input: Shape) -> Vec<usize> {
        vec![self.output(input).map_or(0, Shape::size)]
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let how = (self.pooling, self.windows(pass.shape)?);
        pool_forward(pass.stream, pass.input, how, pass.rows, (pass.output, &mut pass.kept[0]), pass.tail)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let Some((out, tail)) = pass.input_slope else { return Ok(()) };
        let how = (self.pooling, self.windows(pass.shape)?);
        pool_backward(pass.stream, (pass.slope, &mut pass.kept[0]), how, pass.rows, out, (tail, pass.input))
    }

    fn reference(&self, input: &[f64], rows: usize, _: &[f64], shape: Shape) -> Vec<f64> {
        let Ok(windows) = self.windows(shape) else { return vec![] };
        let mut out = Vec::with_capacity(rows * windows.count() * windows.channels);
        for image in input.chunks_exact(shape.size()).take(rows) {
            for window in 0..windows.count() {
                for channel in 0..windows.channels {
                    let mut seen = vec![];
                    windows.visit(window, |_, from, numbers| {
                        seen.extend(
                            image[from..from + numbers].iter().skip(channel).step_by(windows.channels).copied(),
                        );
                    });
                    out.push(match self.pooling {
                        Pooling::Max => seen.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                        Pooling::Mean => seen.iter().sum::<f64>() / seen.len() as f64,
                    });
                }
            }
        }
        out
    }
}
