//! Densities as sums of a Gaussian around each row.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::pictures::density_picture;
use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FittedWith, Model, PictureInput, Rows, Save, ScoreSamples, parameters,
};
use crate::kernel_methods::{FittedKernel, Kernel, KernelExpansion};
use crate::model_file::Container;
use crate::plot::Figure;

/// Sums below this are made again in f64 by their logarithms: in f32 their terms may be 0.
const SMALLEST: f32 = 1e-30;

/// The width of the Gaussians.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Bandwidth {
    /// This standard deviation.
    Width(f64),
    /// n^(−1/(d + 4)), as Scott's rule for columns of variance 1.
    Scott,
    /// (n·(d + 2)/4)^(−1/(d + 4)), as Silverman's rule for columns of variance 1.
    Silverman,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Width(f64),
    Name(String),
}

impl From<Bandwidth> for Written {
    fn from(bandwidth: Bandwidth) -> Written {
        match bandwidth {
            Bandwidth::Width(width) => Written::Width(width),
            Bandwidth::Scott => Written::Name("scott".to_string()),
            Bandwidth::Silverman => Written::Name("silverman".to_string()),
        }
    }
}

impl TryFrom<Written> for Bandwidth {
    type Error = Error;

    fn try_from(written: Written) -> Result<Bandwidth> {
        let rule = "a number above 0, scott or silverman";
        match written {
            Written::Width(width) if width > 0.0 && width.is_finite() => Ok(Bandwidth::Width(width)),
            Written::Name(name) if name == "scott" => Ok(Bandwidth::Scott),
            Written::Name(name) if name == "silverman" => Ok(Bandwidth::Silverman),
            Written::Width(got) => Err(Error::param("bandwidth", rule, got)),
            Written::Name(got) => Err(Error::param("bandwidth", rule, got)),
        }
    }
}

impl From<f64> for Bandwidth {
    fn from(width: f64) -> Bandwidth {
        Bandwidth::Width(width)
    }
}

impl Bandwidth {
    fn of(self, rows: f64, columns: usize) -> Result<f64> {
        let d = columns as f64;
        match self {
            Bandwidth::Width(_) => match Bandwidth::try_from(Written::from(self))? {
                Bandwidth::Width(width) => Ok(width),
                _ => Ok(1.0),
            },
            Bandwidth::Scott => Ok(rows.powf(-1.0 / (d + 4.0))),
            Bandwidth::Silverman => Ok((rows * (d + 2.0) / 4.0).powf(-1.0 / (d + 4.0))),
        }
    }
}

parameters! {
    /// Kernel density estimation: the density at x is the mean of Gaussians around the fitted rows. Names and defaults are
    /// scikit-learn's.
    ///
    /// ```
    /// use gristmill::mixture::KernelDensity;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [2.0]])?;
    /// let model = KernelDensity::default().fit(&x)?;
    /// let at_one = model.score_samples(&Matrix::from_rows(&[[1.0]])?)?[0];
    /// assert!((at_one.exp() - 0.24197).abs() < 1e-5);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The sums are products K·V of the kernel, where the rows live, and K is not stored. Far from all rows, where f32
    ///   has no number small enough, they are made by their logarithms in f64 on the host.
    /// - Rows of weight 2 count as two rows.
    pub struct KernelDensity: density("kernel-density") -> KernelDensityModel;
    about "density as the mean of a Gaussian around each row";
    {
        /// Standard deviation of the Gaussians: a number, scott or silverman.
        #[into]
        bandwidth: Bandwidth = Bandwidth::Width(1.0);
    }
}

impl Estimator for KernelDensity {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<KernelDensityModel> {
        let weights = options.weights(Self::TYPE, x.rows())?;
        let x = x.complete(Self::TYPE)?;
        let total = weights.map_or(x.rows() as f64, |weights| weights.iter().copied().map(f64::from).sum());
        let width = self.bandwidth.of(total, x.columns())?;
        let (kernel, _) = FittedKernel::fit(Self::TYPE, &Kernel::gaussian(width), &x)?;
        let share = |row: usize| (weights.map_or(1.0, |weights| f64::from(weights[row])) / total) as f32;
        let coef = Matrix::from_vec(x.rows(), 1, (0..x.rows()).map(share).collect())?;
        let rows = x.to_matrix(&mut x.device().stream())?;
        Ok(KernelDensityModel {
            params: self.clone().into(),
            width,
            sums: KernelExpansion::over(kernel, &rows, None, coef)?,
        })
    }
}

/// The rows that [`KernelDensity`] was fitted on, and the width of the Gaussians around them.
#[derive(Debug, Clone)]
pub struct KernelDensityModel {
    params: FittedWith<KernelDensity>,
    width: f64,
    sums: KernelExpansion,
}

impl KernelDensityModel {
    /// The standard deviation of the Gaussians.
    pub fn bandwidth(&self) -> f64 {
        self.width
    }

    /// So many random rows, n×d: fitted rows with a Gaussian step each.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Matrix> {
        let (rows, coef) = (self.sums.rows(), self.sums.coef());
        let d = rows.columns();
        let (which, normals) = (Philox::new(seed, 0x6b64_0000), Philox::new(seed, 0x6b64_0001));
        let mut made = Vec::with_capacity(count * d);
        for number in 0..count {
            let mut left = which.uniform(number as u64);
            let row = coef.as_slice().iter().position(|share| {
                left -= share;
                left < 0.0
            });
            let row = rows.row(row.unwrap_or(rows.rows() - 1));
            let step = |i: usize| self.width * f64::from(normals.normal((number * d + i) as u64));
            made.extend(row.iter().enumerate().map(|(i, value)| f64::from(*value) + step(i)));
        }
        Matrix::from_f64(count, d, &made)
    }

    /// ln Σ share·exp(−‖x − row‖²/2h²) in f64.
    fn far(&self, x: &[f32]) -> f64 {
        let (rows, coef) = (self.sums.rows(), self.sums.coef().as_slice());
        let term = |row: usize| {
            let square: f64 = rows.row(row).iter().zip(x).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
            f64::from(coef[row]).ln() - 0.5 * square / (self.width * self.width)
        };
        let terms: Vec<f64> = (0..rows.rows()).map(term).collect();
        let highest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        highest + terms.iter().map(|term| (term - highest).exp()).sum::<f64>().ln()
    }
}

impl ScoreSamples for KernelDensityModel {}

impl Model for KernelDensityModel {
    fn score_samples_rows(&self, x: Rows<'_>) -> Result<Option<Vec<f64>>> {
        let sums = self.sums.predict(KernelDensity::TYPE, x)?;
        let d = self.sums.rows().columns() as f64;
        let unit = -d * (self.width.ln() + 0.5 * (2.0 * PI).ln());
        let host = match sums.as_slice().iter().any(|sum| *sum < SMALLEST) {
            true => Some(x.on_host()?),
            false => None,
        };
        let log = |(row, sum): (usize, &f32)| match &host {
            Some(x) if *sum < SMALLEST => self.far(x.row(row)),
            _ => f64::from(*sum).ln(),
        };
        Ok(Some(sums.as_slice().iter().enumerate().map(|at| unit + log(at)).collect()))
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_number("bandwidth", self.width)
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let none = || Error::param("density", "log-densities", "none");
        density_picture(input, &[], |x| self.score_samples_rows(Rows::Host(x))?.ok_or_else(none))
    }
}

impl Save for KernelDensityModel {
    type Estimator = KernelDensity;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("bandwidth", &[self.width])?;
        self.sums.store(container)
    }

    fn load_fitted(params: FittedWith<KernelDensity>, container: &mut Container) -> Result<KernelDensityModel> {
        let width: Vec<f64> = container.take("bandwidth", &[1])?;
        let sums = KernelExpansion::restore(container)?;
        let wide = width[0] > 0.0;
        if !wide || sums.coef().columns() != 1 || sums.rows().rows() == 0 {
            return Err(container.refuse("a bandwidth of 0, or no rows"));
        }
        Ok(KernelDensityModel { params, width: width[0], sums })
    }
}
