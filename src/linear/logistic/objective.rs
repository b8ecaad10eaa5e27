//! The loss of planes on rows with classes, plus a penalty: value, gradient and curvature.

use nalgebra::DMatrix;

use super::units::{Units, strided, strided_rows};
use crate::array::{DeviceMatrix, Matrix, SparseMatrix};
use crate::cpu::linear::margin_gradient::exact::{row_loss, softmax, sparse_gradient};
use crate::cpu::sparse::{Compressed, gram, multiply};
use crate::device::Stream;
use crate::error::Result;
use crate::ops;
use crate::ops::linear::margin_gradient::{
    ClassPlanes, ClassRows, ClassTargets, MOST_PLANES, MarginLoss, margin_gradient, margin_gradient_f64,
};
use crate::solvers::newton::Curved;

/// Rows and how their sums are made.
pub(in crate::linear) enum Source<'a> {
    /// In f32 where the rows live, blocks added in f64.
    Single { x: &'a DeviceMatrix, targets: Box<ClassTargets>, stream: Box<Stream> },
    /// In f64 on the host.
    Double { x: &'a DeviceMatrix, stream: Box<Stream> },
    /// Sparse rows, in f64.
    Sparse(&'a SparseMatrix),
}

impl<'a> Source<'a> {
    /// Dense rows in f32 if `single` and the planes fit, else in f64.
    pub(in crate::linear) fn dense(
        x: &'a DeviceMatrix,
        rows: ClassRows<'_>,
        planes: usize,
        single: bool,
    ) -> Result<Source<'a>> {
        let mut stream = Box::new(x.device().stream());
        match single && (planes <= MOST_PLANES || stream.gpu().is_none()) {
            true => Ok(Source::Single { x, targets: Box::new(ClassTargets::new(x, rows)?), stream }),
            false => Ok(Source::Double { x, stream }),
        }
    }

    fn columns(&self) -> usize {
        match self {
            Source::Single { x, .. } | Source::Double { x, .. } => x.columns(),
            Source::Sparse(x) => x.columns(),
        }
    }
}

/// (Σ w·loss) / Σ w + ½·Σ l2·point², of a point in [`Units`].
pub(in crate::linear) struct ClassObjective<'a> {
    pub(in crate::linear) source: Source<'a>,
    pub(in crate::linear) rows: ClassRows<'a>,
    pub(in crate::linear) loss: MarginLoss,
    pub(in crate::linear) planes: usize,
    pub(in crate::linear) units: &'a Units,
    /// One number for each of the point.
    pub(in crate::linear) l2: &'a [f64],
}

/// Rows that stand for all of them.
pub(in crate::linear) struct Sample {
    x: DeviceMatrix,
    classes: Vec<u32>,
    weights: Option<Vec<f32>>,
}

impl Sample {
    /// So many rows, evenly apart; none where a class would have fewer than `least`.
    pub(in crate::linear) fn of(
        x: &DeviceMatrix,
        rows: ClassRows<'_>,
        classes: usize,
        wanted: usize,
        least: usize,
    ) -> Result<Option<Sample>> {
        let places = strided_rows(x.rows(), wanted);
        let codes: Vec<u32> = places.iter().map(|row| rows.classes[*row]).collect();
        let mut counts = vec![0; classes];
        for (code, row) in codes.iter().zip(&places) {
            counts[*code as usize] += usize::from(rows.weights.is_none_or(|weights| weights[*row] > 0.0));
        }
        if counts.iter().any(|count| *count < least) {
            return Ok(None);
        }
        let weights = rows.weights.map(|weights| places.iter().map(|row| weights[*row]).collect());
        Ok(Some(Sample { x: strided(x, wanted)?, classes: codes, weights }))
    }

    /// The same objective on these rows alone.
    pub(in crate::linear) fn objective<'a>(
        &'a self,
        all: &ClassObjective<'a>,
        single: bool,
    ) -> Result<ClassObjective<'a>> {
        let rows = ClassRows { classes: &self.classes, weights: self.weights.as_deref() };
        let source = Source::dense(&self.x, rows, all.planes, single)?;
        Ok(ClassObjective { source, rows, loss: all.loss, planes: all.planes, units: all.units, l2: all.l2 })
    }
}

impl ClassObjective<'_> {
    /// Σ w.
    pub(in crate::linear) fn total(&self) -> f64 {
        let rows = self.rows.classes.len() as f64;
        self.rows.weights.map_or(rows, |weights| weights.iter().copied().map(f64::from).sum())
    }

    /// n×planes.
    fn margins(&mut self, coef: &[f64], intercept: &[f64]) -> Result<Vec<f64>> {
        let planes = self.planes;
        let margins = match &mut self.source {
            Source::Single { x, stream, .. } | Source::Double { x, stream } => {
                let found = ops::linear_predictor(stream, x, coef, intercept)?;
                return Ok(found.as_slice().iter().copied().map(f64::from).collect());
            }
            Source::Sparse(x) => {
                let by_column = DMatrix::from_row_slice(planes, x.columns(), coef);
                multiply((*x).into(), by_column.as_slice(), planes)
            }
        };
        Ok(margins.iter().enumerate().map(|(at, margin)| margin + intercept[at % planes]).collect())
    }

    /// `Σ w·z̃·z̃ᵀ` of rows z̃ = (x in units, 1) with these weights: (d+1)×(d+1).
    fn scatter(&mut self, weights: &[f32]) -> Result<DMatrix<f64>> {
        let d = self.source.columns();
        let (mean, scale) = (&self.units.mean, &self.units.scale);
        // Sums about the means of the units: with weight W and mean m about it, S + W·(m − mean)(m − mean)ᵀ.
        let (weight, offset, about) = match &mut self.source {
            Source::Single { x, stream, .. } | Source::Double { x, stream } => {
                let none = Matrix::zeros(x.rows(), 0)?;
                let found = ops::normal_equations(stream, x, &none, Some(weights), true)?;
                let offset: Vec<f64> = found.x_mean.iter().zip(mean).map(|(found, mean)| found - mean).collect();
                (found.weight, offset, found.xx)
            }
            Source::Sparse(x) => sparse_scatter(x, weights, mean),
        };
        let mut out = DMatrix::zeros(d + 1, d + 1);
        for j in 0..d {
            for i in 0..d {
                out[(i, j)] = (about[j * d + i] + weight * offset[i] * offset[j]) / (scale[i] * scale[j]);
            }
            out[(d, j)] = weight * offset[j] / scale[j];
            out[(j, d)] = out[(d, j)];
        }
        out[(d, d)] = weight;
        Ok(out)
    }

    /// Adds `factor`·block to planes k and l of the Hessian.
    fn add_block(&self, hessian: &mut DMatrix<f64>, (k, l): (usize, usize), factor: f64, block: &DMatrix<f64>) {
        let d = self.source.columns();
        let place = |plane: usize, at: usize| if at < d { plane * d + at } else { self.planes * d + plane };
        for j in 0..=d {
            for i in 0..=d {
                hessian[(place(k, i), place(l, j))] += factor * block[(i, j)];
            }
        }
    }

    /// The second derivatives at a point, without the penalty, over Σ w.
    pub(in crate::linear) fn curvature(&mut self, point: &[f64]) -> Result<DMatrix<f64>> {
        let (coef, intercept) = self.units.planes(point, self.planes);
        let margins = self.margins(&coef, &intercept)?;
        let (planes, total) = (self.planes, self.total());
        let mut hessian = DMatrix::zeros(point.len(), point.len());
        let (own, loss) = (self.rows, self.loss);
        let weight = |row: usize| own.weights.map_or(1.0, |weights| f64::from(weights[row]));
        let rows = own.classes.len();
        let mut row_margins = vec![0.0; planes];
        if planes == 1 || self.loss == MarginLoss::SquaredHinge {
            for plane in 0..planes {
                let mut curve = |row: usize| {
                    row_margins.copy_from_slice(&margins[row * planes..][..planes]);
                    row_loss(loss, &mut row_margins, own.classes[row]);
                    let slope = row_margins[plane];
                    let curve = match loss {
                        // p − 1 or p of the log-odds.
                        MarginLoss::Softmax => slope.abs() * (1.0 - slope.abs()),
                        MarginLoss::SquaredHinge => 2.0 * f64::from(u8::from(slope != 0.0)),
                    };
                    (weight(row) * curve) as f32
                };
                let weights: Vec<f32> = (0..rows).map(&mut curve).collect();
                let block = self.scatter(&weights)?;
                self.add_block(&mut hessian, (plane, plane), 1.0 / total, &block);
            }
            return Ok(self.without_intercept(hessian));
        }
        let mut shares = margins;
        for row in shares.chunks_exact_mut(planes) {
            softmax(row, 0);
        }
        for k in 0..planes {
            for l in 0..k {
                let product = |row: usize| (weight(row) * shares[row * planes + k] * shares[row * planes + l]) as f32;
                let weights: Vec<f32> = (0..rows).map(product).collect();
                let block = self.scatter(&weights)?;
                for (pair, sign) in [((k, k), 1.0), ((l, l), 1.0), ((k, l), -1.0), ((l, k), -1.0)] {
                    self.add_block(&mut hessian, pair, sign / total, &block);
                }
            }
        }
        // A number added to all intercepts changes nothing: a bend along that keeps steps from drifting there.
        let intercepts = planes * self.source.columns()..hessian.nrows();
        for (k, l) in intercepts.clone().flat_map(|k| intercepts.clone().map(move |l| (k, l))) {
            hessian[(k, l)] += 1.0 / planes as f64;
        }
        Ok(self.without_intercept(hessian))
    }

    /// Where there is no intercept, its place in the point stays 0.
    fn without_intercept(&self, mut hessian: DMatrix<f64>) -> DMatrix<f64> {
        if !self.units.has_intercept() {
            for at in self.planes * self.source.columns()..hessian.nrows() {
                hessian.row_mut(at).fill(0.0);
                hessian.column_mut(at).fill(0.0);
                hessian[(at, at)] = 1.0;
            }
        }
        hessian
    }
}

/// Σ w, the weighted means less `mean`, and the products about the weighted means.
fn sparse_scatter(x: &SparseMatrix, weights: &[f32], mean: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let d = x.columns();
    let weight: f64 = weights.iter().copied().map(f64::from).sum();
    let mut sums = vec![0.0; d];
    let mut values = Vec::with_capacity(x.nnz());
    for (row, weight) in weights.iter().enumerate() {
        let (columns, own) = x.row(row);
        let weight = f64::from(*weight);
        for (column, value) in columns.iter().zip(own) {
            sums[*column as usize] += weight * f64::from(*value);
            values.push(weight.sqrt() * f64::from(*value));
        }
    }
    let rooted = Compressed { columns: d, offsets: x.offsets().to_vec(), indices: x.indices().to_vec(), values };
    let mut products = gram(rooted.view(), rooted.view().transposed().view());
    let divisor = if weight > 0.0 { weight } else { 1.0 };
    let center: Vec<f64> = sums.iter().map(|sum| sum / divisor).collect();
    for (row, out) in products.chunks_exact_mut(d).enumerate() {
        out.iter_mut().zip(&center).for_each(|(value, other)| *value -= weight * center[row] * other);
    }
    (weight, center.iter().zip(mean).map(|(center, mean)| center - mean).collect(), products)
}

impl Curved for ClassObjective<'_> {
    fn value_gradient(&mut self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        let (coef, intercept) = self.units.planes(point, self.planes);
        let planes = ClassPlanes { coef: &coef, intercept: &intercept };
        let found = match &mut self.source {
            Source::Single { x, targets, stream } => {
                let [coef, intercept] =
                    [&coef, &intercept].map(|f64s| f64s.iter().map(|v| *v as f32).collect::<Vec<_>>());
                let planes = ClassPlanes { coef: &coef, intercept: &intercept };
                margin_gradient(stream, x, targets, planes, self.loss)?
            }
            Source::Double { x, stream } => margin_gradient_f64(stream, x, self.rows, planes, self.loss)?,
            Source::Sparse(x) => sparse_gradient((*x).into(), self.rows, planes, self.loss),
        };
        let total = self.total();
        let penalty: f64 = point.iter().zip(self.l2).map(|(value, l2)| 0.5 * l2 * value * value).sum();
        let mut gradient = self.units.slopes(&found.coef, &found.intercept);
        for ((slope, value), l2) in gradient.iter_mut().zip(point).zip(self.l2) {
            *slope = *slope / total + l2 * value;
        }
        Ok((found.loss / total + penalty, gradient))
    }

    fn noise(&self) -> f64 {
        if matches!(self.source, Source::Single { .. }) { 1e-7 } else { 1e-13 }
    }

    fn hessian(&mut self, point: &[f64]) -> Result<DMatrix<f64>> {
        let mut hessian = self.curvature(point)?;
        self.l2.iter().enumerate().for_each(|(at, l2)| hessian[(at, at)] += l2);
        Ok(hessian)
    }
}
