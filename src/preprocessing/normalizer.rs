//! Rows of length 1.

use serde::{Deserialize, Serialize};

use super::sparse::{sparse_to_fit, sparse_to_transform};
use super::table::{
    column_names, map_rows, named, refuse_missing, restore_columns, store_columns, to_fit, to_transform,
};
use crate::array::{Matrix, SparseMatrix};
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::model_file::Container;

const OP: &str = "Normalizer";
/// Sums that are kept beside each other, so that the compiler can use vectors; added in their order at the end.
const LANES: usize = 8;

/// What the length of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Norm {
    /// Σ |x|.
    L1,
    /// (Σ x²)^½.
    #[default]
    L2,
    /// The largest |x|.
    Max,
}

impl Norm {
    /// The length of one row, in f64.
    fn of(self, row: &[f32]) -> f64 {
        match self {
            Norm::L1 => sum(row, f64::abs),
            Norm::L2 => sum(row, |value| value * value).sqrt(),
            Norm::Max => f64::from(row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()))),
        }
    }
}

#[inline(always)]
fn sum(row: &[f32], term: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (groups, rest) = row.as_chunks::<LANES>();
    for group in groups {
        lanes.iter_mut().zip(group).for_each(|(lane, value)| *lane += term(f64::from(*value)));
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, value)| *lane += term(f64::from(*value)));
    lanes.iter().sum()
}

parameters! {
    /// Divides each row by its length; a row of zeros stays. Names and defaults are scikit-learn's. Sparse rows stay
    /// sparse. O(n·d).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::Normalizer;
    /// let x = Matrix::from_rows(&[[3.0, 4.0], [0.0, 0.0]])?;
    /// let unit = Normalizer::default().fit(&x)?.transform(&x)?;
    /// assert_eq!(unit.as_slice(), [0.6, 0.8, 0.0, 0.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct Normalizer: transformer("normalizer") -> NormalizerModel;
    about "scales each row to length 1";
    {
        /// The norm: l1, l2 or max.
        norm: Norm = Norm::L2;
    }
}

impl Estimator for Normalizer {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<NormalizerModel> {
        options.refuse_weights(OP)?;
        if let Rows::Sparse(x) = x {
            sparse_to_fit(OP, x)?;
            return Ok(NormalizerModel { params: self.clone(), columns: x.columns() });
        }
        let x = to_fit(OP, x)?;
        refuse_missing(&x)?;
        Ok(NormalizerModel { params: self.clone(), columns: x.columns() })
    }
}

/// A [`Normalizer`] for rows of a known width.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalizerModel {
    params: Normalizer,
    columns: usize,
}

impl NormalizerModel {
    /// The names of the new columns: those of the input, or `x0`, `x1`, ….
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        column_names(input, self.columns)
    }
}

impl NormalizerModel {
    /// The rows divided by their lengths, n×d.
    fn transform_host(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = to_transform(OP, x, self.columns)?;
        refuse_missing(&x)?;
        let scaled = map_rows(&x, self.columns, |row, out| {
            let factor = self.factor(row);
            out.iter_mut().zip(row).for_each(|(out, value)| *out = (f64::from(*value) * factor) as f32);
        })?;
        named(scaled, &x, |names| self.names(names))
    }
}

impl NormalizerModel {
    /// What the values of a row are multiplied by; its zeros make no difference.
    fn factor(&self, row: &[f32]) -> f64 {
        let length = self.params.norm.of(row);
        if length > 0.0 { 1.0 / length } else { 1.0 }
    }

    fn transform_sparse(&self, x: &SparseMatrix) -> Result<OwnedRows> {
        sparse_to_transform(OP, x, self.columns)?;
        let factors: Vec<f64> = (0..x.rows()).map(|row| self.factor(x.row(row).1)).collect();
        Ok(OwnedRows::Sparse(x.map(|row, _, value| (f64::from(value) * factors[row]) as f32)?))
    }
}

impl Transform for NormalizerModel {}

impl Model for NormalizerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        match x {
            Rows::Sparse(x) => self.transform_sparse(x),
            _ => OwnedRows::beside(x, self.transform_host(x)?),
        }
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        Some(InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl Save for NormalizerModel {
    type Estimator = Normalizer;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_columns(container, self.columns)
    }

    fn load_fitted(params: Normalizer, container: &mut Container) -> Result<NormalizerModel> {
        Ok(NormalizerModel { params, columns: restore_columns(container)? })
    }
}
