//! The units in which a solver sees the columns: means taken out, deviations made 1.

use crate::array::{DeviceMatrix, SparseMatrix};
use crate::cpu::sparse::moments;
use crate::error::Result;
use crate::ops;

/// Rows at most whose moments give the units: they set the pace of a solver, not its result.
const SAMPLE: usize = 1 << 14;
/// A mean this many deviations from 0 leaves f32 margins too few digits.
const FAR: f64 = 64.0;

/// Columns and intercept as a solver sees them. A point has d numbers for each plane, then the intercepts.
#[derive(Debug, Clone)]
pub(in crate::linear) struct Units {
    pub(in crate::linear) mean: Vec<f64>,
    pub(in crate::linear) scale: Vec<f64>,
    intercept: bool,
}

impl Units {
    /// The units of dense rows, centred where there is an intercept.
    pub(in crate::linear) fn of_dense(x: &DeviceMatrix, intercept: bool) -> Result<Units> {
        let sample = strided(x, SAMPLE.min(x.rows()))?;
        let moments = ops::column_moments(&mut sample.device().stream(), &sample, None)?;
        Ok(Units::new(moments.mean, &moments.variance, intercept))
    }

    /// The units of sparse rows. A shift of the columns costs nothing: it goes into the intercept.
    pub(in crate::linear) fn of_sparse(x: &SparseMatrix, intercept: bool) -> Units {
        let moments = moments(x.into());
        Units::new(moments.mean, &moments.variance, intercept)
    }

    fn new(mean: Vec<f64>, variance: &[f64], intercept: bool) -> Units {
        let spread = |(variance, mean): (&f64, &f64)| {
            let square = if intercept { *variance } else { variance + mean * mean };
            if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 }
        };
        let scale = variance.iter().zip(&mean).map(spread).collect();
        let mean = if intercept { mean } else { vec![0.0; mean.len()] };
        Units { mean, scale, intercept }
    }

    /// The same without a shift, for a penalty on the intercept of the columns as they are.
    pub(in crate::linear) fn uncentred(mut self) -> Units {
        self.mean.fill(0.0);
        self
    }

    /// Whether margins in f32 keep their digits.
    pub(in crate::linear) fn fit_single_precision(&self) -> bool {
        self.mean.iter().zip(&self.scale).all(|(mean, scale)| mean.abs() <= FAR * scale)
    }

    /// Coefficients and intercepts in the units of the rows.
    pub(in crate::linear) fn planes(&self, point: &[f64], planes: usize) -> (Vec<f64>, Vec<f64>) {
        let d = self.mean.len();
        let (scaled, offsets) = point.split_at(planes * d);
        let coef: Vec<f64> = scaled.iter().enumerate().map(|(at, value)| value / self.scale[at % d]).collect();
        let at_mean = |plane: usize| coef[plane * d..][..d].iter().zip(&self.mean).map(|(a, b)| a * b).sum::<f64>();
        let intercept = offsets.iter().enumerate().map(|(plane, offset)| offset - at_mean(plane)).collect();
        (coef, intercept)
    }

    /// The slope in these units from that in the units of the rows.
    pub(in crate::linear) fn slopes(&self, coef: &[f64], intercept: &[f64]) -> Vec<f64> {
        let d = self.mean.len();
        let about = |(at, slope): (usize, &f64)| (slope - self.mean[at % d] * intercept[at / d]) / self.scale[at % d];
        let offsets = intercept.iter().map(|slope| if self.intercept { *slope } else { 0.0 });
        coef.iter().enumerate().map(about).chain(offsets).collect()
    }

    pub(in crate::linear) fn has_intercept(&self) -> bool {
        self.intercept
    }
}

/// So many rows, evenly apart, on the CPU; the rows themselves where all are wanted and they are there.
pub(in crate::linear) fn strided(x: &DeviceMatrix, wanted: usize) -> Result<DeviceMatrix> {
    let rows = strided_rows(x.rows(), wanted);
    let mut stream = x.device().stream();
    if let Some(matrix) = x.on_host() {
        let taken = if wanted >= x.rows() { matrix.clone() } else { matrix.select(&rows)? };
        return taken.to(&crate::device::Device::Cpu);
    }
    let chosen: Vec<u32> = rows.iter().map(|row| *row as u32).collect();
    let chosen = crate::array::DeviceVec::from_slice(&chosen, x.device())?;
    let taken = ops::gather_rows(&mut stream, x, &chosen)?.to_matrix(&mut stream)?;
    taken.to(&crate::device::Device::Cpu)
}

/// The places of rows that are evenly apart.
pub(in crate::linear) fn strided_rows(rows: usize, wanted: usize) -> Vec<usize> {
    let wanted = wanted.clamp(1, rows.max(1)).min(rows);
    (0..wanted).map(|at| (at as u128 * rows as u128 / wanted.max(1) as u128) as usize).collect()
}
