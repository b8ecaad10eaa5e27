//! Optimisers as values, for any function that gives its value and gradient.

use nalgebra::{DMatrix, DVector};

use super::lbfgs::{self, Slope};
use super::newton::{self, Curved, Stage};
use super::rate::Rate;
use super::update::{UpdateRule, UpdateState};
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};

/// A step of the line search must bring this share of what the slope promises.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step at most.
const HALVINGS: usize = 60;
/// The random numbers of batches.
const STREAM: u32 = 0x4f50_0001;

/// A function to be minimised.
pub trait Objective {
    /// The value at a point; writes the gradient.
    fn value_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64>;

    /// The same of a part that stands for all, such as a batch of rows; by default it is all.
    fn sampled_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.value_gradient(point, gradient)
    }

    /// The second derivatives, for Newton's method.
    fn hessian(&mut self, _point: &[f64]) -> Result<DMatrix<f64>> {
        Err(Error::param("optimizer", "one that needs no second derivatives: the objective gives none", "newton"))
    }
}

/// Any closure that writes the gradient and returns the value.
impl<F: FnMut(&[f64], &mut [f64]) -> f64> Objective for F {
    fn value_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        Ok(self(point, gradient))
    }
}

/// The mean of a term for each row; steps sample batches of them without replacement.
pub struct FiniteSum<F> {
    rows: usize,
    batch: usize,
    term: F,
    order: Vec<usize>,
    rng: HostRng,
}

impl<F: FnMut(usize, &[f64], &mut [f64]) -> f64> FiniteSum<F> {
    /// Of so many rows, in batches of so many (1 is plain SGD); `term` adds its gradient and returns its value.
    pub fn new(rows: usize, batch: usize, seed: u64, term: F) -> FiniteSum<F> {
        FiniteSum { rows, batch: batch.clamp(1, rows.max(1)), term, order: vec![], rng: HostRng::new(seed, STREAM) }
    }

    fn mean(&mut self, rows: &[usize], point: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let value: f64 = rows.iter().map(|row| (self.term)(*row, point, gradient)).sum();
        let count = rows.len().max(1) as f64;
        gradient.iter_mut().for_each(|slope| *slope /= count);
        value / count
    }
}

impl<F: FnMut(usize, &[f64], &mut [f64]) -> f64> Objective for FiniteSum<F> {
    fn value_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let all: Vec<usize> = (0..self.rows).collect();
        Ok(self.mean(&all, point, gradient))
    }

    fn sampled_gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        if self.order.is_empty() {
            self.order = (0..self.rows).collect();
            for at in (1..self.rows).rev() {
                let other = self.rng.below(at + 1);
                self.order.swap(at, other);
            }
        }
        let batch = self.order.split_off(self.order.len().saturating_sub(self.batch));
        Ok(self.mean(&batch, point, gradient))
    }
}

/// How a minimum is sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optimizer {
    /// Steps by a rule and a rate, on samples where the objective gives such: SGD, momentum, Adam and the others.
    Steps {
        /// What a step makes of a gradient.
        rule: UpdateRule,
        /// How long a step is.
        rate: Rate,
    },
    /// Along the gradient, as far as a halving line search finds enough descent.
    GradientDescent,
    /// Along one coordinate after the other, as far as a halving line search finds enough descent; a step is a pass over all.
    CoordinateDescent,
    /// Newton's method with a halving line search; the objective must give second derivatives.
    Newton,
    /// L-BFGS with the strong Wolfe conditions, which remembers ten steps.
    Lbfgs,
}

/// When to end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// No component of the gradient, of the sample where steps are taken on such, is larger; 0: all steps are taken.
    pub tol: f64,
    /// Steps at most.
    pub max_iter: usize,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop { tol: 1e-6, max_iter: 1000 }
    }
}

/// Where an optimiser ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The point.
    pub point: Vec<f64>,
    /// The value there; of the last sample where steps are taken on samples.
    pub value: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Whether the gradient came below `tol`.
    pub converged: bool,
    /// Every point on the way, the start first.
    pub path: Vec<Vec<f64>>,
}

impl Optimizer {
    /// Plain gradient steps of one rate.
    pub fn gradient(rate: f64) -> Optimizer {
        Optimizer::Steps { rule: UpdateRule::Gradient, rate: Rate::Constant(rate) }
    }

    /// Descends from `start`. An objective that leaves the range of numbers is an error that says after how many steps.
    ///
    /// ```
    /// use gristmill::solvers::{Optimizer, Stop};
    /// // 001 §1.3 of the notes: F(w) = ½(w₁² − w₂)² + ½(w₁ − 1)², least at (1, 1).
    /// let mut f = |w: &[f64], slope: &mut [f64]| {
    ///     let (bend, off) = (w[0] * w[0] - w[1], w[0] - 1.0);
    ///     slope.copy_from_slice(&[2.0 * w[0] * bend + off, -bend]);
    ///     0.5 * (bend * bend + off * off)
    /// };
    /// let found = Optimizer::Lbfgs.minimize(&mut f, &[0.0, 0.0], Stop::default())?;
    /// assert!(found.converged && (found.point[0] - 1.0).abs() < 1e-5);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn minimize(&self, objective: &mut impl Objective, start: &[f64], stop: Stop) -> Result<Minimum> {
        let mut path = vec![];
        let mut last = f64::INFINITY;
        let mut done = |step: usize, at: &Slope, steepness: f64| -> Result<bool> {
            if !at.value.is_finite() || at.point.iter().any(|value| !value.is_finite()) {
                let rule = format!("smaller: the objective left the range of numbers after {step} steps");
                return Err(Error::param("rate", rule, "this rate"));
            }
            path.push(at.point.clone());
            last = steepness;
            Ok((stop.tol > 0.0 && steepness <= stop.tol) || step >= stop.max_iter)
        };
        let mut plain = |step: usize, at: &Slope| done(step, at, at.steepness());
        let end = match self {
            Optimizer::Steps { rule, rate } => steps(objective, start, (*rule, *rate), &mut plain)?,
            Optimizer::GradientDescent => gradient_descent(objective, start, &mut plain)?,
            Optimizer::CoordinateDescent => coordinate_descent(objective, start, &mut plain)?,
            Optimizer::Lbfgs => lbfgs::minimize(start.to_vec(), |point| at_once(objective, point), &mut plain)?.0,
            Optimizer::Newton => {
                let tell = |step: usize, stage: &Stage| plain(step, &stage.at);
                newton::minimize(&mut Adapter(objective), start.to_vec(), &[], None, tell)?.0.at
            }
        };
        let iterations = path.len().saturating_sub(1);
        Ok(Minimum { point: end.point, value: end.value, iterations, converged: last <= stop.tol, path })
    }
}

fn at_once(objective: &mut impl Objective, point: &[f64]) -> Result<(f64, Vec<f64>)> {
    let mut gradient = vec![0.0; point.len()];
    let value = objective.value_gradient(point, &mut gradient)?;
    Ok((value, gradient))
}

/// A public objective as Newton's method takes one.
struct Adapter<'a, O>(&'a mut O);

impl<O: Objective> Curved for Adapter<'_, O> {
    fn value_gradient(&mut self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        at_once(self.0, point)
    }

    fn hessian(&mut self, point: &[f64]) -> Result<DMatrix<f64>> {
        let hessian = self.0.hessian(point)?;
        // Where the function is not convex the Hessian is bent up until it is: a step must descend.
        let eigen = hessian.symmetric_eigen();
        let least = 1e-8 * eigen.eigenvalues.amax().max(1e-300);
        let values = DVector::from_iterator(point.len(), eigen.eigenvalues.iter().map(|value| value.abs().max(least)));
        Ok(&eigen.eigenvectors * DMatrix::from_diagonal(&values) * eigen.eigenvectors.transpose())
    }
}

/// Whether to end, of a step and its point.
type Done<'a> = dyn FnMut(usize, &Slope) -> Result<bool> + 'a;

fn steps(
    objective: &mut impl Objective,
    start: &[f64],
    (rule, rate): (UpdateRule, Rate),
    done: &mut Done<'_>,
) -> Result<Slope> {
    let mut state = UpdateState::new(rule, start.len());
    let mut at = Slope { point: start.to_vec(), value: 0.0, gradient: vec![0.0; start.len()] };
    for step in 0.. {
        at.value = objective.sampled_gradient(&at.point, &mut at.gradient)?;
        if done(step, &at)? {
            break;
        }
        state.step(rate.at(step as u64), &mut at.point, &at.gradient);
    }
    Ok(at)
}

fn gradient_descent(objective: &mut impl Objective, start: &[f64], done: &mut Done<'_>) -> Result<Slope> {
    let (value, gradient) = at_once(objective, start)?;
    let mut at = Slope { point: start.to_vec(), value, gradient };
    let mut length = 1.0;
    for step in 0.. {
        if done(step, &at)? {
            break;
        }
        let direction = at.gradient.clone();
        match search(objective, &at, &direction, &mut length)? {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(at)
}

fn coordinate_descent(objective: &mut impl Objective, start: &[f64], done: &mut Done<'_>) -> Result<Slope> {
    let (value, gradient) = at_once(objective, start)?;
    let mut at = Slope { point: start.to_vec(), value, gradient };
    let mut lengths = vec![1.0; start.len()];
    for step in 0.. {
        if done(step, &at)? {
            break;
        }
        let before = at.value;
        for (axis, length) in lengths.iter_mut().enumerate() {
            let mut direction = vec![0.0; start.len()];
            direction[axis] = at.gradient[axis];
            if let Some(next) = search(objective, &at, &direction, length)? {
                at = next;
            }
        }
        if at.value >= before {
            break;
        }
    }
    Ok(at)
}

/// A point against a direction, with enough descent; `length` is that of the last search, a little above which this one begins.
fn search(objective: &mut impl Objective, at: &Slope, direction: &[f64], length: &mut f64) -> Result<Option<Slope>> {
    let square: f64 = direction.iter().map(|slope| slope * slope).sum();
    if square == 0.0 {
        return Ok(None);
    }
    *length *= 4.0;
    for _ in 0..HALVINGS {
        let point: Vec<f64> = at.point.iter().zip(direction).map(|(from, slope)| from - *length * slope).collect();
        let (value, gradient) = at_once(objective, &point)?;
        if value.is_finite() && value <= at.value - ARMIJO * *length * square {
            return Ok(Some(Slope { point, value, gradient }));
        }
        *length *= 0.5;
    }
    Ok(None)
}
