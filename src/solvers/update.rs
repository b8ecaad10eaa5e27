//! How a gradient moves parameters: the rules of first-order optimisers.

use serde::{Deserialize, Serialize};

pub use crate::cpu::neural::update::Real;
use crate::cpu::neural::update::{Plain, StepNumbers, StepRule, step};

/// What a step makes of a gradient. A value: [`UpdateState`] holds what a rule remembers of the steps before.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateRule {
    /// −rate·gradient.
    #[default]
    Gradient,
    /// v ← decay·v + gradient; −rate·v.
    Momentum {
        /// What is kept of v, such as 0.9.
        decay: f64,
    },
    /// v ← decay·v + gradient; −rate·(gradient + decay·v): momentum that looks ahead (Nesterov, in Sutskever's form).
    Nesterov {
        /// What is kept of v, such as 0.9.
        decay: f64,
    },
    /// s ← s + gradient²; −rate·gradient/(√s + epsilon).
    Adagrad {
        /// Keeps the quotient finite, such as 1e-8.
        epsilon: f64,
    },
    /// s ← decay·s + (1 − decay)·gradient²; −rate·gradient/(√s + epsilon).
    RmsProp {
        /// What is kept of s, such as 0.9.
        decay: f64,
        /// Keeps the quotient finite, such as 1e-8.
        epsilon: f64,
    },
    /// Means of gradient and gradient², freed of their start at 0; −rate·m/(√s + epsilon) (Kingma and Ba 2015).
    Adam {
        /// What is kept of the mean of the gradient, such as 0.9.
        first: f64,
        /// What is kept of the mean of its square, such as 0.999.
        second: f64,
        /// Keeps the quotient finite, such as 1e-8.
        epsilon: f64,
    },
    /// Adam, and beside it −rate·weight_decay·parameter (Loshchilov and Hutter 2019).
    AdamW {
        /// What is kept of the mean of the gradient, such as 0.9.
        first: f64,
        /// What is kept of the mean of its square, such as 0.999.
        second: f64,
        /// Keeps the quotient finite, such as 1e-8.
        epsilon: f64,
        /// The share of the parameter that a step of rate 1 takes away.
        weight_decay: f64,
    },
}

impl UpdateRule {
    /// Momentum that keeps 0.9.
    pub const MOMENTUM: UpdateRule = UpdateRule::Momentum { decay: 0.9 };
    /// Nesterov's momentum that keeps 0.9.
    pub const NESTEROV: UpdateRule = UpdateRule::Nesterov { decay: 0.9 };
    /// Adagrad with its usual epsilon.
    pub const ADAGRAD: UpdateRule = UpdateRule::Adagrad { epsilon: 1e-8 };
    /// RMSProp with its usual numbers.
    pub const RMS_PROP: UpdateRule = UpdateRule::RmsProp { decay: 0.9, epsilon: 1e-8 };
    /// Adam with its usual numbers.
    pub const ADAM: UpdateRule = UpdateRule::Adam { first: 0.9, second: 0.999, epsilon: 1e-8 };
    /// AdamW with its usual numbers.
    pub const ADAM_W: UpdateRule = UpdateRule::AdamW { first: 0.9, second: 0.999, epsilon: 1e-8, weight_decay: 0.01 };

    /// Numbers that it remembers for each parameter: 0, 1 or 2.
    pub fn memory(&self) -> usize {
        match self {
            UpdateRule::Gradient => 0,
            UpdateRule::Momentum { .. } | UpdateRule::Nesterov { .. } => 1,
            UpdateRule::Adagrad { .. } | UpdateRule::RmsProp { .. } => 1,
            UpdateRule::Adam { .. } | UpdateRule::AdamW { .. } => 2,
        }
    }

    /// The numbers of step 1, 2, … at this rate.
    pub(crate) fn numbers<T: Real>(&self, rate: f64, step: u64) -> StepNumbers<T> {
        let [zero, one] = [0.0, 1.0].map(T::of);
        let plain = StepNumbers {
            rule: StepRule::Gradient,
            rate: T::of(rate),
            kept: zero,
            added: one,
            kept_square: zero,
            added_square: one,
            spread: one,
            epsilon: zero,
            shrink: one,
        };
        match *self {
            UpdateRule::Gradient => plain,
            UpdateRule::Momentum { decay } => StepNumbers { rule: StepRule::Momentum, kept: T::of(decay), ..plain },
            UpdateRule::Nesterov { decay } => StepNumbers { rule: StepRule::Nesterov, kept: T::of(decay), ..plain },
            UpdateRule::Adagrad { epsilon } => {
                StepNumbers { rule: StepRule::Adagrad, epsilon: T::of(epsilon), ..plain }
            }
            UpdateRule::RmsProp { decay, epsilon } => {
                let (kept, added) = (T::of(decay), T::of(1.0 - decay));
                StepNumbers { rule: StepRule::RmsProp, kept, added, epsilon: T::of(epsilon), ..plain }
            }
            UpdateRule::Adam { first, second, epsilon } => adam(rate, step, [first, second, epsilon, 0.0]),
            UpdateRule::AdamW { first, second, epsilon, weight_decay } => {
                adam(rate, step, [first, second, epsilon, weight_decay])
            }
        }
    }
}

fn adam<T: Real>(rate: f64, step: u64, numbers: [f64; 4]) -> StepNumbers<T> {
    let [first, second, epsilon, weight_decay] = numbers;
    let power = step.min(i32::MAX as u64) as i32;
    StepNumbers {
        rule: StepRule::Adam,
        // The means as if they had not begun at 0.
        rate: T::of(rate / (1.0 - first.powi(power))),
        spread: T::of(1.0 / (1.0 - second.powi(power))),
        kept: T::of(first),
        added: T::of(1.0 - first),
        kept_square: T::of(second),
        added_square: T::of(1.0 - second),
        epsilon: T::of(epsilon),
        shrink: T::of(1.0 - rate * weight_decay),
    }
}

/// A rule with what it remembers of so many parameters.
///
/// ```
/// use gristmill::solvers::{UpdateRule, UpdateState};
/// let mut state = UpdateState::new(UpdateRule::Momentum { decay: 0.5 }, 1);
/// let mut parameters = [1.0_f32];
/// state.step(0.1, &mut parameters, &[2.0]); // v = 2
/// state.step(0.1, &mut parameters, &[2.0]); // v = 3
/// assert!((parameters[0] - 0.5).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateState<T> {
    rule: UpdateRule,
    steps: u64,
    first: Vec<T>,
    second: Vec<T>,
}

impl<T: Real> UpdateState<T> {
    /// Before the first step of so many parameters.
    pub fn new(rule: UpdateRule, parameters: usize) -> UpdateState<T> {
        let room = |needed: bool| vec![T::default(); if needed { parameters } else { 0 }];
        UpdateState { rule, steps: 0, first: room(rule.memory() > 0), second: room(rule.memory() > 1) }
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Moves the parameters by one step. Each moves by itself, in one pass.
    ///
    /// # Panics
    /// If there are other than the parameters that the state was made for.
    pub fn step(&mut self, rate: f64, parameters: &mut [T], gradient: &[T]) {
        assert_eq!(parameters.len(), gradient.len(), "a slope for each parameter");
        self.steps += 1;
        let numbers = self.rule.numbers(rate, self.steps);
        step(&numbers, (parameters, gradient), (&mut self.first, &mut self.second), Plain);
    }
}
