//! What becomes of clusters that lost all their rows.

use super::Snapshot;
use crate::array::Matrix;
use crate::cpu::cluster::center_shift::center_shift;

impl Snapshot {
    /// The rows that the empty clusters take, farthest first, each with its cluster: of positive weight, off their
    /// centre, and not the last of their old cluster.
    pub(super) fn take_farthest(&self, weights: Option<&[f32]>) -> Vec<(usize, usize)> {
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let mut rows: Vec<usize> = (0..self.labels.len()).collect();
        rows.retain(|row| self.distances[*row] > 0.0 && weight(*row) > 0.0);
        rows.sort_by(|a, b| self.distances[*b].total_cmp(&self.distances[*a]).then(a.cmp(b)));
        let mut left = self.counts.clone();
        let spare = rows.into_iter().filter(|row| {
            let old = &mut left[self.labels[*row] as usize];
            let spare = *old > weight(*row);
            if spare {
                *old -= weight(*row);
            }
            spare
        });
        let empty = (0..self.counts.len()).filter(|cluster| self.counts[*cluster] <= 0.0);
        spare.zip(empty).collect()
    }

    /// Moves the empty clusters to the rows they take (`rows`, in the same order), and the others to the means of what
    /// is left to them. Returns Σ of the squared shifts.
    pub(super) fn refill(&mut self, taken: &[(usize, usize)], rows: &Matrix, weights: Option<&[f32]>) -> f64 {
        let d = self.centers.columns();
        for (at, &(row, _)) in taken.iter().enumerate() {
            let old = self.labels[row] as usize;
            let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
            self.counts[old] -= weight;
            let center = self.centers.row(old);
            let sums = self.sums[old * d..(old + 1) * d].iter_mut().zip(rows.row(at).iter().zip(center));
            sums.for_each(|(sum, (x, center))| *sum -= weight * (f64::from(*x) - f64::from(*center)));
        }
        let before = self.centers.clone();
        center_shift(self.centers.as_mut_slice(), &self.sums, &self.counts, self.counts.len(), d);
        for (at, &(_, cluster)) in taken.iter().enumerate() {
            self.centers.as_mut_slice()[cluster * d..(cluster + 1) * d].copy_from_slice(rows.row(at));
        }
        let moved = self.centers.as_slice().iter().zip(before.as_slice());
        moved.map(|(new, old)| (f64::from(*new) - f64::from(*old)).powi(2)).sum()
    }
}
