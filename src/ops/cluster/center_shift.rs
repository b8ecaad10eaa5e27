//! Centres that move to the mean of their rows.

use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "cluster/center_shift", [Read, Read, Write, Write], Params;
}

params! {
    struct Params {
        clusters: u32, vec4s: u32, center_first: u32, sum_first: u32, count_first: u32, iteration: u32, compares: u32,
        leave_empty: u32, tolerance: f32,
    }
}

/// Words of the history for each iteration.
pub(crate) const HISTORY_WORDS: usize = 4;

/// What came of an iteration, as the shader writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IterationEnd {
    /// The centres moved.
    Moved,
    /// No label differed from the iteration before: nothing moved.
    Unchanged,
    /// A cluster had no rows: nothing moved.
    Empty,
    /// The centres moved, by no more than the tolerance.
    WithinTolerance,
    /// An earlier iteration ended the search: nothing moved.
    Over,
}

/// One iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Iteration {
    pub(crate) end: IterationEnd,
    /// Σ of the squared shifts.
    pub(crate) shift: f64,
}

impl Iteration {
    /// An iteration from the words of the history.
    pub(crate) fn from_words(words: &[u32]) -> Iteration {
        let end = match words[2] {
            0 => IterationEnd::Moved,
            1 => IterationEnd::Unchanged,
            2 => IterationEnd::Empty,
            3 => IterationEnd::WithinTolerance,
            _ => IterationEnd::Over,
        };
        Iteration { end, shift: f64::from(f32::from_bits(words[1])) }
    }
}

/// How the move of an iteration may end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    /// Its number in the history.
    pub(crate) iteration: usize,
    /// Whether labels were there before, so that "no label changed" means something.
    pub(crate) compares: bool,
    /// Whether clusters without rows stay where they are, or stop everything.
    pub(crate) leave_empty: bool,
    pub(crate) tolerance: f64,
}

/// Moves each centre (k×d) by its sum over its count, as [`centroid_sum`](fn@crate::ops::centroid_sum) gives them;
/// returns Σ of the squared shifts. A centre with a count of 0 stays.
///
/// ```
/// use gristmill::{Device, DeviceVec, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let mut centers = Matrix::from_rows(&[[1.0], [8.0]])?.to(&Device::Cpu)?;
/// let sums = Matrix::from_rows(&[[2.0], [0.0]])?.to(&Device::Cpu)?;
/// let counts = DeviceVec::from_slice(&[2.0, 0.0], &Device::Cpu)?;
/// assert_eq!(ops::center_shift(&mut stream, &mut centers, &sums, &counts)?, 1.0);
/// assert_eq!(centers.to_matrix(&mut stream)?.as_slice(), [2.0, 8.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn center_shift(
    stream: &mut Stream,
    centers: &mut DeviceMatrix,
    sums: &DeviceMatrix,
    counts: &DeviceVec<f32>,
) -> Result<f64> {
    let op = "center_shift";
    super::check(stream, op, sums, centers)?;
    counts.complete_on(stream, op)?;
    if sums.rows() != centers.rows() || counts.len() != centers.rows() {
        let expected = format!("a sum and a count for each of {} centres", centers.rows());
        return Err(Error::shape(op, expected, format!("{} and {}", sums.rows(), counts.len())));
    }
    if stream.gpu().is_none() {
        let (k, d) = (centers.rows(), centers.columns());
        let widen = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
        let (sums, counts) = (widen(sums.values()?), widen(counts.values()?));
        return Ok(crate::cpu::cluster::center_shift::center_shift(centers.values_mut()?, &sums, &counts, k, d));
    }
    let history = record_move(stream, centers, sums, counts)?;
    Ok(Iteration::from_words(&history.to_vec(stream)?).shift)
}

/// Records one move on a GPU, whatever comes of it, and returns the words that tell.
pub(crate) fn record_move(
    stream: &mut Stream,
    centers: &mut DeviceMatrix,
    sums: &DeviceMatrix,
    counts: &DeviceVec<f32>,
) -> Result<DeviceVec<u32>> {
    centers.make_own(stream)?;
    let history = DeviceVec::from_slice(&[0_u32; HISTORY_WORDS], stream.device())?;
    if let Some(recording) = stream.gpu() {
        let how = Move { iteration: 0, compares: false, leave_empty: true, tolerance: 0.0 };
        record(recording, centers, (sums, counts), &history, how)?;
    }
    Ok(history)
}

/// Records the move.
pub(crate) fn record(
    recording: &mut Recording,
    centers: &DeviceMatrix,
    (sums, counts): (&DeviceMatrix, &DeviceVec<f32>),
    history: &DeviceVec<u32>,
    how: Move,
) -> Result<()> {
    let k = centers.rows();
    let center_target = centers.store()?.target(recording, 0..k, true)?;
    let history_target = history.store()?.target(recording, 0..history.len(), true)?;
    let sum_view = sums.store()?.view(recording, 0..k)?;
    let count_view = counts.store()?.view(recording, 0..k)?;
    let values = (k * centers.store()?.stride()) as u64;
    let params = Params {
        clusters: k as u32,
        vec4s: (centers.store()?.stride() / 4) as u32,
        center_first: center_target.view.first_word() / 4,
        sum_first: sum_view.first_word() / 4,
        count_first: count_view.first_word(),
        iteration: how.iteration as u32,
        compares: u32::from(how.compares),
        leave_empty: u32::from(how.leave_empty),
        tolerance: how.tolerance as f32,
    };
    let grid = Grid::linear(1)?;
    let work = Work { operations: 4 * values, bytes: 12 * values };
    let buffers = &[sum_view.buffer(), count_view.buffer(), center_target.view.buffer(), history_target.view.buffer()];
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work))?;
    history.store()?.commit(recording, history_target)?;
    centers.store()?.commit(recording, center_target)
}
