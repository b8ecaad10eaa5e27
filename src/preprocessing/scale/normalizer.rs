//! Rows of length 1.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, OwnedRows, Rows, parameters};
use crate::model_file::Container;
use crate::preprocessing::table::{map_rows, saved_by_columns};
use crate::preprocessing::transformer::{Transformer, check_fit, check_width, to_fit, to_transform, transformed};

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
        let columns = match x {
            Rows::Sparse(sparse) => check_fit(self, x, &options).map(|_| sparse.columns())?,
            _ => to_fit(self, x, &options)?.columns(),
        };
        Ok(NormalizerModel { params: self.clone().into(), columns })
    }
}

/// A [`Normalizer`] for rows of a known width.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalizerModel {
    params: FittedWith<Normalizer>,
    columns: usize,
}

impl NormalizerModel {
    /// What the values of a row are multiplied by; its zeros make no difference.
    fn factor(&self, row: &[f32]) -> f64 {
        let length = self.params.norm.of(row);
        if length > 0.0 { 1.0 / length } else { 1.0 }
    }
}

impl Transformer for NormalizerModel {
    fn columns(&self) -> usize {
        self.columns
    }

    /// The rows divided by their lengths, n×d.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        map_rows(x, self.columns, |row, out| {
            let factor = self.factor(row);
            out.iter_mut().zip(row).for_each(|(out, value)| *out = (f64::from(*value) * factor) as f32);
        })
    }

    fn transform_there(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let Rows::Sparse(x) = x else {
            return OwnedRows::beside(x, transformed(self, &to_transform(self, x)?)?);
        };
        check_width(self, x.columns())?;
        let factors: Vec<f64> = (0..x.rows()).map(|row| self.factor(x.row(row).1)).collect();
        Ok(OwnedRows::Sparse(x.map(|row, _, value| (f64::from(value) * factors[row]) as f32)?))
    }
}

saved_by_columns!(Normalizer => NormalizerModel, |params, columns| Ok(NormalizerModel { params, columns }));
