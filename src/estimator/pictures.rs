//! What a model draws its own pictures from.

use super::model::InputColumns;
use crate::array::Matrix;
use crate::data::Target;
use crate::device::Device;
use crate::error::Result;

/// What a model draws its own pictures from: its columns, and rows to show it on.
pub struct PictureInput<'a> {
    /// The columns that the model sees, behind the steps of a pipeline.
    pub columns: &'a InputColumns,
    /// The name of the target, where it has one.
    pub target_name: Option<&'a str>,
    /// The rows; nothing for pictures of the model alone.
    pub rows: Option<PictureRows<'a>>,
}

/// Rows to show a model on.
#[derive(Clone, Copy)]
pub struct PictureRows<'a> {
    /// The rows that the model sees, n×d.
    pub x: &'a Matrix,
    /// What is to be predicted for them.
    pub target: &'a Target,
    /// Whether the model was fitted on them.
    pub fitted: bool,
    /// Where the model predicts.
    pub device: &'a Device,
    /// The same rows as points of a plane, where they are such.
    pub plane: Option<PicturePlane<'a>>,
}

/// Rows of two columns of numbers, before the steps of a pipeline.
#[derive(Clone, Copy)]
pub struct PicturePlane<'a> {
    /// The rows, n×2.
    pub x: &'a Matrix,
    /// Cells a side of a picture of regions.
    pub cells: usize,
    /// What the model sees of points of the plane: m×2 becomes m×d.
    pub inputs: &'a dyn Fn(&Matrix) -> Result<Matrix>,
}

impl PictureRows<'_> {
    /// What the rows are called in a picture.
    pub fn name(&self) -> &'static str {
        if self.fitted { "fitted rows" } else { "new rows" }
    }

    /// At most about `count` of the rows, spread over all of them, as files are often sorted by class; with their
    /// targets.
    pub fn sample(&self, count: usize) -> Result<(Matrix, Target)> {
        let every = self.x.rows().div_ceil(count).max(1);
        let some: Vec<usize> = (0..self.x.rows()).step_by(every).collect();
        Ok((self.x.select(&some)?, self.target.select(&some)?))
    }
}
