//! Clustering: the nearest centre of each row, the sums over each cluster, and the move of the centres.

pub mod assign;
pub mod center_shift;
pub mod centroid_sum;
pub mod min_distance_update;
pub mod plus_plus;

use crate::array::DeviceMatrix;
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
