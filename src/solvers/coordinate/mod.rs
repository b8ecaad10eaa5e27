//! Coordinate descent for least squares with a penalty `l1·‖w‖₁ + ½·l2·‖w‖²`, along a path of penalties.
//!
//! Working sets (Massias, Gramfort and Salmon, *Celer*, 2018): the problem is solved on the few columns that matter, by the
//! products of those columns alone; then the slopes of all columns give the duality gap, which says whether that was enough,
//! which columns can never matter (gap-safe spheres, Ndiaye and others, 2017), and which come next. The slopes are made afresh
//! from the rows each time, so rounding in the products does not reach the result.

mod columns;
mod gram;
mod inner;

pub(crate) use columns::DenseColumns;
pub(crate) use gram::GramColumns;

use crate::error::Result;
use inner::{Inner, View};
use rayon::prelude::*;

/// Columns of a working set at first, and at most.
const FIRST_SET: usize = 64;
const LARGEST_SET: usize = 4096;
/// Columns whose products are remembered: 64 MiB.
const REMEMBERED: usize = 4096;
/// Rounds of one penalty at most.
const ROUNDS: usize = 100;
/// Share of the gap that working sets come to: the other columns have theirs.
const NEARLY: f64 = 0.8;
/// Passes on a device between looks at the gap.
const DEVICE_PASSES: usize = 10;

/// Deviations below this share of the mean are rounding: the column is constant, and its square 0.
pub(crate) const CONSTANT: f64 = 1e-12;

/// The columns that coordinate descent works on: less their means, times the root of the weight of each row. All sums are
/// divided by the weight of all rows.
pub(crate) trait Columns: Sync {
    /// d, the number of columns.
    fn count(&self) -> usize;

    /// ‖x‖² of each column; 0 of those that take no part.
    fn squares(&self) -> &[f64];

    /// ‖y‖² of one output.
    fn target_square(&self, output: usize) -> f64;

    /// ‖y − X·w‖², and Xᵀ(y − X·w) of the columns `which`; `support` has the columns with coefficients other than 0.
    fn slopes(&self, output: usize, support: &[(usize, f64)], which: &[usize]) -> (f64, Vec<f64>);

    /// The products of columns with each other, `left` by `right`, row by row; right to f32.
    fn products(&self, left: &[usize], right: &[usize]) -> Vec<f32>;

    /// Passes over all columns in f32 where their products are, from the coefficients and their slopes: one wait. False where
    /// there is no such place.
    fn descend(&self, _coef: &mut [f64], _slopes: &[f64], _penalty: L1L2, _passes: usize) -> Result<bool> {
        Ok(false)
    }
}

/// What is added to half of the mean of the squares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct L1L2 {
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    /// Whether coefficients below 0 are ruled out.
    pub(crate) positive: bool,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// The duality gap to reach.
    pub(crate) gap: f64,
    /// Passes over the coordinates of working sets at most.
    pub(crate) max_iter: usize,
}

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) gap: f64,
    pub(crate) objective: f64,
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
}

/// Coordinate descent on one output; goes on from the coefficients of the penalty before.
pub(crate) struct CoordinateDescent<'a> {
    columns: &'a dyn Columns,
    output: usize,
    coef: Vec<f64>,
    /// Of all columns, at `coef`; those of screened columns are of an earlier time.
    slopes: Vec<f64>,
    residual: f64,
    /// Whether some slopes are of an earlier time.
    stale: bool,
    products: Products,
    last_l1: Option<f64>,
    /// Where the penalty before the last one ended.
    before: Option<Before>,
}

/// Coefficients with what belongs to them.
struct Before {
    l1: f64,
    coef: Vec<f64>,
    slopes: Vec<f64>,
    residual: f64,
}

impl<'a> CoordinateDescent<'a> {
    /// All coefficients 0.
    pub(crate) fn new(columns: &'a dyn Columns, output: usize) -> Self {
        let all: Vec<usize> = (0..columns.count()).collect();
        let (residual, slopes) = columns.slopes(output, &[], &all);
        let products =
            Products { order: vec![], place: vec![None; all.len()], values: vec![], diagonal: vec![], room: 0 };
        let coef = vec![0.0; all.len()];
        let (last_l1, before) = (None, None);
        CoordinateDescent { columns, output, coef, slopes, residual, stale: false, products, last_l1, before }
    }

    /// The coefficients as they are.
    pub(crate) fn coef(&self) -> &[f64] {
        &self.coef
    }

    /// The largest slope at coefficients of 0: with an `l1` of this or more they stay there.
    pub(crate) fn largest_slope(&self, positive: bool) -> f64 {
        self.slopes.iter().fold(0.0, |most, slope| most.max(if positive { *slope } else { slope.abs() }))
    }

    /// Minimises `½·mean of squares + l1·‖w‖₁ + ½·l2·‖w‖²` for an l1 above 0; `report` hears of the passes and the gap, and may
    /// end it by true.
    pub(crate) fn solve(
        &mut self,
        penalty: L1L2,
        stop: Stop,
        mut report: impl FnMut(usize, f64) -> Result<bool>,
    ) -> Result<Outcome> {
        let mut alive: Vec<usize> = (0..self.coef.len()).filter(|&at| self.columns.squares()[at] > 0.0).collect();
        if self.stale {
            self.refresh(&alive);
            self.stale = false;
        }
        // Slopes that were carried on, not made from the rows, do not end a fit.
        let mut made = !self.go_on(penalty);
        let mut size = self.first_size(penalty, &alive);
        let mut iterations = 0;
        // Passes on a device go on while each round halves the gap: f32 steps end somewhere.
        let (mut on_device, mut last) = (true, f64::INFINITY);
        for round in 0..ROUNDS {
            let found = self.gap(penalty, &alive);
            if found.gap <= stop.gap && !made {
                self.refresh(&alive);
                made = true;
                continue;
            }
            let done = found.gap <= stop.gap;
            let ended = report(iterations, found.gap)?;
            if done || ended || iterations >= stop.max_iter {
                self.last_l1 = Some(penalty.l1);
                return Ok(Outcome { iterations, converged: done, ..found.outcome() });
            }
            on_device &= found.gap <= 0.5 * last;
            last = found.gap;
            let passes = DEVICE_PASSES.min(stop.max_iter - iterations);
            if on_device && self.columns.descend(&mut self.coef, &self.slopes, penalty, passes)? {
                iterations += passes;
                self.refresh(&alive);
                made = true;
                continue;
            }
            on_device = false;
            // A path mostly needs one round a penalty: screening pays where there are more, and leaves stale slopes.
            if round > 0 && self.screen(penalty, found, &mut alive) {
                self.refresh(&alive);
                continue;
            }
            let set = self.working_set(penalty, found.scale, &alive, size);
            self.products.extend(self.columns, &set);
            let order = &self.products.order;
            let pick = |values: &[f64]| order.iter().map(|&at| values[at]).collect::<Vec<f64>>();
            let gram = self.products.view(&set);
            let mut inner = Inner::new(gram, pick(&self.coef), pick(&self.slopes), self.residual);
            let left = stop.max_iter - iterations;
            iterations += inner.run(penalty, NEARLY * stop.gap, left);
            order.iter().zip(inner.coef()).for_each(|(&at, value)| self.coef[at] = *value);
            self.refresh(&alive);
            made = true;
            let support = self.coef.iter().filter(|value| **value != 0.0).count();
            size = (2 * size).max(2 * support).min(LARGEST_SET);
        }
        let found = self.gap(penalty, &alive);
        self.last_l1 = Some(penalty.l1);
        Ok(Outcome { iterations, converged: found.gap <= stop.gap, ..found.outcome() })
    }

    /// Goes on as from the penalty before to the last one: between changes of the support the coefficients are linear in the
    /// penalty. Slopes are so always, and ‖r‖² follows from them. Stays where that is not better, and says so by false.
    fn go_on(&mut self, penalty: L1L2) -> bool {
        let Some(l1) = self.last_l1 else { return false };
        let now = Before { l1, coef: self.coef.clone(), slopes: self.slopes.clone(), residual: self.residual };
        let Some(before) = self.before.replace(now) else { return false };
        let share = (penalty.l1 - l1) / (l1 - before.l1);
        if !(share > 0.0 && share <= 4.0) {
            return false;
        }
        let ahead = |now: &[f64], before: &[f64]| -> Vec<f64> {
            now.iter().zip(before).map(|(now, before)| now + share * (now - before)).collect()
        };
        let (coef, slopes) = (ahead(&self.coef, &before.coef), ahead(&self.slopes, &before.slopes));
        // ‖r − r'‖² = (w − w')ᵀ(Xᵀr' − Xᵀr).
        let apart: f64 =
            (0..coef.len()).map(|at| (self.coef[at] - before.coef[at]) * (before.slopes[at] - self.slopes[at])).sum();
        let residual = (1.0 + share) * self.residual - share * before.residual + share * (1.0 + share) * apart;
        let objective = |coef: &[f64], residual: f64| {
            let costs = coef.iter().map(|value| penalty.l1 * value.abs() + 0.5 * penalty.l2 * value * value);
            0.5 * residual + costs.sum::<f64>()
        };
        let allowed = !penalty.positive || coef.iter().all(|value| *value >= 0.0);
        let better = residual >= 0.0 && objective(&coef, residual) < objective(&self.coef, self.residual);
        if allowed && better {
            (self.coef, self.slopes, self.residual) = (coef, slopes, residual);
        }
        allowed && better
    }

    /// Residual and slopes of the columns that are alive, from the coefficients.
    fn refresh(&mut self, alive: &[usize]) {
        let support: Vec<(usize, f64)> = self.support().collect();
        let (residual, slopes) = self.columns.slopes(self.output, &support, alive);
        self.residual = residual;
        alive.iter().zip(slopes).for_each(|(&at, slope)| self.slopes[at] = slope);
    }

    fn support(&self) -> impl Iterator<Item = (usize, f64)> {
        self.coef.iter().copied().enumerate().filter(|(_, value)| *value != 0.0)
    }

    /// Twice the support, or the columns that can be expected to enter (the strong rule).
    fn first_size(&self, penalty: L1L2, alive: &[usize]) -> usize {
        let expected = 2.0 * penalty.l1 - self.last_l1.unwrap_or(penalty.l1);
        let strong = alive.iter().filter(|&&at| self.pull(penalty, at) >= expected).count();
        let strong = if self.last_l1.is_some() { strong } else { 0 };
        strong.max(2 * self.support().count()).clamp(FIRST_SET, LARGEST_SET)
    }

    /// How strongly a column is drawn away from 0; above l1 it is.
    fn pull(&self, penalty: L1L2, at: usize) -> f64 {
        let pull = self.slopes[at] - penalty.l2 * self.coef[at];
        if penalty.positive { pull } else { pull.abs() }
    }

    /// The duality gap, with the residuals scaled into the dual feasible set.
    fn gap(&self, penalty: L1L2, alive: &[usize]) -> Gap {
        let most = alive.iter().fold(0.0, |most: f64, &at| most.max(self.pull(penalty, at)));
        let pairs = self.support().map(|(at, value)| (value, self.slopes[at]));
        Gap::new(penalty, self.residual, most, pairs)
    }

    /// Drops columns whose coefficient is 0 at the solution for certain; true if some of them were not 0.
    fn screen(&mut self, penalty: L1L2, found: Gap, alive: &mut Vec<usize>) -> bool {
        let radius = (2.0 * found.gap.max(0.0)).sqrt();
        let mut moved = false;
        let stays = |at: usize| {
            let length = (self.columns.squares()[at] + penalty.l2).sqrt();
            self.pull(penalty, at) * found.scale + length * radius >= penalty.l1
        };
        let kept: Vec<usize> = alive.iter().copied().filter(|&at| stays(at)).collect();
        if kept.len() < alive.len() {
            let mut remains = vec![false; self.coef.len()];
            kept.iter().for_each(|&at| remains[at] = true);
            for (value, _) in self.coef.iter_mut().zip(&remains).filter(|(value, remains)| **value != 0.0 && !**remains)
            {
                (*value, moved) = (0.0, true);
            }
            *alive = kept;
            self.stale = true;
        }
        moved
    }

    /// The support and the columns nearest to entering, `size` in all.
    fn working_set(&self, penalty: L1L2, scale: f64, alive: &[usize], size: usize) -> Vec<usize> {
        let support = self.support().count();
        let distance = |at: usize| match self.coef[at] != 0.0 && support <= LARGEST_SET {
            true => f64::NEG_INFINITY,
            false => (penalty.l1 - scale * self.pull(penalty, at)) / (self.columns.squares()[at] + penalty.l2).sqrt(),
        };
        let size = size.max(support.min(LARGEST_SET)).min(alive.len());
        if size == alive.len() {
            return alive.to_vec();
        }
        let mut order: Vec<(f64, usize)> = alive.par_iter().map(|&at| (distance(at), at)).collect();
        order.select_nth_unstable_by(size, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut set: Vec<usize> = order[..size].iter().map(|(_, at)| *at).collect();
        set.sort_unstable();
        set
    }
}

/// The duality gap of coefficients, and what it came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    gap: f64,
    objective: f64,
    /// What the residuals are multiplied by to be dual feasible.
    scale: f64,
}

impl Gap {
    /// From ‖r‖², the strongest pull, and each coefficient that is not 0 with its slope.
    fn new(penalty: L1L2, residual: f64, most: f64, pairs: impl Iterator<Item = (f64, f64)>) -> Gap {
        let L1L2 { l1, l2, .. } = penalty;
        let scale = if most > l1 { l1 / most } else { 1.0 };
        let (mut size, mut square, mut along) = (0.0, 0.0, 0.0);
        for (value, slope) in pairs {
            size += value.abs();
            square += value * value;
            along += value * slope;
        }
        let objective = 0.5 * residual + l1 * size + 0.5 * l2 * square;
        // rᵀy = ‖r‖² + wᵀXᵀr.
        let dual = scale * (residual + along) - 0.5 * scale * scale * (residual + l2 * square);
        Gap { gap: objective - dual, objective, scale }
    }

    fn outcome(self) -> Outcome {
        Outcome { gap: self.gap.max(0.0), objective: self.objective, iterations: 0, converged: false }
    }
}

/// Products of the columns that were in a working set.
struct Products {
    order: Vec<usize>,
    /// The place of each column in the order.
    place: Vec<Option<u32>>,
    /// `room` by `room`, of which the first `order.len()` are filled.
    values: Vec<f32>,
    diagonal: Vec<f64>,
    room: usize,
}

impl Products {
    /// Makes the products that are missing.
    fn extend(&mut self, columns: &dyn Columns, set: &[usize]) {
        let new =
            |place: &[Option<u32>]| -> Vec<usize> { set.iter().copied().filter(|&at| place[at].is_none()).collect() };
        let mut fresh = new(&self.place);
        if self.order.len() + fresh.len() > REMEMBERED {
            self.order.iter().for_each(|&at| self.place[at] = None);
            self.order.clear();
            self.diagonal.clear();
            fresh = new(&self.place);
        }
        if fresh.is_empty() {
            return;
        }
        let before = self.order.len();
        for &at in &fresh {
            self.place[at] = Some(self.order.len() as u32);
            self.order.push(at);
            self.diagonal.push(columns.squares()[at]);
        }
        let count = self.order.len();
        if count > self.room {
            let room = count.max((2 * self.room).min(REMEMBERED));
            let mut values = vec![0.0; room * room];
            for row in 0..before {
                values[row * room..][..before].copy_from_slice(&self.values[row * self.room..][..before]);
            }
            (self.values, self.room) = (values, room);
        }
        let products = columns.products(&fresh, &self.order);
        for (at, row) in products.chunks_exact(count).enumerate() {
            self.values[(before + at) * self.room..][..count].copy_from_slice(row);
        }
        // The other half, in runs as long as there are new columns.
        for other in 0..before {
            let place = &mut self.values[other * self.room + before..][..fresh.len()];
            place.iter_mut().enumerate().for_each(|(at, value)| *value = products[at * count + other]);
        }
    }

    /// All of them, and the places of the set.
    fn view(&self, set: &[usize]) -> View<'_> {
        let visited = set.iter().filter_map(|&at| self.place[at]).map(|place| place as usize).collect();
        View { values: &self.values, diagonal: &self.diagonal, room: self.room, visited }
    }
}
