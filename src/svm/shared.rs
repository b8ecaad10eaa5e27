//! Kernel matrices that the fits of a search share.

use std::sync::Mutex;

use rayon::prelude::*;

use crate::array::{DeviceMatrix, Matrix};
use crate::device::{Device, health};
use crate::error::Result;
use crate::estimator::{Rows, Shared, SharedPart};
use crate::kernel_methods::{Kernel, SharedGrams};

/// The kernel matrix of the rows of some fits, for each kernel that is known: every cost and every pair of classes uses it.
pub(super) struct SharedMatrices {
    matrices: Vec<SharedMatrix>,
}

struct SharedMatrix {
    kernel: Kernel,
    /// In the order of the rows, on the CPU.
    matrix: DeviceMatrix,
    /// In the last order that was asked for: fits on the same rows with the same classes ask for the same.
    ordered: Mutex<Option<(Vec<usize>, DeviceMatrix)>>,
}

impl SharedMatrices {
    /// The matrices of the rows of a fold, from those of all rows.
    pub(super) fn of_fits<'k>(
        kernels: impl Iterator<Item = &'k Kernel>,
        x: Rows<'_>,
        part: Option<SharedPart<'_>>,
    ) -> Result<Option<Shared>> {
        let mut stream = x.device().stream();
        let mut matrices: Vec<SharedMatrix> = vec![];
        for kernel in kernels {
            if matrices.iter().any(|known| known.kernel == *kernel) {
                continue;
            }
            if let Some(gram) = SharedGrams::part(&mut stream, kernel, part)? {
                matrices.push(SharedMatrix { kernel: kernel.clone(), matrix: gram, ordered: Mutex::new(None) });
            }
        }
        Ok((!matrices.is_empty()).then(|| Shared::new(SharedMatrices { matrices })))
    }

    /// The matrix of a kernel with its rows and columns in this order.
    pub(super) fn in_order(&self, kernel: &Kernel, order: Option<&[usize]>) -> Result<Option<DeviceMatrix>> {
        let Some(known) = self.matrices.iter().find(|known| known.kernel == *kernel) else { return Ok(None) };
        let Some(order) = order else { return Ok(Some(known.matrix.clone())) };
        if order.len() != known.matrix.rows() {
            return Ok(None);
        }
        let mut ordered = health::lock(&known.ordered);
        match &*ordered {
            Some((same, matrix)) if same == order => Ok(Some(matrix.clone())),
            _ => {
                let matrix = both_in_order(&known.matrix, order)?;
                *ordered = Some((order.to_vec(), matrix.clone()));
                Ok(Some(matrix))
            }
        }
    }
}

/// Rows and columns of a matrix on the CPU in another order.
fn both_in_order(matrix: &DeviceMatrix, order: &[usize]) -> Result<DeviceMatrix> {
    let (n, values) = (order.len(), matrix.values()?);
    let mut sorted = vec![0.0; n * n];
    sorted.par_chunks_mut(n.max(1)).zip(order).for_each(|(sorted, row)| {
        let row = &values[row * n..(row + 1) * n];
        sorted.iter_mut().zip(order).for_each(|(sorted, column)| *sorted = row[*column]);
    });
    Matrix::from_vec(n, n, sorted)?.to(&Device::Cpu)
}

/// What every machine says of itself as an estimator: it takes sparse rows, and its fits share kernel matrices.
macro_rules! shares_matrices {
    () => {
        fn abilities(&self) -> $crate::estimator::Abilities {
            $crate::estimator::Abilities { sparse: true, ..Default::default() }
        }

        fn share_rows(
            settings: &[&Self],
            x: $crate::estimator::Rows<'_>,
            device: &$crate::device::Device,
        ) -> $crate::error::Result<Option<$crate::estimator::Shared>> {
            // A GPU computes what it needs, and stores no matrix.
            if let $crate::device::Device::Gpu(_) = device {
                return Ok(None);
            }
            let kernels = settings.iter().map(|one| &one.kernel);
            $crate::kernel_methods::SharedGrams::of_rows(Self::TYPE, kernels, x, device)
        }

        fn share_fits(
            settings: &[&Self],
            x: $crate::estimator::Rows<'_>,
            _: &$crate::estimator::Fit<'_>,
            part: Option<$crate::estimator::SharedPart<'_>>,
        ) -> $crate::error::Result<Option<$crate::estimator::Shared>> {
            $crate::svm::shared::SharedMatrices::of_fits(settings.iter().map(|one| &one.kernel), x, part)
        }
    };
}

pub(super) use shares_matrices;
