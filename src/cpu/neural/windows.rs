//! Where a window stands on an image: for convolutions and pooling.

/// Windows that move over images whose pixels lie row by row, the channels of a pixel side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels of a row.
    pub width: usize,
    /// Numbers of a pixel.
    pub channels: usize,
    /// Rows and columns of the window.
    pub size: [usize; 2],
    /// From a window to the next, both ways.
    pub step: usize,
    /// Pixels of 0 around the image.
    pub padding: usize,
}

impl Windows {
    /// Whether there is at least one window, and each sees a pixel.
    pub fn fit(&self) -> bool {
        let covered = |pixels: usize, size: usize| size > self.padding && pixels + 2 * self.padding >= size;
        self.step > 0 && self.channels > 0 && covered(self.height, self.size[0]) && covered(self.width, self.size[1])
    }

    /// Windows below each other.
    pub fn rows(&self) -> usize {
        (self.height + 2 * self.padding - self.size[0]) / self.step + 1
    }

    /// Windows side by side.
    pub fn columns(&self) -> usize {
        (self.width + 2 * self.padding - self.size[1]) / self.step + 1
    }

    /// Windows on an image.
    pub fn count(&self) -> usize {
        self.rows() * self.columns()
    }

    /// From an image to the next.
    pub fn image_stride(&self) -> usize {
        (self.height * self.width * self.channels).next_multiple_of(4)
    }

    /// Numbers that a window sees.
    pub fn depth(&self) -> usize {
        self.size[0] * self.size[1] * self.channels
    }

    /// For each row of window `at` of an image, that is not in the padding: where its pixels begin in the window and in the
    /// image, and how many numbers they are.
    #[inline(always)]
    pub fn visit(&self, at: usize, mut run: impl FnMut(usize, usize, usize)) {
        let (row, column) = (at / self.columns(), at % self.columns());
        let left = (column * self.step) as isize - self.padding as isize;
        let skipped = (-left).max(0) as usize;
        let end = self.size[1].min((self.width as isize - left) as usize);
        let first = (left + skipped as isize) as usize;
        for window_row in 0..self.size[0] {
            let y = row * self.step + window_row;
            if y >= self.padding && y < self.height + self.padding {
                let inside = (window_row * self.size[1] + skipped) * self.channels;
                let from = ((y - self.padding) * self.width + first) * self.channels;
                run(inside, from, (end - skipped) * self.channels);
            }
        }
    }
}
