//! A weighted sum of kernels, the weights found with the margin.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::classes::{ByClass, ClassFit, ClassFunctions, Form, machine_rows};
use super::forms::Slack;
use super::machine::{Machine, Task};
use super::parameters::{MachineOptions, MultiClass, SvmSolver};
use crate::array::{DeviceMatrix, Matrix};
use crate::data::Labels;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{
    Decision, Declared, Estimator, Fit, FitReport, FittedWith, Model, Observer, Predict, Prediction, Reporter, Rows,
    Save, parameters,
};
use crate::kernel_methods::{Gamma, Kernel};
use crate::model_file::Container;

/// Weights below this, as a share of the largest, are none.
const SMALLEST: f64 = 1e-6;

/// The length of the weights that is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelNorm {
    /// Their sum: few kernels are kept.
    #[default]
    L1,
    /// The root of the sum of their squares: all that help are kept.
    L2,
}

parameters! {
    /// Multiple kernel learning (Lanckriet et al. 2004): a support vector classifier with Σ weight·kernel, the weights, at
    /// least 0 and of length 1, chosen so that the margin is widest. Fits and steps of the weights alternate.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::svm::MultipleKernelLearning;
    /// let moons = datasets::moons(120, 0.1, 1)?;
    /// let kernels = vec![Kernel::Linear, Kernel::rbf(2.0), Kernel::rbf(1e-4)];
    /// let model = MultipleKernelLearning::default().kernels(kernels).c(10.0).fit(&moons.x, moons.labels()?)?;
    /// let weights = model.weights();
    /// assert!(weights[1] > 0.9 && weights[2] == 0.0);
    /// println!("{:?}", model.kept());
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Each kernel matrix is divided by the mean of its diagonal first, so that weights can be compared.
    /// - All matrices are in memory: m·n²·4 bytes, at most `cache_size`.
    /// - The objective never rises; several classes share the weights.
    pub struct MultipleKernelLearning: classifier("multiple-kernel-learning") -> MultipleKernelLearningModel;
    about "support vector classifier with a weighted sum of kernels, the weights found too";
    {
        /// The kernels, a JSON list such as ["linear", "rbf(gamma=1)"].
        kernels: Vec<Kernel> = vec![Kernel::Linear, Kernel::rbf(Gamma::Scale), Kernel::polynomial(2)];
        /// The length of the weights that is 1: l1, their sum, or l2.
        norm: KernelNorm = KernelNorm::L1;
        /// The cost of slack.
        c: f64 = 1.0, above(0.0);
        /// Ends when a step of the weights lowers the objective by less than this share.
        tol: f64 = 1e-4, above(0.0);
        /// Maximum number of steps of the weights.
        max_iter: usize = 100, at_least(1.0);
        /// Mebibytes for the kernel matrices.
        cache_size: f64 = 1024.0, above(0.0);
    }
}

impl Estimator for MultipleKernelLearning {
    /// A fit of a support vector classifier for each step of the weights, and m·n² operations.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<MultipleKernelLearningModel> {
        let x = machine_rows(Self::TYPE, x)?;
        let weights = options.weights(Self::TYPE, x.rows())?;
        let weights: Option<Vec<f64>> = weights.map(|weights| weights.iter().copied().map(f64::from).collect());
        if self.kernels.is_empty() || self.kernels.iter().any(Kernel::is_precomputed) {
            return Err(Error::param("kernels", "a list of kernels that are computed", format!("{:?}", self.kernels)));
        }
        options.watched("multiple kernel learning", |reporter| self.learn(&x, y, weights.as_deref(), reporter))
    }
}

/// The kernel matrices and the machine that is fitted on their sums.
struct Sums<'a> {
    fit: ClassFit<'a>,
    machine: Machine,
    rows: ByClass,
    weights: Vec<f64>,
    /// The kernels with their widths as numbers, and what their matrices are multiplied by.
    kernels: Vec<(Kernel, f64)>,
    matrices: Vec<Matrix>,
}

/// Where the weights of the kernels are.
struct Point {
    weights: Vec<f64>,
    /// Σ α − ½·αᵀQα at its greatest, summed over the functions: what is minimised.
    objective: f64,
    slope: Vec<f64>,
}

impl MultipleKernelLearning {
    fn fit_of<'a>(&self, kernel: Kernel, weights: Option<&'a [f64]>) -> ClassFit<'a> {
        let options = MachineOptions { kernel, tol: 1e-4, max_iter: 10_000_000, cache_size: self.cache_size };
        ClassFit {
            op: Self::TYPE,
            options,
            form: Form::Cost(self.c, Slack::L1),
            multi_class: MultiClass::OneVersusOne,
            weights,
            solver: (SvmSolver::Smo, 0),
            shared: None,
        }
    }

    fn learn(
        &self,
        x: &DeviceMatrix,
        y: &Labels,
        weights: Option<&[f64]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<MultipleKernelLearningModel> {
        let mut sums = self.sums(x, y, weights)?;
        let m = self.kernels.len();
        let mut point = sums.at(self.norm.project(&vec![1.0; m]), reporter)?;
        let mut objectives = vec![point.objective];
        let (mut length, mut converged) = (1.0, false);
        while objectives.len() <= self.max_iter && !converged && m > 1 {
            let steepest = point.slope.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
            let mut better = None;
            while better.is_none() && length > 1e-6 && steepest > 0.0 {
                let moved =
                    point.weights.iter().zip(&point.slope).map(|(weight, slope)| weight - length * slope / steepest);
                let next = sums.at(self.norm.project(&moved.collect::<Vec<_>>()), reporter)?;
                match next.objective < point.objective {
                    true => better = Some(next),
                    false => length *= 0.25,
                }
            }
            let Some(next) = better else {
                converged = true;
                break;
            };
            converged = point.objective - next.objective <= self.tol * point.objective.abs();
            point = next;
            length = (length * 2.0).min(1.0);
            objectives.push(point.objective);
            if reporter.report(
                objectives.len(),
                Some(point.objective),
                objectives.len() as f64 / self.max_iter as f64,
            )? {
                break;
            }
        }
        let most = point.weights.iter().copied().fold(0.0, f64::max);
        point.weights.iter_mut().filter(|weight| **weight < SMALLEST * most).for_each(|weight| *weight = 0.0);
        let parts = sums.kernels.iter().zip(&point.weights).filter(|(_, weight)| **weight > 0.0);
        let parts: Vec<Kernel> = parts.map(|((kernel, factor), weight)| weight * factor * kernel.clone()).collect();
        let functions = self.fit_of(Kernel::Sum(parts), weights).fit(x, y, reporter)?;
        if !converged {
            log::warn!("{}: the weights still moved after {} steps", Self::TYPE, objectives.len());
        }
        let weights = point.weights;
        Ok(MultipleKernelLearningModel { params: self.clone().into(), functions, weights, objectives, converged })
    }

    fn sums<'a>(&self, x: &DeviceMatrix, y: &Labels, weights: Option<&'a [f64]>) -> Result<Sums<'a>> {
        let n = x.rows();
        if n != y.len() {
            return Err(Error::shape(Self::TYPE, format!("{n} classes, one a row"), y.len()));
        }
        let (need, have) = (4 * (n * n * (self.kernels.len() + 1)) as u64, (self.cache_size * 1024.0 * 1024.0) as u64);
        if need > have {
            return Err(Error::Limit { what: "bytes for the kernel matrices (cache_size)".to_string(), need, have });
        }
        let rows = ByClass::new(Self::TYPE, y, weights)?;
        let (mut kernels, mut matrices) = (vec![], vec![]);
        let mut machine = None;
        for kernel in &self.kernels {
            let made = Machine::fit(Self::TYPE, kernel, x, Some(rows.order()), (self.cache_size, None, Task::Matrix))?;
            let matrix = made.whole().ok_or_else(|| Error::shape(Self::TYPE, "a kernel matrix", "none"))?;
            let matrix = matrix.to_matrix(&mut Device::Cpu.stream())?;
            let trace: f64 = (0..n).map(|row| f64::from(matrix.get(row, row))).sum();
            kernels.push((made.kernel.kernel().clone(), if trace > 0.0 { n as f64 / trace } else { 1.0 }));
            matrices.push(matrix);
            machine = Some(made);
        }
        let machine = machine.ok_or_else(|| Error::param("kernels", "not empty", "none"))?;
        let of_rows = rows.order().iter().map(|row| weights.map_or(1.0, |weights| weights[*row])).collect();
        let fit = self.fit_of(Kernel::Linear, weights);
        Ok(Sums { fit, machine, rows, weights: of_rows, kernels, matrices })
    }
}

impl Sums<'_> {
    /// The widest margins for these weights, and how they change with them: ∂/∂weight = −½·(αy)ᵀK(αy).
    fn at(&mut self, weights: Vec<f64>, reporter: &mut Reporter<'_>) -> Result<Point> {
        let n = self.matrices[0].rows();
        let mut sum = Matrix::zeros(n, n)?;
        let factors: Vec<f32> =
            weights.iter().zip(&self.kernels).map(|(weight, (_, factor))| (weight * factor) as f32).collect();
        for (matrix, factor) in self.matrices.iter().zip(&factors).filter(|(_, factor)| **factor > 0.0) {
            let values = sum.as_mut_slice().iter_mut().zip(matrix.as_slice());
            values.for_each(|(sum, value)| *sum += factor * value);
        }
        self.machine.set_whole(&sum)?;
        let functions = self.fit.functions(&self.machine, &self.rows, &self.weights, reporter)?;
        let objective = -functions.iter().map(|function| function.solution.measured.objective).sum::<f64>();
        let mut slope = vec![0.0; weights.len()];
        for (slope, (matrix, (_, factor))) in slope.iter_mut().zip(self.matrices.iter().zip(&self.kernels)) {
            for function in &functions {
                let size = function.coef.len();
                let coef = DMatrix::from_iterator(size, 1, function.coef.iter().map(|(_, value)| *value));
                let part = |row: usize, column: usize| matrix.get(function.coef[row].0, function.coef[column].0);
                let matrix = DMatrix::from_fn(size, size, |row, column| f64::from(part(row, column)));
                *slope -= 0.5 * factor * (coef.transpose() * matrix * &coef)[(0, 0)];
            }
        }
        Ok(Point { weights, objective, slope })
    }
}

impl KernelNorm {
    /// The nearest weights of length 1, none of them negative: a point of the simplex, or of the sphere.
    fn project(self, weights: &[f64]) -> Vec<f64> {
        let m = weights.len() as f64;
        match self {
            KernelNorm::L2 => {
                let clipped: Vec<f64> = weights.iter().map(|weight| weight.max(0.0)).collect();
                let length = clipped.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
                clipped.iter().map(|weight| if length > 0.0 { weight / length } else { 1.0 / m.sqrt() }).collect()
            }
            KernelNorm::L1 => {
                let mut sorted = weights.to_vec();
                sorted.sort_by(|a, b| b.total_cmp(a));
                let (mut sum, mut shift) = (0.0, 0.0);
                for (at, weight) in sorted.iter().enumerate() {
                    sum += weight;
                    let candidate = (sum - 1.0) / (at + 1) as f64;
                    if *weight > candidate {
                        shift = candidate;
                    }
                }
                weights.iter().map(|weight| (weight - shift).max(0.0)).collect()
            }
        }
    }
}

/// A model fitted by [`MultipleKernelLearning`].
#[derive(Debug, Clone)]
pub struct MultipleKernelLearningModel {
    params: FittedWith<MultipleKernelLearning>,
    functions: ClassFunctions,
    weights: Vec<f64>,
    objectives: Vec<f64>,
    converged: bool,
}

impl MultipleKernelLearningModel {
    /// The weight of each kernel; 0 for those that are not used.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The kernels that are used, with their weights.
    pub fn kept(&self) -> Vec<(&Kernel, f64)> {
        let pairs = self.params.kernels.iter().zip(self.weights.iter().copied());
        pairs.filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// The sum of kernels as one, with what the matrices were divided by.
    pub fn kernel(&self) -> &Kernel {
        self.functions.function.kernel().kernel()
    }

    /// The objective after each step of the weights; it never rises.
    pub fn objectives(&self) -> &[f64] {
        &self.objectives
    }

    /// Whether the weights came to rest.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The fitted rows that are support vectors.
    pub fn support(&self) -> &[u64] {
        &self.functions.support
    }
}

impl Predict for MultipleKernelLearningModel {
    type Output = Labels;
}

impl Decision for MultipleKernelLearningModel {}

impl Model for MultipleKernelLearningModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let values = self.functions.values(MultipleKernelLearning::TYPE, x)?;
        Ok(self.functions.winners(&values, false)?.into())
    }

    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let values = self.functions.values(MultipleKernelLearning::TYPE, x)?;
        self.functions.decisions(&values).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.functions.classes.names()
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.objectives.len(), self.converged);
        let kept = self.weights.iter().filter(|weight| **weight > 0.0).count();
        report
            .with_number("kernels_kept", kept as f64)
            .with_number("support", self.functions.support.len() as f64)
            .with_number("objective", self.objectives.last().copied())
            .with_curve("objective", &self.objectives)
            .with_row("kernel_weights", self.weights.clone())
    }
}

impl Save for MultipleKernelLearningModel {
    type Estimator = MultipleKernelLearning;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("kernel_weights", &self.weights)?;
        container.insert_list("weight_objectives", &self.objectives)?;
        container.insert_list("weights_converged", &[u64::from(self.converged)])?;
        self.functions.store(container)
    }

    fn load_fitted(
        params: FittedWith<MultipleKernelLearning>,
        container: &mut Container,
    ) -> Result<MultipleKernelLearningModel> {
        let weights = container.take("kernel_weights", &[params.kernels.len()])?;
        let objectives = container.take_list("weight_objectives")?;
        let converged: Vec<u64> = container.take("weights_converged", &[1])?;
        let functions = ClassFunctions::restore(container)?;
        Ok(MultipleKernelLearningModel { params, functions, weights, objectives, converged: converged == [1] })
    }
}
