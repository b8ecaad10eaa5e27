//! Kernel ridge regression over a path of penalties, with the error of leaving each row out.

use super::path::solve_all;
use super::system::System;
use super::{expansion_of, warn_indefinite};
use crate::array::{DeviceMatrix, Matrix};
use crate::cost::Cost;
use crate::cpu::linalg::corrected::Corrected;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, PictureInput, Predict, Prediction, ReportArray,
    Rows, Save, Targets, parameters,
};
use crate::kernel_methods::expansion::KernelExpansion;
use crate::kernel_methods::{FittedKernel, Kernel, cost};
use crate::model_file::Container;
use crate::plot::{Figure, short_number};

const OP: &str = "KernelRidgeCv";

parameters! {
    /// Kernel ridge regression with the penalty chosen by the error of leaving each row out, exactly and for all penalties
    /// from one factorisation: with G = (K + alpha·I)⁻¹ the error at row i is (G·y)ᵢ/Gᵢᵢ.
    ///
    /// ```
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_vec(40, 1, (0..40).map(|i| i as f32 / 8.0).collect())?;
    /// let y: Vec<f32> = x.as_slice().iter().map(|x| x.sin()).collect();
    /// let model = KernelRidgeCv::default().kernel(Kernel::rbf(1.0)).alphas(vec![1e-3, 1.0, 100.0]).fit(&x, &y)?;
    /// assert_eq!(model.alpha(), 1e-3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Where K is of a rank r below an eighth of the rows, but for 1e-6 of the least penalty, as with linear and polynomial kernels
    ///   or smooth ones of few columns: about 2·n·r² operations in f64. The report has r as `rank`.
    /// - Else K = Q·B·Qᵀ with a banded B serves every penalty: about 8·n³/3 operations in f32 on all cores, and 64·n² for each
    ///   penalty. Solutions are corrected by residuals in f64, and the diagonal of G is checked on some rows.
    /// - Up to 256 rows, where a penalty is below 0.003·‖K‖/√n, and where the check fails: an eigendecomposition in f64, about
    ///   9·n³ operations on one core.
    /// - The report has the penalties and their mean squared errors as `leave_one_out`; `--plot` draws them.
    pub struct KernelRidgeCv: regressor("kernel-ridge-cv") -> KernelRidgeCvModel;
    about "kernel ridge regression that chooses its penalty by leaving rows out";
    {
        /// The penalties to choose from.
        alphas: Vec<f64> = vec![0.1, 1.0, 10.0];
        /// The kernel, as in kernel-ridge.
        kernel: Kernel = Kernel::Linear;
    }
}

impl Estimator for KernelRidgeCv {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let n = shape.rows as f64;
        Some(cost::whole_matrix(shape, 8.0 * n * n * n / 3.0 + 64.0 * n * n * self.alphas.len() as f64))
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<KernelRidgeCvModel> {
        let x = x.complete(OP)?;
        let y = y.complete(OP, x.rows())?;
        let weights = options.weights(OP, x.rows())?;
        if self.alphas.is_empty() || self.alphas.iter().any(|alpha| !alpha.is_finite() || *alpha <= 0.0) {
            return Err(Error::param("alphas", "one or more numbers above 0", format!("{:?}", self.alphas)));
        }
        if x.rows() < 2 {
            return Err(Error::shape(OP, "at least two rows, to leave one out", x.rows()));
        }
        options.watched("kernel ridge", |_| self.choose(&x, &y, weights))
    }
}

impl KernelRidgeCv {
    fn choose(&self, x: &DeviceMatrix, y: &Matrix, weights: Option<&[f32]>) -> Result<KernelRidgeCvModel> {
        warn_indefinite(OP, &self.kernel);
        let (kernel, rows) = FittedKernel::fit(OP, &self.kernel, x)?;
        let system = System { x, kernel: &kernel, rows: &rows, weights, gram: None };
        let roots = system.roots();
        let weight = roots.iter().map(|root| root * root).sum::<f64>() * y.columns() as f64;
        let (solutions, rank) = solve_all(&system, &self.alphas, &system.sides(y))?;
        // The root of a row's weight is in its error once: squared, it is the weight.
        let error = |(solved, own): &(Corrected, Vec<f64>)| {
            let rows = |x: &Vec<f64>| {
                (0..x.len()).filter(|&row| roots[row] > 0.0).map(|row| (x[row] / own[row]).powi(2)).sum::<f64>()
            };
            solved.x.iter().map(rows).sum::<f64>() / weight
        };
        let errors: Vec<f64> = solutions.iter().map(error).collect();
        let mut chosen = 0;
        for at in 1..errors.len() {
            if errors[at] < errors[chosen] {
                chosen = at;
            }
        }
        let coef = system.coefficients(&solutions[chosen].0.x)?;
        let fitted = x.to_matrix(&mut x.device().stream())?;
        let expansion = expansion_of(kernel, fitted, coef)?;
        Ok(KernelRidgeCvModel { params: self.clone().into(), expansion, chosen, errors, rank })
    }
}

/// A model fitted by [`KernelRidgeCv`].
#[derive(Debug, Clone)]
pub struct KernelRidgeCvModel {
    params: FittedWith<KernelRidgeCv>,
    expansion: KernelExpansion,
    chosen: usize,
    errors: Vec<f64>,
    rank: usize,
}

impl KernelRidgeCvModel {
    /// The penalty with the least error.
    pub fn alpha(&self) -> f64 {
        self.params.alphas[self.chosen]
    }

    /// The mean squared error of leaving each row out, for each penalty.
    pub fn leave_one_out_errors(&self) -> &[f64] {
        &self.errors
    }

    /// The mean squared error of leaving each row out over the penalties, with the one that was chosen.
    pub fn figure(&self) -> Figure {
        let mut points: Vec<(f64, f64)> = self.params.alphas.iter().copied().zip(self.errors.iter().copied()).collect();
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        let figure =
            Figure::new().title("Error of leaving each row out").x_label("alpha").y_label("mean squared error");
        let chosen = format!("alpha {}", short_number(self.alpha()));
        figure.logarithmic_x().line("", points).centers(&chosen, [(self.alpha(), self.errors[self.chosen])])
    }

    /// The coefficients of the fitted rows, n×p.
    pub fn dual_coef(&self) -> &Matrix {
        self.expansion.coef()
    }
}

impl Predict for KernelRidgeCvModel {
    type Output = Matrix;
}

impl Model for KernelRidgeCvModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.expansion.predict(OP, x)?.into())
    }

    fn report(&self) -> FitReport {
        let mut report = FitReport::default().with_number("alpha", self.alpha());
        report = report.with_number("leave_one_out_error", self.errors[self.chosen]);
        report = report.with_number("rank", self.rank as f64);
        let values = [&self.params.alphas[..], &self.errors].concat();
        report.arrays.push(("leave_one_out", ReportArray { shape: [2, self.errors.len()], values }));
        report
    }

    fn figures(&self, _: &PictureInput<'_>) -> Result<Vec<Figure>> {
        Ok(vec![self.figure()])
    }
}

impl Save for KernelRidgeCvModel {
    type Estimator = KernelRidgeCv;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.expansion.store(container)?;
        container.insert("chosen", &[2], vec![self.chosen as u64, self.rank as u64])?;
        container.insert("loo_errors", &[self.errors.len()], self.errors.clone())
    }

    fn load_fitted(params: FittedWith<KernelRidgeCv>, container: &mut Container) -> Result<KernelRidgeCvModel> {
        let expansion = KernelExpansion::restore(container)?;
        let chosen: Vec<u64> = container.take("chosen", &[2])?;
        let errors = container.take("loo_errors", &[params.alphas.len()])?;
        if chosen[0] as usize >= params.alphas.len() {
            return Err(container.refuse(format!("penalty {} of {}", chosen[0], params.alphas.len())));
        }
        Ok(KernelRidgeCvModel { params, expansion, chosen: chosen[0] as usize, errors, rank: chosen[1] as usize })
    }
}
