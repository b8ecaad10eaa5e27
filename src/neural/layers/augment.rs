//! Images flipped and shifted while a network learns.

use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Forward, Layer};
use crate::neural::shape::Shape;
use crate::ops::neural::{Augmentation, Tail, activate_forward, augment};

/// Flips and shifts each image of a batch at random while the network learns, on the device of the batch; elsewhere images pass as
/// they are. It is the first layer.
///
/// ```
/// use gristmill::neural::Augment;
/// let augment = Augment { flip: true, shift: 2 };
/// assert!(augment.flip);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Augment {
    /// Whether left and right change places in half of the images.
    pub flip: bool,
    /// Pixels that an image is shifted by at most, both ways.
    pub shift: usize,
}

impl Layer for Augment {
    fn name(&self) -> &'static str {
        "augment"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        let Shape::Image { height, width, channels } = input else {
            return Err(Error::shape("augment", "images, height×width×channels", input));
        };
        if height * width * channels == 0 || self.shift >= height.min(width) {
            let expected = "images with pixels, and shifts shorter than their sides";
            return Err(Error::shape("augment", expected, format!("{input}, shift {}", self.shift)));
        }
        Ok(input)
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let Shape::Image { height, width, channels } = pass.shape else {
            return Err(Error::shape("augment", "images", pass.shape));
        };
        if !pass.learning || pass.random == (0, 0) {
            let shape = (pass.rows, pass.shape.size());
            return activate_forward(pass.stream, pass.input, shape, pass.output, Tail::default());
        }
        let (key, step) = pass.random;
        let how = Augmentation { height, width, channels, flip: self.flip, shift: self.shift, key, step };
        augment(pass.stream, pass.input, pass.rows, how, pass.output)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        match pass.input_slope {
            None => Ok(()),
            Some(_) => Err(Error::shape("augment", "to be the first layer", "layers before it that learn")),
        }
    }

    fn reference(&self, input: &[f64], _: usize, _: &[f64], _: Shape) -> Vec<f64> {
        input.to_vec()
    }
}
