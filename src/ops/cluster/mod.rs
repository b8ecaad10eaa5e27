//! Clustering: the nearest centre of each row, the sums over each cluster, and the move of the centres.

pub mod assign;
pub mod center_shift;
pub mod centroid_sum;
pub mod min_distance_update;
pub mod plus_plus;

use crate::array::{DeviceMatrix, DeviceVec, Word};
use crate::device::Stream;
use crate::error::{Error, Result};

/// Refuses rows and centres that do not fit together.
pub(crate) fn check(stream: &Stream, op: &'static str, x: &DeviceMatrix, centers: &DeviceMatrix) -> Result<()> {
    x.complete_on(stream, op)?;
    centers.complete_on(stream, op)?;
    if x.columns() != centers.columns() || centers.rows() == 0 || x.columns() == 0 {
        let expected = "rows and at least one centre, of the same number of columns, at least one".to_string();
        let got = format!("{}×{} and {}×{}", x.rows(), x.columns(), centers.rows(), centers.columns());
        return Err(Error::shape(op, expected, got));
    }
    Ok(())
}

/// Copies a vector into a longer one of words on a GPU, from word `at` on.
pub(crate) fn copy_words<T: Word>(
    stream: &mut Stream,
    from: &DeviceVec<T>,
    (into, at): (&DeviceVec<u32>, usize),
) -> Result<()> {
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let view = from.store()?.view(recording, 0..from.len())?;
    let target = into.store()?.target(recording, at..at + from.len(), true)?;
    let place = |first_word: u32| 4 * u64::from(first_word);
    let (source, aim) = (place(view.first_word()), place(target.view.first_word()));
    recording.copy((view.buffer(), source), (target.view.buffer(), aim), 4 * from.len() as u64)?;
    into.store()?.commit(recording, target)
}
