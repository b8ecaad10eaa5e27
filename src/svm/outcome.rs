//! How the fit of a support vector machine went, summed over its decision functions.

use serde::{Deserialize, Serialize};

use super::machine::Work;
use crate::estimator::FitReport;
use crate::solvers::smo::Solution;

/// The numbers of a fit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// The dual objective of each function, as it is minimised.
    pub objectives: Vec<f64>,
    /// The duality gap of each.
    pub gaps: Vec<f64>,
    /// By how much the optimality conditions of each are violated.
    pub violations: Vec<f64>,
    /// 2/‖w‖ of each; none for numbers and for one class.
    pub margins: Vec<f64>,
    /// Support vectors on the margin, inside it, and on the wrong side, each counted once a function.
    pub kinds: [usize; 3],
    pub evaluations: u64,
    pub hits: u64,
    pub computed: u64,
    /// Steps of all functions.
    pub steps: usize,
    /// Working sets of all functions.
    pub rounds: usize,
    pub converged: bool,
    /// The objective after each round, of a machine with one function.
    pub course: Vec<f64>,
}

impl Outcome {
    pub(super) fn new(work: Work) -> Outcome {
        let mut outcome = Outcome { converged: true, ..Outcome::default() };
        outcome.add_work(work);
        outcome
    }

    pub(super) fn add_work(&mut self, work: Work) {
        self.evaluations += work.evaluations;
        self.hits += work.hits;
        self.computed += work.computed;
    }

    /// Adds a function; `scale` is what its coefficients were divided by.
    pub(super) fn add(&mut self, solution: &Solution, scale: f64) {
        let measured = &solution.measured;
        self.objectives.push(measured.objective / (scale * scale));
        self.gaps.push(measured.gap / (scale * scale));
        self.violations.push(measured.violation / scale);
        self.steps += solution.steps;
        self.rounds += solution.rounds;
        self.converged &= solution.converged;
        self.course = if self.objectives.len() == 1 { solution.objectives.clone() } else { vec![] };
    }

    /// Says so if a fit ended before its end.
    pub(super) fn warn(&self, op: &str) {
        if !self.converged {
            let worst = self.violations.iter().copied().fold(0.0, f64::max);
            log::warn!(
                "{op}: ended after {} steps with a violation of {worst:.2e}; raise max_iter, or scale the columns",
                self.steps
            );
        }
    }

    pub(super) fn report(&self, support: usize) -> FitReport {
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        let worst = self.violations.iter().copied().fold(0.0, f64::max);
        let mut report = FitReport::default()
            .iterations(self.steps, self.converged)
            .with_number("objective", sum(&self.objectives))
            .with_number("gap", sum(&self.gaps))
            .with_number("violation", worst)
            .with_number("support", support as f64);
        if !self.margins.is_empty() {
            let least = self.margins.iter().copied().fold(f64::INFINITY, f64::min);
            report = report.with_number("margin", least);
        }
        let names = ["support_on_margin", "support_inside", "support_misclassified"];
        for (name, count) in names.into_iter().zip(self.kinds) {
            report = report.with_number(name, count as f64);
        }
        report
            .with_number("rounds", self.rounds as f64)
            .with_number("kernel_evaluations", self.evaluations as f64)
            .with_number("cache_hits", self.hits as f64)
            .with_number("cache_misses", self.computed as f64)
            .with_curve("objective", &self.course)
            .with_row("objectives", self.objectives.clone())
            .with_row("gaps", self.gaps.clone())
    }
}
