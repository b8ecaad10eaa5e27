//! Numbers within a tube: of a given width, and of one that a share of the rows is outside of.

use super::classes::machine_rows;
use super::forms::{numbers, numbers_nu};
use super::parameters::{MachineOptions, with_machine};
use super::pictures::one_class_figures;
use super::shared::shares_matrices;
use super::single::{SingleFunction, single_model};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FittedWith, Model, Observer, Parameters, PictureInput, Predict, Prediction,
    Rows, Save, Targets, Task, parameters,
};
use crate::kernel_methods::{Gamma, Kernel};
use crate::model_file::Container;
use crate::plot::Figure;

with_machine! {
    /// Support vector regression: deviations up to `epsilon` cost nothing, what is beyond costs `c` times itself. Names and
    /// defaults are scikit-learn's (`c` is its `C`).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::svm::Svr;
    /// let x = Matrix::from_vec(50, 1, (0..50).map(|i| i as f32 / 8.0).collect())?;
    /// let y: Vec<f32> = x.as_slice().iter().map(|x| x.sin()).collect();
    /// let model = Svr::default().c(10.0).epsilon(0.05).kernel(Kernel::rbf(1.0)).fit(&x, &y)?;
    /// assert!((model.predict(&x)?.get(8, 0) - y[8]).abs() < 0.06);
    /// assert!(model.support().len() < 25); // rows inside the tube do not count
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// One column of targets. Sample weights multiply `c`. What [`Svc`](super::Svc) says of columns, kernels and memory holds
    /// here too.
    pub struct Svr: regressor("svr") -> SvrModel;
    about "support vector regression: deviations within a tube cost nothing";
    {
        /// The cost of deviations beyond the tube.
        c: f64 = 1.0, above(0.0);
        /// Half the width of the tube.
        epsilon: f64 = 0.1, at_least(0.0);
    }
}

with_machine! {
    /// Support vector regression with `nu` in place of the width of the tube: at most this share of the rows is outside, and
    /// at least this share are support vectors; the width is found. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::svm::NuSvr;
    /// let x = Matrix::from_vec(60, 1, (0..60).map(|i| i as f32 / 10.0).collect())?;
    /// let y: Vec<f32> = x.as_slice().iter().map(|x| x.sin()).collect();
    /// let model = NuSvr::default().nu(0.3).c(10.0).kernel(Kernel::rbf(1.0)).fit(&x, &y)?;
    /// assert!(model.epsilon() < 0.05 && model.support().len() >= 18);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct NuSvr: regressor("nu-svr") -> NuSvrModel;
    about "support vector regression whose tube leaves out a share of the rows";
    {
        /// The share of rows outside the tube at most, and of support vectors at least.
        nu: f64 = 0.5, above_to(0.0, 1.0);
        /// The cost of deviations beyond the tube.
        c: f64 = 1.0, above(0.0);
    }
}

/// One column of targets, and the cost of each row.
fn targets_and_costs(
    op: &'static str,
    (y, rows): (Targets<'_>, usize),
    c: f64,
    options: &Fit<'_>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let y = y.complete(op, rows)?;
    if y.columns() != 1 {
        return Err(Error::shape(op, "one column of targets; fit a model for each", y.columns()));
    }
    let weights = options.weights(op, rows)?;
    let cost = |row: usize| c * weights.map_or(1.0, |weights| f64::from(weights[row]));
    Ok((y.as_slice().iter().copied().map(f64::from).collect(), (0..rows).map(cost).collect()))
}

impl Estimator for Svr {
    shares_matrices!();

    /// n²·d operations for the kernel matrix, and a few passes over its rows for each support vector.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<SvrModel> {
        let x = machine_rows(Self::TYPE, x)?;
        let (targets, costs) = targets_and_costs(Self::TYPE, (y, x.rows()), self.c, &options)?;
        let problem = numbers(&targets, &costs, self.epsilon);
        let (settings, shared) = (MachineOptions::from(self), options.shared_work());
        let (mut machine, solution) = options.watched("support vector regression", |reporter| {
            SingleFunction::fit(Self::TYPE, (&settings, shared), &x, problem, reporter)
        })?;
        machine.intercept = -solution.measured.offsets[0];
        Ok(SvrModel { params: self.clone().into(), machine })
    }
}

impl Estimator for NuSvr {
    shares_matrices!();

    /// n²·d operations for the kernel matrix, and a few passes over its rows for each support vector.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<NuSvrModel> {
        let x = machine_rows(Self::TYPE, x)?;
        let (targets, costs) = targets_and_costs(Self::TYPE, (y, x.rows()), self.c, &options)?;
        let problem = numbers_nu(&targets, &costs, self.nu)
            .ok_or_else(|| Error::param("nu", "at most 1 of what the weights allow", self.nu))?;
        let (settings, shared) = (MachineOptions::from(self), options.shared_work());
        let (mut machine, solution) = options.watched("support vector regression", |reporter| {
            SingleFunction::fit(Self::TYPE, (&settings, shared), &x, problem, reporter)
        })?;
        let [above, below] = solution.measured.offsets;
        machine.intercept = -0.5 * (above + below);
        Ok(NuSvrModel { params: self.clone().into(), machine, epsilon: 0.5 * (below - above) })
    }
}

single_model!(Svr, SvrModel, "epsilon_svr", {}, Matrix, |_own, values| values);
single_model!(NuSvr, NuSvrModel, "nu_svr", { epsilon: f64, }, Matrix, |_own, values| values);

impl NuSvrModel {
    /// Half the width of the tube that was found.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }
}
