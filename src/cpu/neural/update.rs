//! One step of a first-order optimiser over flat parameters.

use std::ops::{Add, Div, Mul, Sub};

use crate::cpu::vectorised;

/// Parameters that a task moves.
const PER_TASK: usize = 1 << 15;

/// What a step makes of a gradient, as [`UpdateRule`](crate::solvers::UpdateRule) says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum StepRule {
    /// −rate·gradient.
    Gradient,
    /// Momentum.
    Momentum,
    /// Momentum that looks ahead.
    Nesterov,
    /// Adagrad.
    Adagrad,
    /// RMSProp.
    RmsProp,
    /// Adam, and AdamW by `shrink`.
    Adam,
}

/// The numbers of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepNumbers<T> {
    /// The rule.
    pub rule: StepRule,
    /// The length of the step; for Adam freed of the start of its means at 0.
    pub rate: T,
    /// What is kept of the first memory.
    pub kept: T,
    /// What the gradient adds to the first memory.
    pub added: T,
    /// What is kept of the second memory.
    pub kept_square: T,
    /// What the squared gradient adds to the second memory.
    pub added_square: T,
    /// What the second memory is multiplied by.
    pub spread: T,
    /// Keeps quotients finite.
    pub epsilon: T,
    /// What the parameter itself is multiplied by.
    pub shrink: T,
}

/// f32 or f64.
pub trait Real:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Send + Sync
{
    /// The nearest number.
    fn of(value: f64) -> Self;
    /// Its root.
    fn root(self) -> Self;
}

macro_rules! real {
    ($($type:ident),*) => {$(
        impl Real for $type {
            #[inline(always)]
            fn of(value: f64) -> $type {
                value as $type
            }

            #[inline(always)]
            fn root(self) -> $type {
                self.sqrt()
            }
        }
    )*};
}

real!(f32, f64);

/// What the slope by a parameter is, of the parameter and its gradient.
pub trait SlopeOf<T>: Copy {
    /// The slope that counts.
    fn of(self, parameter: T, gradient: T) -> T;
}

/// The gradient as it is.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl<T> SlopeOf<T> for Plain {
    #[inline(always)]
    fn of(self, _: T, gradient: T) -> T {
        gradient
    }
}

/// A clipped gradient with L2.
#[derive(Clone, Copy)]
struct Squares {
    clip: f32,
    l2: f32,
}

impl SlopeOf<f32> for Squares {
    #[inline(always)]
    fn of(self, parameter: f32, gradient: f32) -> f32 {
        self.clip * gradient + self.l2 * parameter
    }
}

/// The same with L1.
#[derive(Clone, Copy)]
struct Sizes {
    squares: Squares,
    l1: f32,
}

impl SlopeOf<f32> for Sizes {
    #[inline(always)]
    fn of(self, parameter: f32, gradient: f32) -> f32 {
        let sign = if parameter == 0.0 { 0.0 } else { self.l1.copysign(parameter) };
        self.squares.of(parameter, gradient) + sign
    }
}

/// Moves the parameters by one step; a memory that the rule does not have may be empty.
#[inline(always)]
pub fn step<T: Real>(
    numbers: &StepNumbers<T>,
    (parameters, gradient): (&mut [T], &[T]),
    (first, second): (&mut [T], &mut [T]),
    by: impl SlopeOf<T>,
) {
    let StepNumbers { rule, rate, kept, added, kept_square, added_square, spread, epsilon, shrink } = *numbers;
    let pairs = parameters.iter_mut().zip(gradient);
    match rule {
        StepRule::Gradient => {
            pairs.for_each(|(parameter, raw)| *parameter = *parameter - rate * by.of(*parameter, *raw))
        }
        StepRule::Momentum => {
            for ((parameter, raw), v) in pairs.zip(first) {
                *v = kept * *v + by.of(*parameter, *raw);
                *parameter = *parameter - rate * *v;
            }
        }
        StepRule::Nesterov => {
            for ((parameter, raw), v) in pairs.zip(first) {
                let slope = by.of(*parameter, *raw);
                *v = kept * *v + slope;
                *parameter = *parameter - rate * (slope + kept * *v);
            }
        }
        StepRule::Adagrad => {
            for ((parameter, raw), s) in pairs.zip(first) {
                let slope = by.of(*parameter, *raw);
                *s = *s + slope * slope;
                *parameter = *parameter - rate * slope / (s.root() + epsilon);
            }
        }
        StepRule::RmsProp => {
            for ((parameter, raw), s) in pairs.zip(first) {
                let slope = by.of(*parameter, *raw);
                *s = kept * *s + added * slope * slope;
                *parameter = *parameter - rate * slope / (s.root() + epsilon);
            }
        }
        StepRule::Adam => {
            for ((parameter, raw), (m, s)) in pairs.zip(first.iter_mut().zip(second)) {
                let slope = by.of(*parameter, *raw);
                *m = kept * *m + added * slope;
                *s = kept_square * *s + added_square * slope * slope;
                *parameter = shrink * *parameter - rate * *m / ((*s * spread).root() + epsilon);
            }
        }
    }
}

/// L1 and L2 on the weights of some ranges, and what all slopes are multiplied by before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty<'a> {
    /// Added to a slope with the sign of its weight.
    pub l1: f32,
    /// Added to a slope times its weight.
    pub l2: f32,
    /// What slopes are multiplied by: below 1 where the gradient is clipped.
    pub clip: f32,
    /// Where there are weights, `[first, end)`; what lies elsewhere, such as biases, has no penalty.
    pub ranges: &'a [[u32; 2]],
}

/// The step over all parameters of a network.
pub fn update(
    numbers: &StepNumbers<f32>,
    penalty: Penalty<'_>,
    (parameters, gradient): (&mut [f32], &[f32]),
    (first, second): (&mut [f32], &mut [f32]),
) {
    let plain = Penalty { l1: 0.0, l2: 0.0, ..penalty };
    let mut at = 0;
    let (mut parameters, mut gradient, mut first, mut second) = (parameters, gradient, first, second);
    let ends = penalty.ranges.iter().flat_map(|range| [(range[0], plain), (range[1], penalty)]);
    for (end, penalty) in ends.chain([((at + parameters.len()) as u32, plain)]) {
        let count = end as usize - at;
        let (own, rest) = parameters.split_at_mut(count);
        let (slopes, later) = gradient.split_at(count);
        let (first_own, first_rest) = first.split_at_mut(count.min(first.len()));
        let (second_own, second_rest) = second.split_at_mut(count.min(second.len()));
        range(numbers, penalty, (own, slopes), (first_own, second_own));
        (parameters, gradient, first, second, at) = (rest, later, first_rest, second_rest, end as usize);
    }
}

/// All of one kind. A memory is as long as the parameters, or empty.
fn range(
    numbers: &StepNumbers<f32>,
    penalty: Penalty<'_>,
    (parameters, gradient): (&mut [f32], &[f32]),
    (first, second): (&mut [f32], &mut [f32]),
) {
    if parameters.len() > 2 * PER_TASK && rayon::current_num_threads() > 1 {
        let middle = (parameters.len() / 2).next_multiple_of(16);
        let (left, right) = parameters.split_at_mut(middle);
        let (left_slopes, right_slopes) = gradient.split_at(middle);
        let (first_left, first_right) = first.split_at_mut(middle.min(first.len()));
        let (second_left, second_right) = second.split_at_mut(middle.min(second.len()));
        rayon::join(
            || range(numbers, penalty, (left, left_slopes), (first_left, second_left)),
            || range(numbers, penalty, (right, right_slopes), (first_right, second_right)),
        );
        return;
    }
    let squares = Squares { clip: penalty.clip, l2: penalty.l2 };
    let sizes = Sizes { squares, l1: penalty.l1 };
    match penalty.l1 == 0.0 {
        true => vectorised!(step(numbers, (&mut *parameters, gradient), (&mut *first, &mut *second), squares)),
        false => vectorised!(step(numbers, (&mut *parameters, gradient), (&mut *first, &mut *second), sizes)),
    }
}
