//! The shape of what goes from layer to layer.

use std::fmt;

/// The shape of one row of activations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// So many numbers.
    Flat(usize),
    /// An image: pixel by pixel, row by row, the channels of a pixel side by side.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Pixels of a row.
        width: usize,
        /// Numbers of a pixel.
        channels: usize,
    },
    /// A sequence: step by step, the features of a step side by side.
    Sequence {
        /// Steps.
        steps: usize,
        /// Numbers of a step.
        features: usize,
    },
}

impl Shape {
    /// Numbers of a row.
    pub fn size(self) -> usize {
        match self {
            Shape::Flat(size) => size,
            Shape::Image { height, width, channels } => height * width * channels,
            Shape::Sequence { steps, features } => steps * features,
        }
    }

    /// From a row to the next: the next multiple of 4.
    pub fn stride(self) -> usize {
        self.size().next_multiple_of(4)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Flat(size) => write!(formatter, "{size}"),
            Shape::Image { height, width, channels } => write!(formatter, "{height}×{width}×{channels}"),
            Shape::Sequence { steps, features } => write!(formatter, "{steps} steps of {features}"),
        }
    }
}
