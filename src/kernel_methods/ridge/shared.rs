//! What kernel ridge fits of a search have in common: the matrix, and a factorisation for every penalty.

use super::path::RidgePath;
use super::{KernelRidge, OP, System};
use crate::array::DeviceMatrix;
use crate::error::Result;
use crate::estimator::{Fit, Rows, Shared, SharedPart};
use crate::kernel_methods::{FittedKernel, Kernel, SharedGrams};

/// Penalties from which on one factorisation for all costs less than one for each.
const MANY_ALPHAS: usize = 6;

/// The work for each kernel that several settings have.
pub(super) struct SharedRidge {
    kernels: Vec<KernelWork>,
}

/// What is known of one kernel on the rows of the fits.
pub(super) struct KernelWork {
    kernel: Kernel,
    /// K.
    pub(super) gram: Option<DeviceMatrix>,
    /// K + alpha·I for every alpha.
    pub(super) path: Option<RidgePath>,
}

impl SharedRidge {
    pub(super) fn of_fits(
        settings: &[&KernelRidge],
        x: Rows<'_>,
        options: &Fit<'_>,
        part: Option<SharedPart<'_>>,
    ) -> Result<Option<Shared>> {
        let exact: Vec<&&KernelRidge> = settings.iter().filter(|one| one.is_exact(x.rows())).collect();
        if exact.len() < MANY_ALPHAS && part.is_none() {
            return Ok(None);
        }
        let Ok(x) = x.complete(OP) else { return Ok(None) };
        let weights = options.weights(OP, x.rows())?;
        let mut stream = x.device().stream();
        let mut kernels: Vec<KernelWork> = vec![];
        for one in &exact {
            if kernels.iter().any(|known| known.kernel == one.kernel) {
                continue;
            }
            let gram = SharedGrams::part(&mut stream, &one.kernel, part)?;
            let mut alphas: Vec<f64> =
                exact.iter().filter(|other| other.kernel == one.kernel).map(|other| other.alpha).collect();
            alphas.sort_by(f64::total_cmp);
            alphas.dedup();
            let path = match (alphas.len() >= MANY_ALPHAS, FittedKernel::fit(OP, &one.kernel, &x)) {
                (true, Ok((kernel, rows))) => {
                    let system = System { x: &x, kernel: &kernel, rows: &rows, weights, gram: gram.as_ref() };
                    RidgePath::in_f32(&system)?
                }
                _ => None,
            };
            kernels.push(KernelWork { kernel: one.kernel.clone(), gram, path });
        }
        Ok(Some(Shared::new(SharedRidge { kernels })))
    }

    pub(super) fn find(&self, kernel: &Kernel) -> Option<&KernelWork> {
        self.kernels.iter().find(|known| known.kernel == *kernel)
    }
}
