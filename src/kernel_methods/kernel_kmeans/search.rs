//! Lloyd's iterations and k-means++ in the space of a kernel.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::Result;
use crate::kernel_methods::gram_operator::GramOperator;

/// Centres as shares of rows, n×k, and what follows from them.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    pub(super) shares: Matrix,
    /// ‖μ‖² of each centre; nothing for one without rows.
    pub(super) squares: Vec<Option<f64>>,
    /// The nearest centre of each row, and the squared distance.
    pub(super) labels: Vec<u32>,
    distances: Vec<f64>,
    inertia: f64,
}

/// How a search went.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub(super) struct Course {
    pub(super) inertia: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    pub(super) inertias: Vec<f64>,
}

/// What a search needs of the rows.
pub(super) struct Search<'a> {
    pub(super) gram: &'a GramOperator<'a>,
    pub(super) diagonal: Vec<f32>,
    pub(super) weights: &'a [f64],
    pub(super) k: usize,
}

impl Search<'_> {
    /// Lloyd's iterations from centres at these rows: the best centres, how it went, and whether it was stopped.
    pub(super) fn lloyd(
        &self,
        stream: &mut Stream,
        start: &[usize],
        (max_iter, tol): (usize, f64),
        mut stops: impl FnMut(usize, f64) -> Result<bool>,
    ) -> Result<(Assignment, Course, bool)> {
        let mut shares = Matrix::zeros(self.gram.len(), self.k)?;
        for (cluster, row) in start.iter().enumerate() {
            shares.as_mut_slice()[row * self.k + cluster] = 1.0;
        }
        let mut best = self.assign(stream, shares)?;
        let mut inertias = vec![best.inertia];
        let (mut converged, mut stopped) = (false, false);
        while !converged && !stopped && inertias.len() <= max_iter {
            let (labels, refilled) = self.refilled(&best);
            let next = self.assign(stream, self.shares(&labels)?)?;
            let same = !refilled && next.labels == best.labels;
            // In exact arithmetic the inertia never rises; what rounding adds is not taken.
            let rises = next.inertia > best.inertia;
            converged = same || rises || best.inertia - next.inertia <= tol * best.inertia;
            if !rises {
                best = next;
            }
            inertias.push(best.inertia);
            stopped = stops(inertias.len() - 1, best.inertia)?;
        }
        let (inertia, iterations) = (best.inertia, inertias.len() - 1);
        Ok((best, Course { inertia, iterations, converged, inertias }, stopped))
    }

    /// The nearest centre of each row, the lowest of equally near ones.
    fn assign(&self, stream: &mut Stream, shares: Matrix) -> Result<Assignment> {
        let (n, k) = (self.gram.len(), self.k);
        let products = self.gram.product(stream, &shares.to(stream.device())?)?.to_matrix(stream)?;
        let (mut squares, mut used) = (vec![0.0; k], vec![false; k]);
        for (shares, products) in shares.as_slice().chunks_exact(k).zip(products.as_slice().chunks_exact(k)) {
            for (at, (share, product)) in shares.iter().zip(products).enumerate() {
                if *share > 0.0 {
                    squares[at] += f64::from(*share) * f64::from(*product);
                    used[at] = true;
                }
            }
        }
        let squares: Vec<Option<f64>> = squares.into_iter().zip(used).map(|(s, used)| used.then_some(s)).collect();
        let (mut labels, mut distances) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (products, own) in products.as_slice().chunks_exact(k).zip(&self.diagonal) {
            let (label, rest) = nearest(products, &squares);
            labels.push(label);
            distances.push((f64::from(*own) + rest).max(0.0));
        }
        let inertia = distances.iter().zip(self.weights).map(|(distance, weight)| distance * weight).sum();
        Ok(Assignment { shares, squares, labels, distances, inertia })
    }

    /// The labels, with the farthest rows in clusters that lost theirs; and whether there are any.
    fn refilled(&self, found: &Assignment) -> (Vec<u32>, bool) {
        let mut labels = found.labels.clone();
        let mut masses = vec![0.0; self.k];
        let mut counts = vec![0_usize; self.k];
        for (label, weight) in labels.iter().zip(self.weights) {
            masses[*label as usize] += weight;
            counts[*label as usize] += usize::from(*weight > 0.0);
        }
        let mut refilled = false;
        let empty: Vec<usize> = (0..self.k).filter(|cluster| masses[*cluster] <= 0.0).collect();
        if empty.is_empty() {
            return (labels, false);
        }
        let mut rows: Vec<usize> = (0..labels.len()).collect();
        rows.sort_by(|a, b| found.distances[*b].total_cmp(&found.distances[*a]).then(a.cmp(b)));
        let mut rows = rows.into_iter();
        for cluster in empty {
            // A row of weight 0 fills nothing, and the last row of a cluster would leave a new hole.
            let fills = |row: &usize| {
                self.weights[*row] > 0.0 && found.distances[*row] > 0.0 && counts[labels[*row] as usize] > 1
            };
            let Some(row) = rows.find(fills) else { break };
            counts[labels[row] as usize] -= 1;
            counts[cluster] += 1;
            labels[row] = cluster as u32;
            refilled = true;
        }
        (labels, refilled)
    }

    /// Each row's share of its cluster, n×k.
    fn shares(&self, labels: &[u32]) -> Result<Matrix> {
        let mut masses = vec![0.0; self.k];
        labels.iter().zip(self.weights).for_each(|(label, weight)| masses[*label as usize] += weight);
        let mut shares = Matrix::zeros(labels.len(), self.k)?;
        for ((shares, label), weight) in shares.as_mut_slice().chunks_exact_mut(self.k).zip(labels).zip(self.weights) {
            if *weight > 0.0 {
                shares[*label as usize] = (weight / masses[*label as usize]) as f32;
            }
        }
        Ok(shares)
    }

    /// Rows for centres, one after the other: greedy k-means++ with the same draws as k-means.
    pub(super) fn plus_plus(&self, stream: &mut Stream, rng: &mut HostRng) -> Result<Vec<usize>> {
        let even = self.weights.iter().all(|weight| *weight == 1.0);
        let first = if even { rng.below(self.gram.len()) } else { drawn(rng, self.weights) };
        let trials = 2 + (self.k as f64).ln() as usize;
        let mut chosen = vec![first];
        let mut closest = self.closer(stream, &[first], None)?.swap_remove(0);
        while chosen.len() < self.k {
            let terms: Vec<f64> = closest.iter().zip(self.weights).map(|(d, w)| d * w).collect();
            let candidates: Vec<usize> = (0..trials).map(|_| drawn(rng, &terms)).collect();
            let mut next = self.closer(stream, &candidates, Some(&closest))?;
            let total = |distances: &Vec<f64>| distances.iter().zip(self.weights).map(|(d, w)| d * w).sum::<f64>();
            let totals: Vec<f64> = next.iter().map(total).collect();
            let best = (1..trials).fold(0, |best, at| if totals[at] < totals[best] { at } else { best });
            chosen.push(candidates[best]);
            closest = next.swap_remove(best);
        }
        Ok(chosen)
    }

    /// For each candidate the squared distance of every row to it, or to the nearest centre where that is less.
    fn closer(&self, stream: &mut Stream, candidates: &[usize], than: Option<&[f64]>) -> Result<Vec<Vec<f64>>> {
        let kernel = self.gram.rows_at(stream, candidates)?;
        let of = |(at, candidate): (usize, &usize)| {
            let own = f64::from(self.diagonal[*candidate]);
            let distance = |(row, value): (usize, &f32)| {
                let squared = (f64::from(self.diagonal[row]) + own - 2.0 * f64::from(*value)).max(0.0);
                let squared = if row == *candidate { 0.0 } else { squared };
                than.map_or(squared, |than| squared.min(than[row]))
            };
            kernel.row(at).iter().enumerate().map(distance).collect()
        };
        Ok(candidates.iter().enumerate().map(of).collect())
    }
}

/// A row drawn in proportion to its term; any where all are 0.
fn drawn(rng: &mut HostRng, terms: &[f64]) -> usize {
    let total: f64 = terms.iter().sum();
    if total <= 0.0 {
        return rng.below(terms.len());
    }
    let mut left = rng.uniform() * total;
    let mut last = 0;
    for (at, term) in terms.iter().enumerate().filter(|(_, term)| **term > 0.0) {
        last = at;
        if left < *term {
            return at;
        }
        left -= term;
    }
    last
}

/// The nearest centre and ‖φ(x) − μ‖² − k(x, x), from Σ k(x, xᵢ)·hᵢ and ‖μ‖² of each; the lowest of equally near ones.
pub(super) fn nearest(products: &[f32], squares: &[Option<f64>]) -> (u32, f64) {
    let mut best = (0, f64::INFINITY);
    for (at, (product, square)) in products.iter().zip(squares).enumerate() {
        let Some(square) = square else { continue };
        let rest = square - 2.0 * f64::from(*product);
        if rest < best.1 {
            best = (at as u32, rest);
        }
    }
    best
}
