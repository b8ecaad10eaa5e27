//! A learnt map L (p×d): rows become L·x, and their distance is that of L·x from L·y.

use nalgebra::DMatrix;

use super::near_rows::MOST_POINTS;
use crate::array::{DeviceMatrix, Matrix};
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FitShape, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Reporter,
    Rows, Save, Transform,
};
use crate::linalg::Eigen;
use crate::linear::LinearDiscriminantAnalysis;
use crate::model_file::Container;
use crate::ops::{self, Layout};
use crate::plot::Figure;
use crate::solvers::lbfgs::{self, Slope};
use crate::solvers::scatter::Scatter;

/// An estimator that learns a map.
pub trait MetricLearner: Estimator<Model = LearnedMetric<Self>> + Declared {}

/// A fitted map, p×d.
#[derive(Debug, Clone)]
pub struct LearnedMetric<E: MetricLearner> {
    pub(super) params: FittedWith<E>,
    pub(super) map: LearnedMap,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LearnedMap {
    pub(super) columns: usize,
    /// L, p×d, row by row.
    pub(super) components: Vec<f64>,
    /// The loss at the start and after each step.
    pub(super) curve: Vec<f64>,
    pub(super) converged: bool,
}

impl LearnedMap {
    pub(super) fn count(&self) -> usize {
        self.components.len() / self.columns
    }

    /// Where a search begins: the identity, or the leading principal directions where there are fewer.
    pub(super) fn start(stream: &mut Stream, x: &DeviceMatrix, count: Option<usize>) -> Result<LearnedMap> {
        let d = x.columns();
        let p = count.unwrap_or(d);
        if p == 0 || p > d {
            return Err(Error::param("n_components", format!("from 1 to the number of columns, {d}"), p));
        }
        let components = match p == d {
            true => DMatrix::<f64>::identity(d, d).as_slice().to_vec(),
            false => {
                let (_, vectors) = Eigen::factor(&Scatter::of(stream, x, None)?.matrix)?.into_parts();
                let row = |at: usize| vectors.column(at).iter().copied().collect::<Vec<f64>>();
                (0..p).flat_map(row).collect()
            }
        };
        Ok(LearnedMap { columns: d, components, curve: vec![], converged: false })
    }

    /// Begins at the directions on which the classes lie farthest apart, if there are as many as L has rows.
    pub(super) fn start_apart(&mut self, x: &DeviceMatrix, labels: &Labels) -> Result<()> {
        if labels.counts().contains(&0) {
            return Ok(());
        }
        let parted = LinearDiscriminantAnalysis::default().n_components(self.count()).fit(x, labels)?;
        if parted.directions().len() == self.components.len() {
            self.components = parted.directions().to_vec();
        }
        Ok(())
    }

    /// L on a device.
    fn on(&self, device: &Device) -> Result<DeviceMatrix> {
        Matrix::from_f64(self.count(), self.columns, &self.components)?.to(device)
    }

    /// X·Lᵀ, n×p.
    pub(super) fn apply(&self, stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceMatrix> {
        let map = self.on(stream.device())?;
        ops::gemm(stream, Layout::NT, x, &map)
    }

    /// At most so many steps of L-BFGS from here on a loss of X·Lᵀ, whose `gradient` gives the loss and for each row the sums S
    /// that make its slope 2·Sᵀ·X; `near`, a weight and a map, adds weight·‖L − map‖². `stop` hears of each step. Returns
    /// whether it went down at all.
    pub(super) fn descend(
        &mut self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        (steps, tol): (usize, f64),
        near: Option<(f64, &[f64])>,
        mut gradient: impl FnMut(&mut Stream, &DeviceMatrix) -> Result<(f64, DeviceMatrix)>,
        mut stop: impl FnMut(usize, f64) -> Result<bool>,
    ) -> Result<bool> {
        let (p, d) = (self.count(), self.columns);
        let evaluate = |point: &[f64]| {
            let map = Matrix::from_f64(p, d, point)?.to(stream.device())?;
            let z = ops::gemm(stream, Layout::NT, x, &map)?;
            let (mut loss, sums) = gradient(stream, &z)?;
            let slope = ops::gemm(stream, Layout::TN, &sums, x)?.to_matrix(stream)?;
            let mut slope: Vec<f64> = slope.as_slice().iter().map(|value| 2.0 * f64::from(*value)).collect();
            if let Some((weight, map)) = near {
                for ((slope, own), map) in slope.iter_mut().zip(point).zip(map) {
                    loss += weight * (own - map).powi(2);
                    *slope += 2.0 * weight * (own - map);
                }
            }
            Ok((loss, slope))
        };
        let mut course: Vec<f64> = vec![];
        let done = |step: usize, at: &Slope| {
            let flat = course.last().is_some_and(|last| last - at.value <= tol * last.abs().max(f64::MIN_POSITIVE));
            course.push(at.value);
            Ok(stop(step, at.value)? || flat || step == steps || at.steepness() == 0.0)
        };
        let (found, _) = lbfgs::minimize(self.components.clone(), evaluate, done)?;
        self.components = found.point;
        let fell = course.len() > 1 && course[course.len() - 1] < course[0];
        self.curve.extend(course);
        Ok(fell)
    }
}

/// The classes of rows to be mapped; numbers are refused.
fn classes_of(op: &'static str, target: &Target, rows: usize) -> Result<Labels> {
    let labels = target.labels()?.clone();
    if labels.len() != rows {
        return Err(Error::shape(op, format!("a class for each of {rows} rows"), labels.len()));
    }
    if labels.counts().iter().filter(|count| **count > 0).count() < 2 {
        return Err(Error::shape(op, "rows of two classes at least", "one class"));
    }
    Ok(labels)
}

/// Checks rows and classes, of which k neighbours are asked, and runs a search on them where they live.
pub(super) fn fit_map<E: MetricLearner>(
    params: &E,
    (x, target): (Rows<'_>, &Target),
    options: Fit<'_>,
    k: usize,
    search: impl FnOnce(&DeviceMatrix, &Labels, &mut Reporter<'_>) -> Result<LearnedMap>,
) -> Result<LearnedMetric<E>> {
    options.refuse_weights(E::TYPE)?;
    let x = x.complete(E::TYPE)?;
    let labels = classes_of(E::TYPE, target, x.rows())?;
    if k >= x.rows() {
        return Err(Error::param("n_neighbors", format!("below the number of rows, {}", x.rows()), k));
    }
    let map = options.watched("metric", |reporter| search(&x, &labels, reporter))?;
    Ok(LearnedMetric { params: params.clone().into(), map })
}

/// What so many steps with products to p columns take, and so many searches for the nearest of all rows.
pub(super) fn fit_cost(shape: &FitShape, p: Option<usize>, steps: usize, searches: f64) -> Cost {
    let size = shape.rows as f64 * shape.columns as f64;
    let products = 4.0 * steps as f64 * size * p.unwrap_or(shape.columns) as f64;
    let operations = products + 2.0 * searches * shape.rows as f64 * size;
    let syncs = 3.0 * steps as f64;
    Cost { operations, syncs, kernels: 6.0, ..Cost::uploading(shape.rows, shape.columns) }
}

impl<E: MetricLearner> LearnedMetric<E> {
    /// The map L, p×d.
    pub fn components(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.map.count(), self.map.columns, &self.map.components)
    }

    /// M = Lᵀ·L, d×d: the squared distance is (x − y)ᵀ·M·(x − y).
    pub fn metric(&self) -> DMatrix<f64> {
        let map = self.components();
        map.transpose() * map
    }

    /// Steps that were taken.
    pub fn iterations(&self) -> usize {
        self.map.curve.len().saturating_sub(1)
    }

    /// Whether the search ended before `max_iter`.
    pub fn converged(&self) -> bool {
        self.map.converged
    }

    /// The loss along the search; where the pairs changed, it may rise.
    pub fn losses(&self) -> &[f64] {
        &self.map.curve
    }
}

impl<E: MetricLearner> Transform for LearnedMetric<E> {}

impl<E: MetricLearner> Model for LearnedMetric<E> {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let on_device = x.queries(E::TYPE, self.map.columns)?;
        let mut stream = on_device.device().stream();
        let made = self.map.apply(&mut stream, &on_device)?;
        match (x, stream.device()) {
            (Rows::Device(_), Device::Gpu(_)) => Ok(OwnedRows::Device(made)),
            (Rows::Device(_), Device::Cpu) => made.to_matrix(&mut stream).map(|_| OwnedRows::Device(made)),
            _ => made.to_matrix(&mut stream).map(OwnedRows::Host),
        }
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        let names: Vec<String> = (0..self.map.count()).map(|number| format!("component{number}")).collect();
        Some(InputColumns::named(&names))
    }

    fn report(&self) -> FitReport {
        FitReport::default()
            .iterations(self.iterations(), self.map.converged)
            .with_number("loss", self.map.curve.last().copied())
            .with_curve("loss", &self.map.curve)
    }

    /// The loss, and the rows before and after, each on the plane of its two widest directions.
    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let curve = self.map.curve.iter().enumerate().map(|(step, value)| (step as f64, *value));
        let loss = Figure::new().title("Loss of the pairs").x_label("step").y_label("loss").line("", curve);
        let mut figures = vec![loss];
        if let Some(rows) = input.rows {
            let (x, target) = rows.sample(MOST_POINTS)?;
            let labels = target.labels()?;
            let after = self.transform_rows(Rows::Host(&x))?.into_host()?;
            for (title, x) in [("Rows before", &x), ("Rows after the learnt map", &after)] {
                figures.push(super::near_rows::neighbor_picture(title, x, labels)?);
            }
        }
        Ok(figures)
    }
}

impl<E: MetricLearner> Save for LearnedMetric<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.map.converged)?;
        container.insert_list("losses", &self.map.curve)?;
        container.insert("components", &[self.map.count(), self.map.columns], self.map.components.clone())
    }

    fn load_fitted(params: FittedWith<E>, container: &mut Container) -> Result<Self> {
        let converged = container.fitted()?;
        let curve = container.take_list("losses")?;
        let [p, columns] = container.shape("components")?;
        if p == 0 || columns == 0 || p > columns {
            return Err(container.refuse(format!("a map of {p}×{columns}")));
        }
        let components = container.take("components", &[p, columns])?;
        Ok(LearnedMetric { params, map: LearnedMap { columns, components, curve, converged } })
    }
}
