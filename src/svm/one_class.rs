//! Rows that are unlike the others, by a plane between them and the origin.

use super::classes::machine_rows;
use super::forms::one_class;
use super::parameters::{MachineOptions, with_machine};
use super::pictures::one_class_figures;
use super::shared::shares_matrices;
use super::single::{SingleFunction, single_model};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{
    Decision, Declared, Estimator, Fit, FitReport, FittedWith, Model, Observer, Parameters, PictureInput, Predict,
    Prediction, Rows, Save, Task, parameters,
};
use crate::kernel_methods::{Gamma, Kernel};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::solvers::smo::Solution;

with_machine! {
    /// The one-class support vector machine (Schölkopf et al. 2001): a function that is at least 0 for most rows, and
    /// furthest from the origin. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::svm::OneClassSvm;
    /// let moons = datasets::moons(200, 0.1, 1)?;
    /// let model = OneClassSvm::default().nu(0.1).kernel(Kernel::rbf(5.0)).fit(&moons.x)?;
    /// let outliers = model.predict(&moons.x)?.iter().filter(|side| **side < 0).count();
    /// assert!((15..=25).contains(&outliers));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - At most the share `nu` of the rows are outliers, and at least that share are support vectors.
    /// - `c` is another way to say it: the coefficients sum to 1 and are at most `c`, so nu = 1/(n·c).
    /// - Sample weights bound the coefficients: rows of weight 0 do not count.
    /// - What [`Svc`](super::Svc) says of columns, kernels and memory holds here too.
    pub struct OneClassSvm: outliers("one-class-svm") -> OneClassSvmModel;
    about "outliers: rows on the wrong side of a plane in the space of a kernel";
    {
        /// The share of outliers at most, and of support vectors at least.
        nu: f64 = 0.5, above_to(0.0, 1.0);
        /// The bound of the coefficients, which sum to 1; in place of nu, which is then 1/(n·c).
        c: Option<f64> = None, above(0.0);
    }
}

impl Estimator for OneClassSvm {
    shares_matrices!();

    /// n²·d operations for the kernel matrix, and a few passes over its rows for each support vector.
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<OneClassSvmModel> {
        let x = machine_rows(Self::TYPE, x)?;
        let n = x.rows();
        let weights = options.weights(Self::TYPE, n)?;
        let weights: Vec<f64> = (0..n).map(|row| weights.map_or(1.0, |weights| f64::from(weights[row]))).collect();
        let total: f64 = weights.iter().sum();
        let sum = match self.c {
            Some(c) if c * total < 1.0 => {
                return Err(Error::param("c", format!("at least 1/n, {}", 1.0 / total), c));
            }
            Some(c) => 1.0 / c,
            None => self.nu * total,
        };
        let infeasible = || Error::param("nu", "a share that the weights allow", self.nu);
        let problem = one_class(&weights, sum).ok_or_else(infeasible)?;
        let (settings, shared) = (MachineOptions::from(self), options.shared_work());
        let (mut machine, solution) = options.watched("one-class SVM", |reporter| {
            SingleFunction::fit(Self::TYPE, (&settings, shared), &x, problem, reporter)
        })?;
        machine.intercept = -boundary(&solution, &weights, sum);
        Ok(OneClassSvmModel { params: self.clone().into(), machine })
    }
}

/// Where the function's boundary is. The slopes of rows between their bounds are equal but for the tolerance, and any of them
/// would do: of these the one below which the share of outliers is as large as it may be.
fn boundary(solution: &Solution, weights: &[f64], sum: f64) -> f64 {
    let (all, offset) = (&solution.variables, solution.measured.offsets[0]);
    let free = (0..weights.len()).filter(|row| all.is_free(*row)).map(|row| all.slope[row]);
    let (low, high) = free.fold((offset, offset), |(low, high), slope| (low.min(slope), high.max(slope)));
    let mut order: Vec<usize> = (0..weights.len()).filter(|row| weights[*row] > 0.0).collect();
    order.sort_by(|a, b| all.slope[*a].total_cmp(&all.slope[*b]));
    let mut below = 0.0;
    let first = order.into_iter().find(|row| {
        below += weights[*row];
        below > sum
    });
    let wanted = first.map_or(high, |row| all.slope[row]).clamp(low, high);
    // Predictions are rounded to f32.
    wanted - 4.0 * f64::from(f32::EPSILON) * wanted.abs()
}

single_model!(OneClassSvm, OneClassSvmModel, "one_class", {}, Vec<i32>, |_own, values| {
    values.as_slice().iter().map(|value| if *value < 0.0 { -1 } else { 1 }).collect::<Vec<i32>>()
});

impl Decision for OneClassSvmModel {}
