//! Rows of length 1.

use serde::{Deserialize, Serialize};

use super::table::{
    column_names, map_rows, named, refuse_missing, restore_columns, store_columns, to_fit, to_transform,
};
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Rows, Transform};
use crate::model_file::{Container, Persist};

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

/// Divides each row by its length; a row of zeros stays. Names and defaults are scikit-learn's. O(n·d).
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::Normalizer;
/// let x = Matrix::from_rows(&[[3.0, 4.0], [0.0, 0.0]])?;
/// let unit = Normalizer::default().fit(&x)?.transform(&x)?;
/// assert_eq!(unit.as_slice(), [0.6, 0.8, 0.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Normalizer {
    /// What the length of a row is. Default [`Norm::L2`].
    pub norm: Norm,
}

impl Normalizer {
    /// Sets what the length of a row is.
    pub fn norm(mut self, norm: Norm) -> Normalizer {
        self.norm = norm;
        self
    }

    /// Remembers how wide `x`, n×d, is; there is nothing else to find.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<NormalizerModel> {
        let x = to_fit(OP, x.into())?;
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
            let length = self.params.norm.of(row);
            let factor = if length > 0.0 { 1.0 / length } else { 1.0 };
            out.iter_mut().zip(row).for_each(|(out, value)| *out = (f64::from(*value) * factor) as f32);
        })?;
        named(scaled, &x, |names| self.names(names))
    }
}

impl Transform for NormalizerModel {}

impl crate::estimator::Model for NormalizerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<crate::estimator::OwnedRows> {
        crate::estimator::OwnedRows::beside(x, self.transform_host(x)?)
    }

    fn transformed_columns(&self, input: &crate::estimator::InputColumns) -> Option<crate::estimator::InputColumns> {
        Some(crate::estimator::InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl crate::estimator::Parameters for Normalizer {
    type Model = NormalizerModel;
    type Target<'a> = ();
    const NAME: &'static str = "normalizer";
    const ABOUT: &'static str = "each row of length 1";
    const PARAMETERS: &'static [crate::estimator::Parameter] =
        &[crate::estimator::Parameter { name: "norm", help: "What the length of a row is. Default [`Norm::L2`]." }];
    const TASK: crate::estimator::Task = crate::estimator::Task::Transformation;
}

impl crate::estimator::Estimator for Normalizer {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: crate::estimator::Fit<'_>) -> Result<NormalizerModel> {
        options.refuse_weights(OP)?;
        self.fit(x)
    }
}

impl Persist for NormalizerModel {
    const KIND: &'static str = "normalizer";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        store_columns(container, self.columns)
    }

    fn restore(container: &mut Container) -> Result<NormalizerModel> {
        Ok(NormalizerModel { params: container.parameters()?, columns: restore_columns(container)? })
    }
}
