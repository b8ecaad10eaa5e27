//! Gram matrices that the folds of a search share.

use super::{FittedKernel, Gamma, Kernel};
use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::estimator::{Rows, Shared, SharedPart};
use crate::ops;

/// Numbers in all shared matrices together, 1 GiB.
const MOST_NUMBERS: usize = 1 << 28;

/// The Gram matrices of all rows of a search, n×n each, by kernel.
///
/// An estimator makes it in [`Estimator::share_rows`](crate::estimator::Estimator::share_rows) and takes the part of a fold from
/// it in [`Estimator::share_fits`](crate::estimator::Estimator::share_fits).
pub(crate) struct SharedGrams {
    grams: Vec<(Kernel, DeviceMatrix)>,
}

impl SharedGrams {
    /// Those of the kernels whose values do not depend on which other rows there are, made on the device; nothing where there
    /// is none, or where they would need more than 1 GiB.
    pub(crate) fn of_rows<'k>(
        op: &'static str,
        kernels: impl IntoIterator<Item = &'k Kernel>,
        x: Rows<'_>,
        device: &Device,
    ) -> Result<Option<Shared>> {
        let mut shareable: Vec<&Kernel> = vec![];
        for kernel in kernels {
            if !depends_on_rows(kernel) && !shareable.contains(&kernel) {
                shareable.push(kernel);
            }
        }
        let numbers = x.rows().checked_mul(x.rows()).and_then(|all| all.checked_mul(shareable.len()));
        if shareable.is_empty() || numbers.is_none_or(|numbers| numbers > MOST_NUMBERS) {
            return Ok(None);
        }
        let Ok(x) = x.complete(op) else { return Ok(None) };
        let x = x.to_matrix(&mut x.device().stream())?.to(device)?;
        let mut grams = vec![];
        for kernel in shareable {
            // A kernel that cannot be computed fails in its own fits, which tell why.
            if let Ok((fitted, rows)) = FittedKernel::fit(op, kernel, &x) {
                grams.push((kernel.clone(), fitted.symmetric(&mut device.stream(), &rows)?));
            }
        }
        Ok(Some(Shared::new(SharedGrams { grams })))
    }

    /// The Gram matrix of some of the rows, m×m, on the device of the stream: nothing if it is not there.
    pub(crate) fn part(
        stream: &mut Stream,
        kernel: &Kernel,
        part: Option<SharedPart<'_>>,
    ) -> Result<Option<DeviceMatrix>> {
        let Some(SharedPart { shared, rows }) = part else { return Ok(None) };
        let known = shared.get::<SharedGrams>().and_then(|all| all.grams.iter().find(|(known, _)| known == kernel));
        let Some((_, gram)) = known.filter(|(_, gram)| gram.device().same(stream.device())) else { return Ok(None) };
        let places: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        let places = DeviceVec::from_slice(&places, stream.device())?;
        // Symmetric, so its rows may be taken twice.
        let tall = ops::gather_rows(stream, gram, &places)?;
        let wide = ops::transpose(stream, &tall)?;
        ops::gather_rows(stream, &wide, &places).map(Some)
    }
}

/// Whether the kernel takes a width from the rows, or is their matrix.
fn depends_on_rows(kernel: &Kernel) -> bool {
    kernel.parts().into_iter().any(|part| match part {
        Kernel::Precomputed => true,
        Kernel::Polynomial { gamma, .. }
        | Kernel::Gaussian { gamma }
        | Kernel::Laplacian { gamma }
        | Kernel::Sigmoid { gamma, .. } => *gamma == Gamma::Scale,
        _ => false,
    })
}
