//! Pixels, and polygons that cover parts of them.

use super::style::{Clip, Paint};

/// Pixels of three bytes, row by row, white at first.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
    /// How much the covered part of each pixel differs from that of its left neighbour; all 0 between two polygons.
    changes: Vec<f32>,
}

impl Canvas {
    pub fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: vec![255; width * height * 3], changes: vec![0.0; (width + 2) * height] }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.height
    }

    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Paints what any of the polygons covers. A pixel gets as much of the paint as is covered of it, so edges are smooth;
    /// where polygons touch, their parts add up.
    pub fn fill(&mut self, polygons: &[Vec<(f64, f64)>], paint: Paint, clip: Option<Clip>) {
        let [left, top, right, bottom] = clip.unwrap_or([0.0, 0.0, self.width as f64, self.height as f64]);
        let (left, right) = (left.max(0.0), right.min(self.width as f64));
        let (top, bottom) = (top.max(0.0), bottom.min(self.height as f64));
        let (mut first, mut last) = (self.height, 0);
        for polygon in polygons {
            // What lies right of an edge that goes down is covered, if the edges go around that way.
            let sign = if area(polygon) > 0.0 { -1.0 } else { 1.0 };
            for at in 0..polygon.len() {
                let (from, to) = (polygon[at], polygon[(at + 1) % polygon.len()]);
                let (low, high) = (from.1.min(to.1).max(top), from.1.max(to.1).min(bottom));
                if low < high {
                    first = first.min(low as usize);
                    last = last.max((high.ceil() as usize).min(self.height));
                    self.edge(from, to, sign, [left, top, right, bottom]);
                }
            }
        }
        for row in first..last {
            self.paint_row(row, paint);
        }
    }

    /// Notes an edge of a polygon: pixels to its right are covered from here on.
    fn edge(&mut self, from: (f64, f64), to: (f64, f64), sign: f64, [left, top, right, bottom]: Clip) {
        let (sign, (x0, y0), (x1, y1)) = if from.1 < to.1 { (sign, from, to) } else { (-sign, to, from) };
        let slope = (x1 - x0) / (y1 - y0);
        let (begin, end) = (y0.max(top), y1.min(bottom));
        for row in begin as usize..(end.ceil() as usize).min(self.height) {
            let (upper, lower) = (begin.max(row as f64), end.min(row as f64 + 1.0));
            if lower <= upper {
                continue;
            }
            let at = |y: f64| (x0 + (y - y0) * slope).clamp(left, right);
            self.edge_in_row(row, at(upper), at(lower), sign * (lower - upper));
        }
    }

    /// The part of an edge within a row of pixels, from x to x, of this height.
    fn edge_in_row(&mut self, row: usize, one: f64, other: f64, height: f64) {
        let (low, high) = (one.min(other), one.max(other));
        let line = &mut self.changes[row * (self.width + 2)..(row + 1) * (self.width + 2)];
        let (first, last) = (low as usize, high as usize);
        if first == last {
            // Of this pixel what lies right of the edge is covered, of those after it all.
            let covered = 1.0 - ((low + high) / 2.0 - first as f64);
            line[first] += (height * covered) as f32;
            line[first + 1] += (height * (1.0 - covered)) as f32;
            return;
        }
        // Each pixel that the edge crosses has its share of the height.
        let mut before = 0.0;
        let width = high - low;
        for pixel in first..=last.min(self.width) {
            let (begin, end) = (low.max(pixel as f64), high.min(pixel as f64 + 1.0));
            let share = (end - begin).max(0.0) / width * height;
            let covered = before + share * (1.0 - ((begin + end) / 2.0 - pixel as f64));
            let carried = before + share;
            line[pixel] += (covered - before) as f32;
            line[pixel + 1] += (carried - covered) as f32;
            before = carried;
        }
    }

    /// Paints a row by how much of each pixel is covered, and forgets it.
    fn paint_row(&mut self, row: usize, Paint { colour, opacity }: Paint) {
        let line = &mut self.changes[row * (self.width + 2)..(row + 1) * (self.width + 2)];
        let pixels = &mut self.pixels[row * self.width * 3..(row + 1) * self.width * 3];
        let mut covered = 0.0_f32;
        for (change, pixel) in line.iter_mut().zip(pixels.chunks_exact_mut(3)) {
            covered += *change;
            *change = 0.0;
            let share = covered.clamp(0.0, 1.0) * opacity as f32;
            if share > 1.0 / 512.0 {
                for (part, colour) in pixel.iter_mut().zip(colour) {
                    *part = (f32::from(*part) + (f32::from(colour) - f32::from(*part)) * share).round() as u8;
                }
            }
        }
        line.fill(0.0);
    }
}

/// Twice the area, above 0 for one way around.
fn area(polygon: &[(f64, f64)]) -> f64 {
    let pairs = polygon.iter().zip(polygon.iter().cycle().skip(1));
    pairs.map(|((x0, y0), (x1, y1))| x0 * y1 - x1 * y0).sum()
}
