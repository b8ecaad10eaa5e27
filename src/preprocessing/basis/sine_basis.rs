//! Sines and cosines of columns.

use std::f64::consts::TAU;

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, FittedWith, Rows, parameters};
use crate::model_file::Container;
use crate::preprocessing::table::{map_rows, saved_by_columns};
use crate::preprocessing::transformer::{Transformer, to_fit};

/// New columns at most, from all columns together.
const MOST_COLUMNS: u64 = 1 << 24;

parameters! {
    /// Basis functions for periodic signals: x ↦ sin(2πx/period), sin(2·2πx/period), …, sin(p·2πx/period) of each
    /// column, and the cosines when asked.
    ///
    /// One sine and cosine a value in f64, the others by turning on: O(n·d·p), within 1e-6.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::SineBasis;
    /// let hours = Matrix::from_rows(&[[0.0], [6.0]])?.with_names(["hour"])?;
    /// let z = SineBasis::new(1).period(24.0).cosine(true).fit(&hours)?.transform(&hours)?;
    /// assert_eq!(z.names().unwrap(), ["hour_sin1", "hour_cos1"]);
    /// assert!((z.get(1, 0) - 1.0).abs() < 1e-6 && z.get(1, 1).abs() < 1e-6);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct SineBasis: transformer("sine-basis") -> SineBasisModel;
    about "sines of each column";
    new(n_terms: usize);
    {
        /// Number of sines of each column: of the angle and its multiples.
        n_terms: usize = 3, at_least(1.0);
        /// The period of the first sine.
        period: f64 = TAU, holds(is_period, "a finite number above 0");
        /// Whether to add the cosines too.
        cosine: bool = false;
    }
}

impl SineBasis {
    /// New columns from each old one.
    fn width(&self) -> usize {
        self.n_terms.saturating_mul(1 + usize::from(self.cosine))
    }
}

/// The angle of the largest f32 has to stay finite.
fn is_period(period: &f64) -> bool {
    *period > 0.0 && period.is_finite() && (TAU / period) < 1e200
}

impl Estimator for SineBasis {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<SineBasisModel> {
        SineBasisModel::new(self.clone().into(), to_fit(self, x, &options)?.columns())
    }
}

/// A [`SineBasis`] for rows of a known width.
#[derive(Debug, Clone, PartialEq)]
pub struct SineBasisModel {
    params: FittedWith<SineBasis>,
    columns: usize,
}

impl SineBasisModel {
    fn new(params: FittedWith<SineBasis>, columns: usize) -> Result<SineBasisModel> {
        let need = (params.width() as u64).saturating_mul(columns as u64);
        if need > MOST_COLUMNS {
            return Err(Error::Limit { what: "columns of a sine basis".to_string(), need, have: MOST_COLUMNS });
        }
        Ok(SineBasisModel { params, columns })
    }

    /// The sines, and cosines, of one value.
    fn expand(&self, value: f32, out: &mut [f32]) {
        let (sine, cosine) = (f64::from(value) * (TAU / self.params.period)).sin_cos();
        let (sines, cosines) = out.split_at_mut(self.params.n_terms);
        let (mut high, mut wide) = (0.0, 1.0);
        for (term, out) in sines.iter_mut().enumerate() {
            // sin(a + b) and cos(a + b); an error of a few 2⁻⁵³ a step.
            (high, wide) = (high * cosine + wide * sine, wide * cosine - high * sine);
            *out = high as f32;
            if let Some(out) = cosines.get_mut(term) {
                *out = wide as f32;
            }
        }
    }
}

impl Transformer for SineBasisModel {
    fn columns(&self) -> usize {
        self.columns
    }

    /// `x0_sin1`, `x0_sin2`, …, `x0_cos1`, …, `x1_sin1`, ….
    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        let functions: &[&str] = if self.params.cosine { &["sin", "cos"] } else { &["sin"] };
        let terms = functions.iter().flat_map(|function| (1..=self.params.n_terms).map(move |term| (function, term)));
        let of = |name| terms.clone().map(move |(function, term)| (format!("{name}_{function}{term}"), None));
        names.into_iter().flat_map(of).collect()
    }

    /// The basis functions of each row, n×(d·p), or n×(2·d·p) with cosines.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let width = self.params.width();
        map_rows(x, width * self.columns, |row, out| {
            row.iter().zip(out.chunks_exact_mut(width)).for_each(|(value, out)| self.expand(*value, out));
        })
    }
}

saved_by_columns!(SineBasis => SineBasisModel, SineBasisModel::new);
