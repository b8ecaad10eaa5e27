//! Value iteration on a device.

use super::value_iteration::{Swept, range};
use super::{MarkovDecisionProcess, Solve};
use crate::array::DeviceVec;
use crate::device::Device;
use crate::error::Result;
use crate::ops::decision::bellman::{BellmanTable, bellman};

/// Sweeps between two looks at the changes: each look waits for the device.
const SWEEPS: usize = 16;

impl MarkovDecisionProcess {
    /// Sweeps in f32. Only the range of changes of each 256 states comes back, once in sixteen sweeps; where rounding keeps
    /// it from falling further there is no more to gain.
    pub(super) fn swept_on(&self, device: &Device, options: &Solve) -> Result<Swept> {
        let outcomes = self.targets.iter().copied().zip(self.probabilities.iter().map(|value| *value as f32));
        let rewards: Vec<f32> = self.rewards.iter().map(|reward| *reward as f32).collect();
        let table = BellmanTable::new(device, self.actions, &self.offsets, outcomes, &rewards)?;
        let zeros = vec![0.0_f32; self.states];
        let mut values = DeviceVec::from_slice(&zeros, device)?;
        let mut next = DeviceVec::from_slice(&zeros, device)?;
        let mut changes = DeviceVec::from_slice(&vec![0.0_f32; table.changes_len()], device)?;
        let mut stream = device.stream();
        let (mut iterations, mut waits, mut residuals) = (0, 0, vec![]);
        let mut widest = f64::INFINITY;
        loop {
            for _ in 0..SWEEPS.min(options.max_iter - iterations) {
                bellman(&mut stream, &table, self.discount as f32, &values, &mut next, &mut changes)?;
                std::mem::swap(&mut values, &mut next);
                iterations += 1;
            }
            let found = changes.to_vec(&mut stream)?;
            waits += 1;
            let (least, greatest) = range(found.into_iter().map(f64::from));
            residuals.push(greatest.max(-least));
            let wide = greatest - least;
            // Values may wander for long before they settle: only a change within their rounding is the end.
            let size = residuals[0] * (iterations as f64).min(1.0 / (1.0 - self.discount));
            let stalled = wide >= widest && residuals[residuals.len() - 1] <= 1e-6 * size;
            let near = if self.discount < 1.0 { self.discount / (1.0 - self.discount) * wide / 2.0 } else { wide };
            if near <= options.tol || stalled || iterations >= options.max_iter {
                let mut values: Vec<f64> = values.to_vec(&mut stream)?.into_iter().map(f64::from).collect();
                waits += 1;
                let mut converged = self.settle(&mut values, least, greatest, options.tol);
                if self.discount == 1.0 && !converged {
                    // Rounding alone: what still changes is beyond the digits of f32.
                    let largest = values.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
                    converged = greatest.max(-least) <= 1e-5 * largest;
                } else if !converged && iterations < options.max_iter {
                    // Moved as far as the range allows; the report says how near it is.
                    self.settle(&mut values, least, greatest, f64::INFINITY);
                }
                return Ok(Swept { values, iterations, residuals, converged, waits });
            }
            widest = wide;
        }
    }
}
