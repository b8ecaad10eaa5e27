//! Images flipped and shifted at random.

use rayon::prelude::*;

use super::windows::Windows;
use crate::cpu::random::philox::Philox;

/// The random numbers of augmentation.
const STREAM: u32 = 0x4e44_0004;

/// What may happen to an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Augmentation {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels of a row.
    pub width: usize,
    /// Numbers of a pixel.
    pub channels: usize,
    /// Whether left and right change places in half of the images.
    pub flip: bool,
    /// Pixels that an image is shifted by at most, both ways; what comes in is 0.
    pub shift: usize,
    /// What the random numbers are of.
    pub key: u64,
    /// The step.
    pub step: u32,
}

impl Augmentation {
    /// From an image to the next.
    pub fn stride(&self) -> usize {
        let size = [1, 1];
        let Augmentation { height, width, channels, .. } = *self;
        Windows { height, width, channels, size, step: 1, padding: 0 }.image_stride()
    }

    /// Whether an image is flipped, and how far it is shifted down and to the right.
    fn of(&self, image: usize) -> (bool, isize, isize) {
        let mut numbers = [0; 4];
        Philox::new(self.key, STREAM).fill_numbers((u64::from(self.step) << 34) + 4 * image as u64, &mut numbers);
        let span = 2 * self.shift as u64 + 1;
        // The high half of a product: 0 to span − 1, all equally likely.
        let shift = |number: u32| ((u64::from(number) * span) >> 32) as isize - self.shift as isize;
        (self.flip && numbers[0] >> 31 == 1, shift(numbers[1]), shift(numbers[2]))
    }
}

/// Each image as its random numbers say.
pub fn augment(x: &[f32], images: usize, how: Augmentation, out: &mut [f32]) {
    let (stride, channels) = (how.stride(), how.channels);
    let (height, width) = (how.height as isize, how.width as isize);
    out[..images * stride].par_chunks_mut(stride).enumerate().for_each(|(image, out)| {
        let x = &x[image * stride..][..stride];
        let (flipped, down, right) = how.of(image);
        for (at, pixel) in out.chunks_exact_mut(channels).take(how.height * how.width).enumerate() {
            let (row, column) = (at as isize / width, at as isize % width);
            let column = if flipped { width - 1 - column } else { column };
            let (row, column) = (row - down, column - right);
            match (0..height).contains(&row) && (0..width).contains(&column) {
                true => pixel.copy_from_slice(&x[(row * width + column) as usize * channels..][..channels]),
                false => pixel.fill(0.0),
            }
        }
    });
}
