//! The iterations on the CPU, with bounds that skip distances where they win.

use super::{Clusters, IterationRules, Snapshot};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::cluster::assign::own_distances;
use crate::cpu::cluster::bounds::Bounded;
use crate::cpu::cluster::center_shift::center_shift;
use crate::cpu::cluster::centroid_sum::centroid_sum;
use crate::error::Result;
use crate::ops::cluster::center_shift::{Iteration, IterationEnd};

pub(super) struct CpuLloyd {
    centers: Matrix,
    labels: Vec<u32>,
    bounded: Bounded,
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl CpuLloyd {
    pub(super) fn new(x: &DeviceMatrix, centers: &Matrix) -> CpuLloyd {
        let (n, k, d) = (x.rows(), centers.rows(), x.columns());
        CpuLloyd {
            centers: centers.clone(),
            labels: vec![u32::MAX; n],
            bounded: Bounded::new(n, d, k),
            sums: vec![0.0; k * d],
            counts: vec![0.0; k],
        }
    }

    pub(super) fn run(
        &mut self,
        (x, weights): (&DeviceMatrix, Option<&DeviceVec<f32>>),
        count: usize,
        mut rules: IterationRules,
    ) -> Result<Vec<Iteration>> {
        let values = x.values()?;
        let weights = weights.map(DeviceVec::values).transpose()?;
        let mut made = vec![];
        while made.len() < count && made.last().is_none_or(|iteration: &Iteration| iteration.end == IterationEnd::Moved)
        {
            made.push(self.step((values, x.rows(), x.columns()), weights, rules));
            rules.compares = true;
        }
        Ok(made)
    }

    fn step(&mut self, (x, n, d): (&[f32], usize, usize), weights: Option<&[f32]>, rules: IterationRules) -> Iteration {
        let k = self.counts.len();
        let changed = self.bounded.assign(x, self.centers.as_slice(), &mut self.labels);
        if rules.compares && changed == 0 {
            return Iteration { end: IterationEnd::Unchanged, shift: 0.0 };
        }
        let centers = self.centers.as_slice();
        centroid_sum(x, n, d, &self.labels, weights, centers, k, &mut self.sums, &mut self.counts);
        if !rules.leave_empty && self.counts.iter().any(|count| *count <= 0.0) {
            return Iteration { end: IterationEnd::Empty, shift: 0.0 };
        }
        let shift = center_shift(self.centers.as_mut_slice(), &self.sums, &self.counts, k, d);
        let end = if shift <= rules.tolerance { IterationEnd::WithinTolerance } else { IterationEnd::Moved };
        Iteration { end, shift }
    }

    pub(super) fn snapshot(&self, x: &DeviceMatrix) -> Result<Snapshot> {
        let distances = self.distances(x)?;
        let (centers, labels) = (self.centers.clone(), self.labels.clone());
        Ok(Snapshot { centers, labels, distances, sums: self.sums.clone(), counts: self.counts.clone() })
    }

    pub(super) fn set_centers(&mut self, centers: &Matrix) {
        self.centers = centers.clone();
    }

    pub(super) fn finish(mut self, x: &DeviceMatrix, settled: bool) -> Result<Clusters> {
        if !settled {
            self.bounded.assign(x.values()?, self.centers.as_slice(), &mut self.labels);
        }
        let distances = self.distances(x)?;
        Ok(Clusters { centers: self.centers, labels: self.labels, distances })
    }

    fn distances(&self, x: &DeviceMatrix) -> Result<Vec<f32>> {
        let mut distances = vec![0.0; x.rows()];
        let centers = self.centers.as_slice();
        own_distances(x.values()?, x.rows(), centers, x.columns(), &self.labels, &mut distances);
        Ok(distances)
    }
}
