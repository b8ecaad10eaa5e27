//! Machines with one function: numbers and one class. What they are fitted by, and what they keep.

use super::classes::machine_queries;
use super::machine::{Machine, Task};
use super::outcome::Outcome;
use super::parameters::{MachineOptions, SvmSolver};
use super::shared::SharedMatrices;
use crate::array::{DeviceMatrix, Matrix};
use crate::error::Result;
use crate::estimator::{Reporter, Rows};
use crate::kernel_methods::KernelExpansion;
use crate::model_file::Container;
use crate::solvers::smo::{Ending, Problem, Solution};

/// A sum over support vectors, and what is added to it.
#[derive(Debug, Clone)]
pub(super) struct SingleFunction {
    pub function: KernelExpansion,
    pub intercept: f64,
    /// Rows of the fit that are support vectors.
    pub support: Vec<u64>,
    pub outcome: Outcome,
}

impl SingleFunction {
    /// Solves a problem on the rows of `x`. With two variables for each row, the coefficient is their sum.
    pub(super) fn fit(
        op: &'static str,
        (options, shared): (&MachineOptions, Option<&SharedMatrices>),
        x: &DeviceMatrix,
        problem: Problem,
        reporter: &mut Reporter<'_>,
    ) -> Result<(SingleFunction, Solution)> {
        let n = x.rows();
        let machine = Machine::fit(op, &options.kernel, x, None, (options.cache_size, shared, Task::One))?;
        let mut report = |steps: usize, violation: f64| {
            reporter.report(steps, Some(violation), steps as f64 / options.max_iter as f64)
        };
        let mut ending = Ending { tol: options.tol, max_steps: options.max_iter, report: &mut report };
        let all = 0..n;
        let ranges = std::slice::from_ref(&all);
        let (solution, work) = machine.solve(ranges, |_| Ok(problem), (SvmSolver::Smo, 0), &mut ending)?;
        let mut outcome = Outcome::new(machine.work());
        outcome.add(&solution, 1.0);
        outcome.add_work(work);
        outcome.warn(op);
        let all = &solution.variables;
        let mut sums = vec![0.0; n];
        for (at, beta) in all.beta.iter().enumerate() {
            sums[at % n] += beta;
            let free = *beta > all.low[at] && *beta < all.high[at];
            if *beta != 0.0 {
                outcome.kinds[usize::from(!free)] += 1;
            }
        }
        let mut support: Vec<usize> = (0..n).filter(|row| sums[*row] != 0.0).collect();
        if support.is_empty() {
            support.push(0); // A constant still has a row.
        }
        let coef: Vec<f64> = support.iter().map(|row| sums[*row]).collect();
        let coef = Matrix::from_f64(support.len(), 1, &coef)?;
        let function = machine.expansion(&support, &support, coef)?;
        let support = support.into_iter().map(|row| row as u64).collect();
        Ok((SingleFunction { function, intercept: 0.0, support, outcome }, solution))
    }

    /// The value for each row, n×1.
    pub(super) fn values(&self, op: &'static str, x: Rows<'_>) -> Result<Matrix> {
        let mut values = machine_queries(op, x, |x| self.function.predict(op, x))?;
        values.as_mut_slice().iter_mut().for_each(|value| *value += self.intercept as f32);
        Ok(values)
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.outcome)?;
        container.insert_list("intercept", &[self.intercept])?;
        container.insert_list("support", &self.support)?;
        self.function.store(container)
    }

    pub(super) fn restore(container: &mut Container) -> Result<SingleFunction> {
        let outcome = container.fitted()?;
        let function = KernelExpansion::restore(container)?;
        let intercept: Vec<f64> = container.take("intercept", &[1])?;
        let support: Vec<u64> = container.take_list("support")?;
        let coefs = function.coef().rows();
        let placed = match function.kernel().kernel().is_precomputed() {
            true => support.iter().all(|row| (*row as usize) < coefs),
            false => support.len() == coefs,
        };
        if function.coef().columns() != 1 || !placed {
            return Err(container.refuse(format!("{} functions in place of one", function.coef().columns())));
        }
        Ok(SingleFunction { function, intercept: intercept[0], support, outcome })
    }
}

/// What the models with one function have in common.
macro_rules! single_model {
    ($name:ident, $model:ident, $libsvm:literal, { $($extra:ident: $type:ty,)* }, $output:ty, |$own:ident, $values:ident| $prediction:expr) => {
        #[doc = concat!("A model fitted by [`", stringify!($name), "`].")]
        #[derive(Debug, Clone)]
        pub struct $model {
            params: FittedWith<$name>,
            machine: SingleFunction,
            $($extra: $type,)*
        }

        impl $model {
            /// The fitted rows that the function is a sum over.
            pub fn support(&self) -> &[u64] {
                &self.machine.support
            }

            /// The coefficient of each support vector, m×1.
            pub fn dual_coef(&self) -> &Matrix {
                self.machine.function.coef()
            }

            /// The support vectors themselves, m×d; none for a precomputed kernel.
            pub fn support_vectors(&self) -> &Matrix {
                self.machine.function.rows()
            }

            /// What is added to the sum.
            pub fn intercept(&self) -> f64 {
                self.machine.intercept
            }

            /// Whether the optimality conditions and the duality gap came to `tol`.
            pub fn converged(&self) -> bool {
                self.machine.outcome.converged
            }

            /// Steps of the solver.
            pub fn iterations(&self) -> usize {
                self.machine.outcome.steps
            }

            /// The dual objective, as it is minimised.
            pub fn objective(&self) -> f64 {
                self.machine.outcome.objectives.iter().sum()
            }

            /// The model in the text format of LIBSVM, for its programs and bindings; an error for kernels that it does not
            /// have.
            pub fn to_libsvm_text(&self) -> Result<String> {
                self.machine.libsvm_text($libsvm)
            }

            /// The kernel with its widths as numbers.
            pub fn kernel(&self) -> &Kernel {
                self.machine.function.kernel().kernel()
            }
        }

        impl Predict for $model {
            type Output = $output;
        }

        impl Save for $model {
            type Estimator = $name;

            fn save_fitted(&self, container: &mut Container) -> Result<()> {
                $(container.insert_list(stringify!($extra), &[self.$extra])?;)*
                self.machine.store(container)
            }

            fn load_fitted(params: FittedWith<$name>, container: &mut Container) -> Result<$model> {
                $(let $extra: Vec<$type> = container.take(stringify!($extra), &[1])?;)*
                Ok($model { params, machine: SingleFunction::restore(container)?, $($extra: $extra[0],)* })
            }
        }

        impl Model for $model {
            fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
                let ($own, $values) = (self, self.machine.values(stringify!($name), x)?);
                Ok($prediction.into())
            }

            fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
                match <$name as Parameters>::TASK {
                    Task::Outliers => self.machine.values(stringify!($name), x).map(Some),
                    _ => Ok(None),
                }
            }

            fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
                match <$name as Parameters>::TASK {
                    Task::Outliers => {
                        let decide = |x: Rows<'_>| self.machine.values(stringify!($name), x);
                        one_class_figures(input, &self.machine.support, decide)
                    }
                    _ => Ok(vec![]),
                }
            }

            fn report(&self) -> FitReport {
                let report = self.machine.outcome.report(self.machine.support.len());
                $(let report = report.with_number(stringify!($extra), self.$extra);)*
                report
            }
        }
    };
}

pub(super) use single_model;
