//! Atoms one at a time, each with its coefficients, from what the others leave of the rows.

use super::ksvd::AtomSamples;
use super::model::{length, normalise};
use crate::array::Matrix;
use crate::cpu::vectorised;

/// How the atoms of a pass are fitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweep {
    pub(super) samples: AtomSamples,
    pub(super) count: Option<usize>,
    pub(super) power_iterations: usize,
}

/// What a dictionary leaves of rows, with the users of each atom.
pub(super) struct Rest {
    d: usize,
    /// X − C·D, n×d.
    values: Vec<f32>,
    /// For each atom the rows whose code has it, with the coefficient.
    users: Vec<Vec<(usize, f32)>>,
}

impl Rest {
    pub(super) fn new(x: &Matrix, codes: &Matrix, atoms: &Matrix) -> Rest {
        let d = x.columns();
        let mut values = x.as_slice().to_vec();
        let mut users = vec![vec![]; atoms.rows()];
        for (row, rest) in values.chunks_exact_mut(d).enumerate() {
            for (atom, code) in codes.row(row).iter().enumerate().filter(|(_, code)| **code != 0.0) {
                users[atom].push((row, *code));
                vectorised!(add(rest, -*code, atoms.row(atom)));
            }
        }
        Rest { d, values, users }
    }

    /// Mean of the squares of what is left.
    pub(super) fn mean_square(&self) -> f64 {
        let sum: f64 = self.values.iter().map(|value| f64::from(*value).powi(2)).sum();
        sum / self.values.len().max(1) as f64
    }

    /// Fits every atom, in order.
    pub(super) fn update(&mut self, atoms: &mut Matrix, sweep: Sweep) {
        let (d, k) = (self.d, atoms.rows());
        let mut spare = self.worst_rows(k);
        for atom in 0..k {
            let mut own = atoms.as_mut_slice()[atom * d..(atom + 1) * d].to_vec();
            match sweep.samples {
                AtomSamples::Users => {}
                AtomSamples::Largest => self.choose(atom, &mut own, sweep),
            }
            match self.users[atom].is_empty() {
                false => self.fit(atom, &mut own, sweep.power_iterations),
                // The next worst row makes a better atom than one that no row uses.
                true => {
                    if let Some(row) = spare.pop() {
                        own.copy_from_slice(&self.values[row * d..(row + 1) * d]);
                        normalise(&mut own);
                    }
                }
            }
            atoms.as_mut_slice()[atom * d..(atom + 1) * d].copy_from_slice(&own);
        }
    }

    /// The rank-one fit to the rows of an atom, with the atom's part put back: d ∝ Eᵀa and a = E·d in turn.
    fn fit(&mut self, atom: usize, own: &mut [f32], power_iterations: usize) {
        let d = self.d;
        let Rest { values, users, .. } = self;
        let mut sums = vec![0.0_f32; d];
        for (row, code) in &users[atom] {
            vectorised!(add(&mut values[row * d..(row + 1) * d], *code, own));
        }
        for _ in 0..power_iterations {
            sums.fill(0.0);
            for (row, code) in &users[atom] {
                vectorised!(add(&mut sums, *code, &values[row * d..(row + 1) * d]));
            }
            if length(&sums) == 0.0 {
                break;
            }
            own.copy_from_slice(&sums);
            normalise(own);
            for (row, code) in &mut users[atom] {
                *code = vectorised!(dot(&values[*row * d..(*row + 1) * d], own));
            }
        }
        for (row, code) in &users[atom] {
            vectorised!(add(&mut values[row * d..(row + 1) * d], -*code, own));
        }
    }

    /// The notes' choice of samples: a rank-one fit to all rows, of which those with the largest coefficients stay users.
    fn choose(&mut self, atom: usize, own: &mut [f32], sweep: Sweep) {
        let d = self.d;
        let old = std::mem::take(&mut self.users[atom]);
        let count = sweep.count.unwrap_or(old.len()).min(self.values.len() / d);
        for (row, code) in &old {
            vectorised!(add(&mut self.values[row * d..(row + 1) * d], *code, own));
        }
        let mut codes: Vec<f32> = vec![];
        for _ in 0..=sweep.power_iterations {
            codes = self.values.chunks_exact(d).map(|row| vectorised!(dot(row, own))).collect();
            let mut sums = vec![0.0_f32; d];
            for (row, code) in self.values.chunks_exact(d).zip(&codes) {
                vectorised!(add(&mut sums, *code, row));
            }
            if length(&sums) == 0.0 {
                break;
            }
            own.copy_from_slice(&sums);
            normalise(own);
        }
        let mut order: Vec<usize> = (0..codes.len()).collect();
        order.sort_by(|a, b| codes[*b].abs().total_cmp(&codes[*a].abs()).then(a.cmp(b)));
        order.truncate(count);
        order.sort_unstable();
        let users: Vec<(usize, f32)> =
            order.into_iter().map(|row| (row, codes[row])).filter(|(_, code)| *code != 0.0).collect();
        // Without them, as they are put back by the fit.
        for (row, code) in &users {
            vectorised!(add(&mut self.values[row * d..(row + 1) * d], -*code, own));
        }
        self.users[atom] = users;
    }

    /// Up to `count` rows, the one with the most left last.
    fn worst_rows(&self, count: usize) -> Vec<usize> {
        if self.users.iter().all(|users| !users.is_empty()) {
            return vec![];
        }
        let lengths: Vec<f64> = self.values.chunks_exact(self.d).map(length).collect();
        let mut order: Vec<usize> = (0..lengths.len()).filter(|row| lengths[*row] > 0.0).collect();
        order.sort_by(|a, b| lengths[*b].total_cmp(&lengths[*a]).then(a.cmp(b)));
        order.truncate(count);
        order.reverse();
        order
    }
}

#[inline(always)]
fn add(sums: &mut [f32], factor: f32, values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut lanes = [0.0_f32; 16];
    for (a, b) in a.iter().zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}
