//! The values of all pieces in one vector, without room to spare.

use super::piece::Piece;

/// Values as they come.
pub(super) struct Gathered {
    /// Bytes of the whole file, if they are known: then there is one vector from the beginning.
    length: Option<u64>,
    whole: Vec<f32>,
    /// Otherwise the pieces wait until their sum is known.
    pieces: Vec<Vec<f32>>,
    count: usize,
}

impl Gathered {
    pub(super) fn new(length: Option<u64>) -> Gathered {
        Gathered { length, whole: vec![], pieces: vec![], count: 0 }
    }

    /// Number of values.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds pieces that end at byte `parsed` of the file; there will never be more than `most` values.
    pub(super) fn add(&mut self, pieces: Vec<Piece>, parsed: u64, most: usize) {
        let more: usize = pieces.iter().map(|piece| piece.values.len()).sum();
        self.count += more;
        let Some(length) = self.length else {
            return self.pieces.extend(pieces.into_iter().map(|piece| piece.values));
        };
        if self.whole.capacity() < self.count {
            // As many values for each byte as so far, and a tenth more; pages that are not written cost nothing.
            let rate = self.count as f64 / parsed.max(1) as f64;
            let all = ((length as f64 * rate * 1.1) as usize).min(most).max(self.count);
            self.whole.reserve_exact(all - self.whole.len());
        }
        pieces.iter().for_each(|piece| self.whole.extend_from_slice(&piece.values));
    }

    /// All values in their order.
    pub(super) fn finish(mut self) -> Vec<f32> {
        if self.length.is_none() {
            self.whole.reserve_exact(self.count);
            self.pieces.into_iter().for_each(|piece| self.whole.extend_from_slice(&piece));
        }
        if self.whole.capacity() / 5 * 4 > self.whole.len() {
            self.whole.shrink_to_fit();
        }
        self.whole
    }
}
