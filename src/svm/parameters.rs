//! Parameters that the support vector machines share.

use serde::{Deserialize, Serialize};

use crate::data::ClassWeight;
use crate::kernel_methods::Kernel;

/// Adds the kernel and the solver's options to a declaration of parameters.
macro_rules! with_machine {
    ($($declaration:tt)*) => {
        parameters! {
            $($declaration)*
            shared MachineOptions {
                /// The kernel, such as rbf(gamma=0.1), poly(degree=2), linear or precomputed.
                kernel: Kernel = Kernel::rbf(Gamma::Scale);
                /// The violation of the optimality conditions, and the duality gap as a share of the objective, at which
                /// a fit ends.
                tol: f64 = 1e-3, above(0.0);
                /// Maximum number of steps of the solver for each decision function.
                max_iter: usize = 10_000_000, at_least(1.0);
                /// Mebibytes for the kernel matrix: above, its rows are computed when they are needed, and the last used
                /// ones are kept.
                cache_size: f64 = 1024.0, above(0.0);
            }
        }
    };
}

/// Adds what classifiers have beside that: how several classes are told apart, and what they weigh.
macro_rules! with_classes {
    ($($declaration:tt)*) => {
        with_machine! {
            $($declaration)*
            shared ClassOptions {
                /// Several classes: one_versus_one or one_versus_rest.
                multi_class: MultiClass = MultiClass::OneVersusOne;
                /// Whether equally many votes are settled by the values of the decision functions.
                break_ties: bool = false;
                /// Weights of the classes: balanced, or a JSON object such as {"spam": 2}; none: all 1.
                class_weight: ClassWeight = ClassWeight::Uniform;
            }
        }
    };
}

pub(super) use {with_classes, with_machine};

/// The kernel and the solver's options.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MachineOptions {
    pub kernel: Kernel,
    pub tol: f64,
    pub max_iter: usize,
    pub cache_size: f64,
}

/// How several classes are told apart, and what they weigh.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClassOptions {
    pub multi_class: MultiClass,
    pub break_ties: bool,
    pub class_weight: ClassWeight,
}

/// How several classes are told apart by functions for two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MultiClass {
    /// One function for each pair of classes, and a vote: k(k−1)/2 functions, each from the rows of its two classes.
    #[default]
    OneVersusOne,
    /// One function for each class, from all rows; the largest value wins.
    OneVersusRest,
}

/// How the problem of a classifier is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SvmSolver {
    /// Pairs of variables (sequential minimal optimisation), with an intercept.
    #[default]
    Smo,
    /// Single variables in a random order (stochastic dual coordinate ascent), without an intercept; for the linear kernel
    /// on the weights, at d operations a step.
    Sdca,
}
