//! Coordinate descent on the products of columns, where they are.

use crate::array::DeviceMatrix;
pub use crate::cpu::linear::coordinate_descent::StepPenalty;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// The products, the coefficients with their slopes.
    pub KERNEL = "linear/coordinate_descent", [Read, Write], Params;
}

params! {
    struct Params {
        columns: u32, vec4s: u32, passes: u32, positive: u32, gram_first: u32, state_first: u32, l1: f32, l2: f32,
    }
}

/// Columns that a workgroup has registers for.
pub(crate) const MOST_COLUMNS: usize = 2048;
/// Steps of a dispatch at most: one after the other, about a microsecond each on a card.
const STEPS: usize = 1 << 15;

/// So many passes of coordinate descent for `½·mean of squares + l1·‖w‖₁ + ½·l2·‖w‖²`, in place and without a wait: `gram` has the
/// d×d products of the columns, `state` (2×d) the coefficients w and below them the slopes Xᵀ(y − X·w). At most 2048 columns on
/// a GPU, where one workgroup makes all steps: each needs the one before.
///
/// A slope is followed from step to step: after k steps it is within (2·k + 2)·ε of the sizes of what was added to it,
/// ε = 2⁻²⁴.
///
/// ```
/// use gristmill::ops::linear::coordinate_descent::{StepPenalty, coordinate_descent};
/// use gristmill::{Device, Matrix};
/// let gram = Matrix::from_rows(&[[1.0, 0.5], [0.5, 1.0]])?.to(&Device::Cpu)?;
/// let mut state = Matrix::from_rows(&[[0.0, 0.0], [3.0, 1.0]])?.to(&Device::Cpu)?;
/// let penalty = StepPenalty { l1: 1.0, l2: 0.0, positive: false };
/// let mut stream = Device::Cpu.stream();
/// coordinate_descent(&mut stream, &gram, &mut state, penalty, 10)?;
/// assert_eq!(state.to_matrix(&mut stream)?.row(0), [2.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn coordinate_descent(
    stream: &mut Stream,
    gram: &DeviceMatrix,
    state: &mut DeviceMatrix,
    penalty: StepPenalty,
    passes: usize,
) -> Result<()> {
    const OP: &str = "coordinate_descent";
    gram.complete_on(stream, OP)?;
    state.complete_on(stream, OP)?;
    let d = gram.columns();
    if d == 0 || gram.rows() != d || (state.rows(), state.columns()) != (2, d) {
        let got = format!("{}×{d} and {}×{}", gram.rows(), state.rows(), state.columns());
        return Err(Error::shape(OP, "d×d products, and coefficients and slopes, 2×d", got));
    }
    let StepPenalty { l1, l2, positive } = penalty;
    if !(l1 >= 0.0 && l2 >= 0.0 && l1.is_finite() && l2.is_finite()) {
        return Err(Error::param("penalty", "finite numbers that are not below 0", format!("{l1} and {l2}")));
    }
    if stream.gpu().is_none() {
        let gram = gram.values()?;
        let (coef, slopes) = state.values_mut()?.split_at_mut(d);
        crate::cpu::linear::coordinate_descent::coordinate_descent(gram, coef, slopes, penalty, passes);
        return Ok(());
    }
    if d > MOST_COLUMNS {
        return Err(Error::Limit { what: "columns".to_string(), need: d as u64, have: MOST_COLUMNS as u64 });
    }
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let (from, to) = (gram.store()?, state.store()?);
    let view = from.view(recording, 0..d)?;
    let together = (STEPS / d).max(1);
    let target = to.target(recording, 0..2, true)?;
    for first in (0..passes).step_by(together) {
        let now = together.min(passes - first);
        let params = Params {
            columns: d as u32,
            vec4s: (from.stride() / 4) as u32,
            passes: now as u32,
            positive: u32::from(positive),
            gram_first: view.first_word() / 4,
            state_first: target.view.first_word() / 4,
            l1,
            l2,
        };
        let values = (now * d * d) as u64;
        let work = Work { operations: 2 * values, bytes: 4 * values };
        let buffers = &[view.buffer(), target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::linear(1)?, work))?;
    }
    to.commit(recording, target)
}
