//! Lloyd's iterations, where the rows live: assign → centroid_sum → center_shift, again and again.
//!
//! On a GPU several iterations are recorded at once and a few words are read back: an iteration that ended the search
//! turns the later ones into repetitions that change nothing.

use super::center_shift::{HISTORY_WORDS, Outcome, Rules, Step};
use super::centroid_sum::Sums;
use super::{assign, center_shift, centroid_sum};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::device::Stream;
use crate::error::{Error, Result};

/// A search under way: centres, and the labels and distances of the last iteration.
pub(crate) struct Lloyd<'a> {
    x: &'a DeviceMatrix,
    weights: Option<&'a DeviceVec<f32>>,
    centers: DeviceMatrix,
    labels: DeviceVec<u32>,
    distances: DeviceVec<f32>,
    sums: DeviceMatrix,
    counts: DeviceVec<f32>,
    /// Whether there are labels of an iteration before.
    compares: bool,
    /// Whether no row is left that an empty cluster could take.
    leave_empty: bool,
}

/// What a search found. Labels and distances belong to the centres.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) centers: Matrix,
    pub(crate) labels: Vec<u32>,
    pub(crate) distances: Vec<f32>,
}

impl<'a> Lloyd<'a> {
    /// A search from `centers` (k×d) over the rows of X (n×d), n ≥ 1.
    pub(crate) fn new(
        stream: &mut Stream,
        x: &'a DeviceMatrix,
        weights: Option<&'a DeviceVec<f32>>,
        centers: &Matrix,
    ) -> Result<Lloyd<'a>> {
        let centers = centers.to(stream.device())?;
        super::check(stream, "k-means", x, &centers)?;
        Ok(Lloyd {
            x,
            weights,
            labels: DeviceVec::output(stream, x.rows())?,
            distances: DeviceVec::output(stream, x.rows())?,
            sums: DeviceMatrix::output(stream.device(), centers.rows(), x.columns())?,
            counts: DeviceVec::output(stream, centers.rows())?,
            centers,
            compares: false,
            leave_empty: false,
        })
    }

    /// Up to `steps` iterations. What comes back ends with the first that ended the search, if one did.
    ///
    /// An iteration that left a cluster empty has moved nothing: [`Lloyd::refill`] completes it.
    pub(crate) fn run(&mut self, stream: &mut Stream, steps: usize, tolerance: f64) -> Result<Vec<Step>> {
        let mut made = match stream.gpu().is_some() {
            true => self.run_on_gpu(stream, steps, tolerance)?,
            false => self.run_on_cpu(stream, steps, tolerance)?,
        };
        if let Some(last) = made.iter().position(|step| step.outcome != Outcome::Moved) {
            made.truncate(last + 1);
        }
        Ok(made)
    }

    fn run_on_gpu(&mut self, stream: &mut Stream, steps: usize, tolerance: f64) -> Result<Vec<Step>> {
        let history = DeviceVec::from_slice(&vec![0_u32; HISTORY_WORDS * steps], stream.device())?;
        if let Some(recording) = stream.gpu() {
            for iteration in 0..steps {
                let results = (&self.labels, &self.distances);
                assign::record(recording, self.x, &self.centers, results, (&history, HISTORY_WORDS * iteration))?;
                centroid_sum::record(recording, self.x, self.sums())?;
                let rules = Rules { iteration, compares: self.compares, leave_empty: self.leave_empty, tolerance };
                center_shift::record(recording, &self.centers, (&self.sums, &self.counts), &history, rules)?;
                self.compares = true;
            }
        }
        Ok(history.to_vec(stream)?.chunks(HISTORY_WORDS).map(Step::from_words).collect())
    }

    fn run_on_cpu(&mut self, stream: &mut Stream, steps: usize, tolerance: f64) -> Result<Vec<Step>> {
        let mut made = vec![];
        while made.len() < steps && made.last().is_none_or(|step: &Step| step.outcome == Outcome::Moved) {
            let (labels, distances) = assign::assign(stream, self.x, &self.centers)?;
            let unchanged = self.compares && labels.values()? == self.labels.values()?;
            (self.labels, self.distances, self.compares) = (labels, distances, true);
            if unchanged {
                made.push(Step { outcome: Outcome::Unchanged, shift: 0.0 });
                continue;
            }
            (self.sums, self.counts) =
                centroid_sum::centroid_sum(stream, self.x, &self.labels, self.weights, &self.centers)?;
            if !self.leave_empty && self.counts.values()?.iter().any(|count| *count <= 0.0) {
                made.push(Step { outcome: Outcome::Empty, shift: 0.0 });
                continue;
            }
            let shift = center_shift::center_shift(stream, &mut self.centers, &self.sums, &self.counts)?;
            let outcome = if shift <= tolerance { Outcome::WithinTolerance } else { Outcome::Moved };
            made.push(Step { outcome, shift });
        }
        Ok(made)
    }

    fn sums(&self) -> Sums<'_> {
        let (labels, weights, centers) = (&self.labels, self.weights, &self.centers);
        Sums { labels, weights, centers, sums: &self.sums, counts: &self.counts }
    }

    /// Completes an iteration that left clusters empty: each takes the row that is farthest from its centre, which
    /// leaves its old cluster; then all centres move. Returns Σ of the squared shifts.
    ///
    /// This happens seldom, so labels and distances come to the host for it.
    pub(crate) fn refill(&mut self, stream: &mut Stream) -> Result<f64> {
        let (labels, distances) = (self.labels.to_vec(stream)?, self.distances.to_vec(stream)?);
        let (mut sums, mut counts) = (self.sums.to_matrix(stream)?, self.counts.to_vec(stream)?);
        let weights = self.weights.map(|weights| weights.to_vec(stream)).transpose()?;
        let mut centers = self.centers.to_matrix(stream)?;
        let empty: Vec<usize> = (0..counts.len()).filter(|cluster| counts[*cluster] <= 0.0).collect();
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
        let mut far: Vec<usize> = (0..labels.len()).filter(|row| distances[*row] > 0.0 && weight(*row) > 0.0).collect();
        far.sort_by(|a, b| distances[*b].total_cmp(&distances[*a]).then(a.cmp(b)));
        let mut taken = vec![];
        for row in far {
            let old = labels[row] as usize;
            if taken.len() < empty.len() && counts[old] > weight(row) {
                counts[old] -= weight(row);
                taken.push(row);
            }
        }
        self.leave_empty = taken.len() < empty.len();
        let rows = self.x.rows_at(stream, &taken)?;
        for (at, &row) in taken.iter().enumerate() {
            let old = labels[row] as usize;
            let center = centers.row(old).to_vec();
            let sum = &mut sums.as_mut_slice()[old * center.len()..][..center.len()];
            let values = rows.row(at).iter().zip(&center);
            sum.iter_mut().zip(values).for_each(|(sum, (x, center))| *sum -= weight(row) * (x - center));
        }
        let before = centers.clone();
        crate::cpu::cluster::center_shift::center_shift(
            centers.as_mut_slice(),
            sums.as_slice(),
            &counts,
            rows.columns(),
        );
        for (at, &cluster) in empty.iter().enumerate().take(taken.len()) {
            centers.as_mut_slice()[cluster * rows.columns()..][..rows.columns()].copy_from_slice(rows.row(at));
        }
        self.centers = centers.to(stream.device())?;
        let moved = centers.as_slice().iter().zip(before.as_slice());
        Ok(moved.map(|(new, old)| f64::from(new - old).powi(2)).sum())
    }

    /// The centres with the labels and distances that belong to them. `settled` says that the last iteration moved
    /// nothing, so that they are there already.
    pub(crate) fn finish(self, stream: &mut Stream, settled: bool) -> Result<Found> {
        let (labels, distances) = match settled {
            true => (self.labels, self.distances),
            false => assign::assign(stream, self.x, &self.centers)?,
        };
        let distances = distances.to_vec(stream)?;
        if let Some(row) = distances.iter().position(|distance| !distance.is_finite()) {
            return Err(Error::NotFinite { row, column: 0, value: f64::INFINITY });
        }
        Ok(Found { centers: self.centers.to_matrix(stream)?, labels: labels.to_vec(stream)?, distances })
    }
}
