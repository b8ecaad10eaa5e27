//! Coordinate descent for many rows at once, which share the products of the columns.

use crate::array::{DeviceMatrix, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
pub use crate::ops::linear::coordinate_descent::StepPenalty;

kernels! {
    /// The products of columns, those of the rows with them, the coefficients.
    pub KERNEL = "decomposition/row_descent", [Read, Read, Write], Params;
}

params! {
    struct Params {
        rows: u32, columns: u32, passes: u32, positive: u32, gram_first: u32, product_first: u32, coef_first: u32,
        vec4s: u32, l1: f32, l2: f32,
    }
}

/// Columns that a workgroup of the shader has room for.
pub(crate) const MOST_COLUMNS: usize = 1024;

/// Minimises `½·wᵀGw − bᵀw + l1·‖w‖₁ + ½·l2·‖w‖²` for each row w of `coef` (n×k) by passes of coordinate descent from where
/// it is, without a wait. `gram` is G, k×k; `products` has the rows b, n×k. Two lasso penalties, non-negative least squares
/// and soft thresholds (G = 1) are of this form.
///
/// On the CPU a row ends when no coordinate moves by more than `tolerance` of the largest. A GPU makes all passes, on at most 1024 columns.
/// 2·k² operations a row and pass at most. A slope is followed from step to step: after p passes it is within
/// (2·p·k + k + 2)·ε of the sizes of what was added to it, ε = 2⁻²⁴.
///
/// ```
/// use gristmill::ops::decomposition::row_descent::{StepPenalty, row_descent};
/// use gristmill::{Device, Matrix};
/// let gram = Matrix::from_rows(&[[1.0, 0.5], [0.5, 1.0]])?.to(&Device::Cpu)?;
/// let products = Matrix::from_rows(&[[3.0, 1.0], [0.5, 0.2]])?.to(&Device::Cpu)?;
/// let mut coef = Matrix::zeros(2, 2)?.to(&Device::Cpu)?;
/// let penalty = StepPenalty { l1: 1.0, l2: 0.0, positive: false };
/// let mut stream = Device::Cpu.stream();
/// row_descent(&mut stream, &gram, &products, &mut coef, penalty, (20, 1e-6))?;
/// assert_eq!(coef.to_matrix(&mut stream)?.as_slice(), [2.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn row_descent(
    stream: &mut Stream,
    gram: &DeviceMatrix,
    products: &DeviceMatrix,
    coef: &mut DeviceMatrix,
    penalty: StepPenalty,
    (passes, tolerance): (usize, f32),
) -> Result<()> {
    const OP: &str = "row_descent";
    for operand in [gram, products, &*coef] {
        operand.complete_on(stream, OP)?;
    }
    let (n, k) = (coef.rows(), coef.columns());
    if (gram.rows(), gram.columns()) != (k, k) || (products.rows(), products.columns()) != (n, k) {
        let got = format!("{}×{} and {}×{}", gram.rows(), gram.columns(), products.rows(), products.columns());
        return Err(Error::shape(OP, format!("{k}×{k} products of columns and {n}×{k} of rows"), got));
    }
    let StepPenalty { l1, l2, positive } = penalty;
    if !(l1 >= 0.0 && l2 >= 0.0 && l1.is_finite() && l2.is_finite()) {
        return Err(Error::param("penalty", "finite numbers that are not below 0", format!("{l1} and {l2}")));
    }
    if n == 0 || k == 0 {
        return Ok(());
    }
    coef.make_own(stream)?;
    if stream.gpu().is_none() {
        let (gram, products) = (gram.values()?, products.values()?);
        let how = (passes, tolerance);
        crate::cpu::decomposition::row_descent::row_descent(gram, products, coef.values_mut()?, k, penalty, how);
        return Ok(());
    }
    if k > MOST_COLUMNS {
        let what = "columns of coefficients on a GPU".to_string();
        return Err(Error::Limit { what, need: k as u64, have: MOST_COLUMNS as u64 });
    }
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let (square, from, to) = (gram.store()?, products.store()?, coef.store()?);
    let gram_view = square.view(recording, 0..k)?;
    let operations = 2 * (k * k) as u64 * (passes + 1) as u64;
    for rows in blocks(n, RowStore::block_rows(&recording.gpu, 2 * to.stride() as u64, operations, 16)) {
        let view = from.view(recording, rows.clone())?;
        let target = to.target(recording, rows.clone(), true)?;
        let params = Params {
            rows: rows.len() as u32,
            columns: k as u32,
            passes: passes as u32,
            positive: u32::from(positive),
            gram_first: gram_view.first_word() / 4,
            product_first: view.first_word() / 4,
            coef_first: target.view.first_word() / 4,
            vec4s: (to.stride() / 4) as u32,
            l1,
            l2,
        };
        let count = rows.len() as u64;
        let work = Work { operations: count * operations, bytes: 12 * count * k as u64 };
        let buffers = &[gram_view.buffer(), view.buffer(), target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::linear(count)?, work))?;
        to.commit(recording, target)?;
    }
    Ok(())
}
