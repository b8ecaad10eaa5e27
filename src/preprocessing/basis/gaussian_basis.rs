//! Gaussian bumps over columns, or over whole rows.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::cpu::sort::numbers::sort_numbers;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;
use crate::preprocessing::statistics::{by_column, sorted_quantile};
use crate::preprocessing::table::{map_rows, restore_lists, store_lists};
use crate::preprocessing::transformer::{Transformer, to_fit};

/// Centres of a column at most.
const MOST_CENTERS: usize = 1 << 20;

/// Where the centres of a [`GaussianBasis`] are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GaussianCenters {
    /// Evenly from the smallest to the largest value of each column.
    #[default]
    Grid,
    /// At evenly spaced quantiles of each column, from the smallest to the largest value; equal ones once.
    Quantiles,
    /// At these points, each as wide as the rows: a bump is then a function of the whole row.
    Points(Vec<Vec<f32>>),
}

parameters! {
    /// Gaussian basis functions, exp(−(x − c)² / 2·width²): one for each column and each of its centres, or, for
    /// centres that are points, exp(−|x − c|² / 2·width²) of the row. O(n) exponentials for each new column, in f64.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::GaussianBasis;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [4.0]])?;
    /// let z = GaussianBasis::new(3).fit(&x)?.transform(&x)?; // centres 0, 2 and 4, as wide as they are apart
    /// assert_eq!((z.columns(), z.get(0, 0), z.get(2, 2)), (3, 1.0, 1.0));
    /// assert!((z.get(1, 1) - (-0.125_f32).exp()).abs() < 1e-6);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct GaussianBasis: transformer("gaussian-basis") -> GaussianBasisModel;
    about "Gaussian basis functions of each column";
    new(n_centers: usize);
    {
        /// Number of centres of each column.
        n_centers: usize = 10, from_to(1.0, MOST_CENTERS as f64);
        /// Where they are: grid, quantiles, or {"points": [[…], …]} for points of all columns.
        centers: GaussianCenters = GaussianCenters::Grid;
        /// The width of the curves; none: as wide as the centres are apart.
        width: Option<f64> = None, holds(|width: &Option<f64>| width.is_none_or(is_width), "a finite number above 0");
    }
}

impl GaussianBasis {
    /// Whether a bump is a function of the whole row.
    fn is_joint(&self) -> bool {
        matches!(self.centers, GaussianCenters::Points(_))
    }
}

impl Estimator for GaussianBasis {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<GaussianBasisModel> {
        let x = to_fit(self, x, &options)?;
        let centers = match &self.centers {
            GaussianCenters::Grid => by_column(&x, |_, values| grid(&values, self.n_centers)),
            GaussianCenters::Quantiles => by_column(&x, |_, values| quantiles(values, self.n_centers)),
            GaussianCenters::Points(points) => check_points(points, x.columns())?,
        };
        let widths = match (self.width, self.is_joint()) {
            (Some(width), joint) => vec![width; if joint { 1 } else { x.columns() }],
            (None, true) => vec![mean_nearest(&centers)],
            (None, false) => centers.iter().map(|centers| mean_gap(centers)).collect(),
        };
        Ok(GaussianBasisModel { params: self.clone().into(), centers, widths })
    }
}

/// A width whose square neither vanishes nor overflows.
fn is_width(width: f64) -> bool {
    (1e-150..1e150).contains(&width)
}

fn grid(values: &[f32], count: usize) -> Vec<f64> {
    let low = f64::from(values.iter().copied().fold(f32::INFINITY, f32::min));
    let high = f64::from(values.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    match count {
        1 => vec![(low + high) / 2.0],
        _ if low == high => vec![low],
        _ => (0..count).map(|at| low + (high - low) * at as f64 / (count - 1) as f64).collect(),
    }
}

fn quantiles(mut values: Vec<f32>, count: usize) -> Vec<f64> {
    sort_numbers(&mut values);
    let mut centers: Vec<f64> = match count {
        1 => vec![sorted_quantile(&values, 0.5)],
        _ => (0..count).map(|number| sorted_quantile(&values, number as f64 / (count - 1) as f64)).collect(),
    };
    centers.dedup();
    centers
}

fn check_points(points: &[Vec<f32>], columns: usize) -> Result<Vec<Vec<f64>>> {
    let fits = |point: &Vec<f32>| point.len() == columns && point.iter().all(|value| value.is_finite());
    if points.is_empty() || !points.iter().all(fits) {
        let rule = format!("at least one point of {columns} finite numbers, one for each column");
        return Err(Error::param("centers", rule, format!("{} points", points.len())));
    }
    Ok(points.iter().map(|point| point.iter().map(|value| f64::from(*value)).collect()).collect())
}

/// The mean distance between neighbouring centres.
fn mean_gap(centers: &[f64]) -> f64 {
    match centers {
        [first, .., last] if is_width(last - first) => (last - first) / (centers.len() - 1) as f64,
        _ => 1.0,
    }
}

/// The mean distance from a centre to the nearest other one.
fn mean_nearest(centers: &[Vec<f64>]) -> f64 {
    let nearest = |at: usize| {
        let others = centers.iter().enumerate().filter(|(other, _)| *other != at);
        others.map(|(_, other)| squared_distance(other, &centers[at]).sqrt()).fold(f64::INFINITY, f64::min)
    };
    let mean = (0..centers.len()).map(nearest).sum::<f64>() / centers.len() as f64;
    if is_width(mean) { mean } else { 1.0 }
}

fn squared_distance(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right) * (left - right)).sum()
}

/// The centres that [`GaussianBasis`] placed.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianBasisModel {
    params: FittedWith<GaussianBasis>,
    /// The centres of each column; for points, the points.
    centers: Vec<Vec<f64>>,
    /// The width in each column; for points, one for all.
    widths: Vec<f64>,
}

impl GaussianBasisModel {
    /// The centres of each column; for given points, those.
    pub fn centers(&self) -> &[Vec<f64>] {
        &self.centers
    }

    /// The standard deviation of the bumps of each column; for given points, one for all.
    pub fn widths(&self) -> &[f64] {
        &self.widths
    }
}

impl Transformer for GaussianBasisModel {
    fn columns(&self) -> usize {
        if self.params.is_joint() { self.centers[0].len() } else { self.centers.len() }
    }

    /// `x0_gauss0`, `x0_gauss1`, …, `x1_gauss0`, …; `gauss0`, `gauss1`, … for points.
    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        let named = |start: String, count: usize| (0..count).map(move |number| (format!("{start}{number}"), None));
        match self.params.is_joint() {
            true => named("gauss".to_string(), self.centers.len()).collect(),
            false => {
                let of = |(name, centers): (String, &Vec<f64>)| named(format!("{name}_gauss"), centers.len());
                names.into_iter().zip(&self.centers).flat_map(of).collect()
            }
        }
    }

    /// The basis functions of each row, between 0 and 1; one column a centre.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let factors: Vec<f64> = self.widths.iter().map(|width| -0.5 / (width * width)).collect();
        if self.params.is_joint() {
            return map_rows(x, self.centers.len(), |row, out| {
                for (out, center) in out.iter_mut().zip(&self.centers) {
                    let terms = row.iter().zip(center).map(|(value, center)| (f64::from(*value) - center).powi(2));
                    *out = (factors[0] * terms.sum::<f64>()).exp() as f32;
                }
            });
        }
        map_rows(x, self.centers.iter().map(Vec::len).sum(), |row, out| {
            let mut out = out.iter_mut();
            for ((value, centers), factor) in row.iter().zip(&self.centers).zip(&factors) {
                // The outer iterator last: zip asks its first side first, which would lose a place in each column.
                for (center, out) in centers.iter().zip(&mut out) {
                    *out = (factor * (f64::from(*value) - center).powi(2)).exp() as f32;
                }
            }
        })
    }
}

impl Save for GaussianBasisModel {
    type Estimator = GaussianBasis;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_lists(container, "centers", &self.centers)?;
        container.insert_list("widths", &self.widths)
    }

    fn load_fitted(params: FittedWith<GaussianBasis>, container: &mut Container) -> Result<GaussianBasisModel> {
        let centers = restore_lists(container, "centers", 1)?;
        let joint = params.is_joint();
        let widths: Vec<f64> = container.take("widths", &[if joint { 1 } else { centers.len() }])?;
        let even = !joint || centers.iter().all(|point| point.len() == centers[0].len());
        if !even || !widths.iter().all(|width| is_width(*width)) {
            return Err(container.refuse("the centres differ in length, or a width is not above 0"));
        }
        Ok(GaussianBasisModel { params, centers, widths })
    }
}
