//! Linear support vector machines: hinge by dual coordinate descent, squared hinge by Newton's method.

mod linear_svc;
mod linear_svr;

pub use linear_svc::{LinearSvc, LinearSvcModel, SvcLoss};
pub use linear_svr::{LinearSvr, LinearSvrModel, SvrLoss};

use super::classifier::{FitOutcome, Shown};
use crate::solvers::dual_descent::DualFound;

/// What both leave beside their planes.
const EXTRAS: &[(&str, Shown)] = &[
    ("train_loss", Shown::Curve),
    ("objective", Shown::Number),
    ("gap", Shown::Number),
    ("support_vectors", Shown::Number),
];

/// What descending the dual of each plane leaves: sums over the planes.
fn outcome(op: &'static str, found: &[DualFound]) -> FitOutcome {
    let converged = found.iter().all(|found| found.converged);
    let iterations = found.iter().map(|found| found.passes).max().unwrap_or(0);
    if !converged {
        log::warn!("{op}: not converged after {iterations} passes; scale the columns, or set max_iter");
    }
    let sum = |value: &dyn Fn(&DualFound) -> f64| vec![found.iter().map(value).sum::<f64>()];
    FitOutcome { iterations, converged, extras: vec![] }
        .with("train_loss", found.first().map_or_else(Vec::new, |found| found.objectives.clone()))
        .with("objective", sum(&|found| found.objectives.last().copied().unwrap_or(0.0)))
        .with("gap", sum(&|found| found.gap))
        .with("support_vectors", sum(&|found| found.support as f64))
}
