//! Iterative algorithms that estimators share, above the ops that they use and below the estimators; and optimisers as
//! values, for any function that gives its value and gradient.
//!
//! ```
//! use gristmill::solvers::{Optimizer, Rate, Stop, UpdateRule};
//! let mut bowl = |w: &[f64], slope: &mut [f64]| {
//!     slope.copy_from_slice(&[2.0 * (w[0] - 3.0)]);
//!     (w[0] - 3.0).powi(2)
//! };
//! let adam = Optimizer::Steps { rule: UpdateRule::ADAM, rate: Rate::Constant(0.1) };
//! let found = adam.minimize(&mut bowl, &[0.0], Stop { max_iter: 500, ..Stop::default() })?;
//! assert!((found.point[0] - 3.0).abs() < 1e-2);
//! # Ok::<(), gristmill::Error>(())
//! ```

pub(crate) mod coordinate;
mod dual_ascent;
pub(crate) mod dual_descent;
pub(crate) mod lbfgs;
pub(crate) mod lbfgs_on_device;
pub(crate) mod lloyd;
pub(crate) mod newton;
mod optimizer;
pub(crate) mod orthant_wise;
mod rate;
pub(crate) mod scatter;
pub(crate) mod sdca;
pub(crate) mod smo;
mod update;

pub use dual_ascent::{DualAscent, DualLoss, DualMinimum};
pub use optimizer::{FiniteSum, Minimum, Objective, Optimizer, Stop};
pub use rate::Rate;
pub use update::{Real, UpdateRule, UpdateState};
