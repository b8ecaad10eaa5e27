//! Kernel matrices that the fits of a search share.

use std::sync::Mutex;

use crate::array::Matrix;
use crate::device::health;
use crate::error::Result;
use crate::estimator::{Rows, Shared, SharedPart};
use crate::kernel_methods::{Kernel, SharedGrams};

/// The kernel matrix of the rows of some fits, for each kernel that is known: every cost and every pair of classes uses it.
pub(super) struct SharedMatrices {
    matrices: Vec<SharedMatrix>,
}

struct SharedMatrix {
    kernel: Kernel,
    /// In the order of the rows.
    matrix: Matrix,
    /// In the last order that was asked for: fits on the same rows with the same classes ask for the same.
    ordered: Mutex<Option<(Vec<usize>, Matrix)>>,
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
                let matrix = gram.to_matrix(&mut stream)?;
                matrices.push(SharedMatrix { kernel: kernel.clone(), matrix, ordered: Mutex::new(None) });
            }
        }
        Ok((!matrices.is_empty()).then(|| Shared::new(SharedMatrices { matrices })))
    }

    /// The matrix of a kernel with its rows and columns in this order.
    pub(super) fn in_order(&self, kernel: &Kernel, order: Option<&[usize]>) -> Result<Option<Matrix>> {
        let Some(known) = self.matrices.iter().find(|known| known.kernel == *kernel) else { return Ok(None) };
        let Some(order) = order else { return Ok(Some(known.matrix.clone())) };
        if order.len() != known.matrix.rows() {
            return Ok(None);
        }
        let mut ordered = health::lock(&known.ordered);
        match &*ordered {
            Some((same, matrix)) if same == order => Ok(Some(matrix.clone())),
            _ => {
                let matrix = known.matrix.select(order)?.select_columns(order)?;
                *ordered = Some((order.to_vec(), matrix.clone()));
                Ok(Some(matrix))
            }
        }
    }
}
