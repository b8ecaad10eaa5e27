//! Classes by the widest margin: with a cost of slack, and with a share of support vectors.

use super::classes::{ClassFit, ClassFunctions, Form, machine_rows};
use super::forms::Slack;
use super::parameters::{ClassOptions, MachineOptions, MultiClass, SvmSolver, with_classes, with_machine};
use super::pictures::class_figures;
use super::shared::shares_matrices;
use crate::array::Matrix;
use crate::data::{ClassWeight, Labels};
use crate::error::Result;
use crate::estimator::{
    Decision, Declared, Estimator, Fit, FitReport, FittedWith, Model, Observer, PictureInput, Predict, Prediction,
    Rows, Save, parameters,
};
use crate::kernel_methods::{Gamma, Kernel};
use crate::model_file::Container;
use crate::plot::Figure;

with_classes! {
    /// The support vector classifier: of all functions that tell two classes apart, the one with the widest margin; rows
    /// inside the margin cost `c` times their slack. Names and defaults are scikit-learn's (`c` is its `C`).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::svm::Svc;
    /// let moons = datasets::moons(200, 0.1, 3)?;
    /// let model = Svc::default().kernel(Kernel::rbf(2.0)).c(10.0).fit(&moons.x, moons.labels()?)?;
    /// assert!(model.score(&moons.x, moons.labels()?)? > 0.99);
    /// assert!(model.support().len() < 40 && model.converged());
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Columns should have the same scale: the wide ones decide everything else; the fit warns of a factor of 100.
    /// - The kernel matrix is computed once, in f32, and shared by all pairs of classes, if `cache_size` holds it: n²·4
    ///   bytes. Otherwise its rows are computed when they are needed.
    /// - Sums are in f64; a fit ends when the optimality conditions hold to `tol` and the duality gap is at most that
    ///   share of the objective. The steps are those of LIBSVM, and so are the decisions, to about `tol`.
    /// - The width is part of the kernel, so a search is over `c` and `kernel`: `.parameter("c", [1.0, 10.0])`,
    ///   `.parameter("kernel", ["rbf(gamma=0.01)", "rbf(gamma=0.1)"])`.
    /// - Several classes vote in pairs; of equally many votes the first class wins, as in LIBSVM.
    /// - Sample weights and class weights multiply `c`. One class alone is an error. There are no probabilities: wrap it in
    ///   `Calibrated`.
    pub struct Svc: classifier("svc") -> SvcModel;
    about "support vector classifier: the widest margin between two classes, by a kernel";
    {
        /// The cost of slack; large values fit the rows more closely.
        c: f64 = 1.0, above(0.0);
        /// How slack counts: l1, l2 (its square), or hard: none is allowed, whatever `c` is.
        slack: Slack = Slack::L1;
        /// The solver: smo, or sdca, which has no intercept; its `max_iter` counts epochs.
        solver: SvmSolver = SvmSolver::Smo;
        /// Seed of the order in which sdca visits the rows.
        seed: u64 = 0;
    }
}

with_classes! {
    /// The support vector classifier with `nu` in place of a cost: at most this share of the rows is inside the margin,
    /// and at least this share are support vectors. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::svm::NuSvc;
    /// let iris = datasets::iris()?;
    /// let model = NuSvc::default().nu(0.2).fit(&iris.x, iris.labels()?)?;
    /// assert!(model.score(&iris.x, iris.labels()?)? > 0.95);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A `nu` above twice the share of the smaller of two classes has no solution, and is an error.
    /// - All else is as for [`Svc`].
    pub struct NuSvc: classifier("nu-svc") -> NuSvcModel;
    about "support vector classifier with a share of support vectors in place of a cost";
    {
        /// The share of rows inside the margin at most, and of support vectors at least.
        nu: f64 = 0.5, above_to(0.0, 1.0);
    }
}

/// What the two classifiers have in common.
macro_rules! classifier {
    ($name:ident, $model:ident, $libsvm:literal, $text:literal, |$own:ident| $form:expr, $solver:expr) => {
        impl Estimator for $name {
            shares_matrices!();

            /// n²·d operations for the kernel matrix, and a few passes over its rows for each support vector.
            fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<$model> {
                let op = stringify!($name);
                let x = machine_rows(op, x)?;
                let given = options.weights(op, x.rows())?;
                let classes = ClassOptions::from(self);
                let weights = classes.class_weight.row_weights(y, given)?;
                let $own = self;
                let fit = ClassFit {
                    op,
                    options: MachineOptions::from(self),
                    form: $form,
                    multi_class: classes.multi_class,
                    weights: weights.as_deref(),
                    solver: $solver,
                    shared: options.shared_work(),
                };
                let functions = options.watched($text, |reporter| fit.fit(&x, y, reporter))?;
                Ok($model { params: self.clone().into(), functions })
            }
        }

        #[doc = concat!("A model fitted by [`", stringify!($name), "`].")]
        #[derive(Debug, Clone)]
        pub struct $model {
            params: FittedWith<$name>,
            functions: ClassFunctions,
        }

        impl $model {
            /// The fitted rows that the decision functions are sums over, ordered by class.
            pub fn support(&self) -> &[u64] {
                &self.functions.support
            }

            /// The coefficient of each support vector in each function, m×p.
            pub fn dual_coef(&self) -> &Matrix {
                self.functions.function.coef()
            }

            /// The support vectors themselves, m×d; none for a precomputed kernel.
            pub fn support_vectors(&self) -> &Matrix {
                self.functions.function.rows()
            }

            /// What is added to each function.
            pub fn intercept(&self) -> &[f64] {
                &self.functions.intercept
            }

            /// The classes of each function, by code: positive for the first. With `one_versus_rest` there is a function
            /// for each class instead.
            pub fn pairs(&self) -> Vec<(u32, u32)> {
                self.functions.pairs()
            }

            /// Whether the optimality conditions and the duality gap came to `tol`.
            pub fn converged(&self) -> bool {
                self.functions.outcome.converged
            }

            /// Steps of the solver.
            pub fn iterations(&self) -> usize {
                self.functions.outcome.steps
            }

            /// The dual objective of each function, as it is minimised.
            pub fn objectives(&self) -> &[f64] {
                &self.functions.outcome.objectives
            }

            /// The model in the text format of LIBSVM, for its programs and bindings. Classes are numbers there: the name of a
            /// class if it is an integer, else its code. An error for kernels that LIBSVM does not have, and for
            /// `one_versus_rest` of three classes or more.
            pub fn to_libsvm_text(&self) -> Result<String> {
                self.functions.libsvm_text($libsvm)
            }

            /// The kernel with its widths as numbers.
            pub fn kernel(&self) -> &Kernel {
                self.functions.function.kernel().kernel()
            }

            /// The value of each function for each row, n×p: positive for the first class of its pair.
            pub fn function_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
                self.functions.values(stringify!($name), x.into())
            }
        }

        impl Predict for $model {
            type Output = Labels;
        }

        impl Decision for $model {}

        impl Model for $model {
            fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
                let values = self.functions.values(stringify!($name), x)?;
                let ClassOptions { break_ties, .. } = ClassOptions::from(&*self.params);
                Ok(self.functions.winners(&values, break_ties)?.into())
            }

            fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
                let values = self.functions.values(stringify!($name), x)?;
                self.functions.decisions(&values).map(Some)
            }

            fn classes(&self) -> &[String] {
                self.functions.classes.names()
            }

            fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
                let values = |x: Rows<'_>| self.functions.values(stringify!($name), x);
                let ClassOptions { break_ties, .. } = ClassOptions::from(&*self.params);
                let predict = |x: Rows<'_>| self.functions.winners(&values(x)?, break_ties);
                let decide = |x: Rows<'_>| self.functions.decisions(&values(x)?);
                class_figures(input, &self.functions.support, predict, decide)
            }

            fn report(&self) -> FitReport {
                self.functions.outcome.report(self.functions.support.len())
            }
        }

        impl Save for $model {
            type Estimator = $name;

            fn save_fitted(&self, container: &mut Container) -> Result<()> {
                self.functions.store(container)
            }

            fn load_fitted(params: FittedWith<$name>, container: &mut Container) -> Result<$model> {
                Ok($model { params, functions: ClassFunctions::restore(container)? })
            }
        }
    };
}

classifier!(
    Svc,
    SvcModel,
    "c_svc",
    "support vector classifier",
    |own| Form::Cost(own.c, own.slack),
    (own.solver, own.seed)
);
classifier!(NuSvc, NuSvcModel, "nu_svc", "support vector classifier", |own| Form::Nu(own.nu), (SvmSolver::Smo, 0));
