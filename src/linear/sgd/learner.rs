//! A plane that learns row by row: stochastic gradient steps with L1 and L2 penalties and averages.
//!
//! The coefficients are `scale·v`, so that the L2 penalty costs one product a step and a sparse row touches only its own
//! columns; the L1 penalty is paid when a column is touched (Tsuruoka, Tsujii and Ananiadou 2009). The sum over the steps is
//! `average_scale·v + rest`, which a step changes in the columns of its row alone.

use crate::cpu::linear::margin_gradient::exact::EachRow;
use crate::cpu::vectorised;
use crate::losses::ScoreLoss;

/// Below this `scale` it is multiplied into `v`.
const LEAST_SCALE: f64 = 1e-9;
/// A slope is held within ± this, as in scikit-learn.
const LARGEST_SLOPE: f64 = 1e12;

/// How long a step is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Schedule {
    /// 1 / (alpha·(first + t)).
    Optimal { alpha: f64, first: f64 },
    /// eta0, which an adaptive fit divides by five.
    Constant,
    /// eta0 / t^power.
    InverseScaling { power: f64 },
}

/// What does not change from step to step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rules {
    pub(super) loss: ScoreLoss,
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) schedule: Schedule,
    pub(super) fit_intercept: bool,
    /// Steps after which the average begins; none without one.
    pub(super) average_from: Option<u64>,
}

/// A plane on its way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plane {
    v: Vec<f64>,
    scale: f64,
    intercept: f64,
    /// eta0, which an adaptive fit lowers.
    pub(super) rate: f64,
    /// Steps taken, of all passes.
    pub(super) steps: u64,
    /// L1 penalty that every column owes, and what each has paid.
    owed: f64,
    paid: Vec<f64>,
    averaged: u64,
    average_scale: f64,
    rest: Vec<f64>,
    intercept_sum: f64,
}

/// Rows in an order, with a target and a weight each.
pub(super) struct Pass<'a, T, W> {
    pub(super) order: &'a [u32],
    pub(super) target: T,
    pub(super) weight: W,
}

impl Plane {
    pub(super) fn new(columns: usize, rate: f64, rules: &Rules) -> Plane {
        Plane {
            v: vec![0.0; columns],
            scale: 1.0,
            intercept: 0.0,
            rate,
            steps: 0,
            owed: 0.0,
            paid: vec![0.0; if rules.l1 > 0.0 { columns } else { 0 }],
            averaged: 0,
            average_scale: 0.0,
            rest: vec![0.0; if rules.average_from.is_some() { columns } else { 0 }],
            intercept_sum: 0.0,
        }
    }

    /// Takes a step for each row of the pass; returns Σ of the losses before their steps.
    pub(super) fn learn<R, T, W>(&mut self, x: R, rules: &Rules, pass: &Pass<'_, T, W>) -> f64
    where
        R: EachRow,
        T: Fn(usize) -> f64 + Sync,
        W: Fn(usize) -> f64 + Sync,
    {
        vectorised!(self.steps_of(x, rules, pass))
    }

    #[inline(always)]
    fn steps_of<R: EachRow, T: Fn(usize) -> f64, W: Fn(usize) -> f64>(
        &mut self,
        x: R,
        rules: &Rules,
        pass: &Pass<'_, T, W>,
    ) -> f64 {
        let mut total = 0.0;
        for row in pass.order {
            let row = *row as usize;
            self.steps += 1;
            let score = self.scale * x.dot(row, &self.v) + self.intercept;
            let target = (pass.target)(row);
            total += rules.loss.value(score, target);
            let rate = match rules.schedule {
                Schedule::Optimal { alpha, first } => 1.0 / (alpha * (first + self.steps as f64 - 1.0)),
                Schedule::Constant => self.rate,
                Schedule::InverseScaling { power } => self.rate / (self.steps as f64).powf(power),
            };
            let slope = rules.loss.slope(score, target).clamp(-LARGEST_SLOPE, LARGEST_SLOPE);
            let step = -rate * slope * (pass.weight)(row);
            if rules.l2 > 0.0 {
                self.scale *= (1.0 - rate * rules.l2).max(0.0);
                if self.scale < LEAST_SCALE {
                    self.fold();
                }
            }
            if step != 0.0 {
                x.add(row, step / self.scale, &mut self.v);
                if !self.rest.is_empty() && self.average_scale != 0.0 {
                    x.add(row, -self.average_scale * step / self.scale, &mut self.rest);
                }
                if rules.fit_intercept {
                    self.intercept += step;
                }
            }
            if rules.l1 > 0.0 {
                self.owed += rate * rules.l1;
                x.columns(row, |column| self.pay(column));
            }
            if rules.average_from.is_some_and(|from| self.steps > from) {
                self.averaged += 1;
                self.average_scale += self.scale;
                self.intercept_sum += self.intercept;
            }
        }
        total
    }

    /// Lets a column pay the L1 penalty that it owes, at most to 0.
    #[inline(always)]
    fn pay(&mut self, column: usize) {
        let before = self.scale * self.v[column];
        let after = match before > 0.0 {
            true => (before - (self.owed + self.paid[column])).max(0.0),
            false if before < 0.0 => (before + (self.owed - self.paid[column])).min(0.0),
            false => 0.0,
        };
        self.paid[column] += after - before;
        let change = (after - before) / self.scale;
        self.v[column] = if after == 0.0 { 0.0 } else { self.v[column] + change };
        if !self.rest.is_empty() {
            self.rest[column] -= self.average_scale * change;
        }
    }

    /// Every column pays what it owes.
    pub(super) fn settle(&mut self) {
        (0..self.paid.len()).for_each(|column| self.pay(column));
    }

    fn fold(&mut self) {
        // A scale of 0 leaves nothing of v; its average keeps what was.
        if self.scale == 0.0 {
            let share = self.average_scale;
            self.rest.iter_mut().zip(&self.v).for_each(|(rest, v)| *rest += share * v);
            self.v.fill(0.0);
            (self.scale, self.average_scale) = (1.0, 0.0);
            return;
        }
        self.v.iter_mut().for_each(|value| *value *= self.scale);
        self.average_scale /= self.scale;
        self.scale = 1.0;
    }

    /// Coefficients and intercept: the average where there is one.
    pub(super) fn result(&self) -> (Vec<f64>, f64) {
        if self.averaged > 0 {
            let count = self.averaged as f64;
            let mean = |(v, rest): (&f64, &f64)| (self.average_scale * v + rest) / count;
            return (self.v.iter().zip(&self.rest).map(mean).collect(), self.intercept_sum / count);
        }
        (self.v.iter().map(|v| self.scale * v).collect(), self.intercept)
    }

    pub(super) fn is_finite(&self) -> bool {
        self.intercept.is_finite() && self.scale.is_finite() && self.v.iter().all(|value| value.is_finite())
    }

    /// All numbers in a row, for a model that goes on learning.
    pub(super) fn to_numbers(&self) -> Vec<f64> {
        let single = [
            self.scale,
            self.intercept,
            self.rate,
            self.steps as f64,
            self.owed,
            self.averaged as f64,
            self.average_scale,
            self.intercept_sum,
        ];
        single.iter().chain(&self.v).chain(&self.paid).chain(&self.rest).copied().collect()
    }

    /// The plane again; nothing if the numbers do not fit.
    fn from_numbers(numbers: &[f64], columns: usize, rules: &Rules) -> Option<Plane> {
        let mut plane = Plane::new(columns, 0.0, rules);
        let (single, rest) = numbers.split_first_chunk::<8>()?;
        [plane.scale, plane.intercept, plane.rate, _, plane.owed, _, plane.average_scale, plane.intercept_sum] =
            *single;
        (plane.steps, plane.averaged) = (single[3] as u64, single[5] as u64);
        if rest.len() != plane.v.len() + plane.paid.len() + plane.rest.len() || plane.scale <= 0.0 {
            return None;
        }
        let (v, rest) = rest.split_at(plane.v.len());
        let (paid, rest) = rest.split_at(plane.paid.len());
        plane.v.copy_from_slice(v);
        plane.paid.copy_from_slice(paid);
        plane.rest.copy_from_slice(rest);
        Some(plane)
    }

    /// So many planes from the numbers of all; nothing if they do not fit.
    pub(super) fn all_from_numbers(numbers: &[f64], count: usize, columns: usize, rules: &Rules) -> Option<Vec<Plane>> {
        let size = 8 + columns * (1 + usize::from(rules.l1 > 0.0) + usize::from(rules.average_from.is_some()));
        let planes: Option<Vec<Plane>> =
            numbers.chunks(size).map(|numbers| Plane::from_numbers(numbers, columns, rules)).collect();
        planes.filter(|planes| planes.len() == count)
    }
}
