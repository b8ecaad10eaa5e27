//! Dual coordinate descent for linear support vector machines, one row at a time, with shrinking (Hsieh, Chang, Lin, Keerthi
//! and Sundararajan 2008; Ho and Lin 2012 for regression). The order is random by buckets of rows (Ioannou, Mendler-Dünner and
//! Parnell, *SySCD*, 2019): the memory is read in runs, and shuffling costs little.
//!
//! Minimised is ½‖w‖² + Σ c·loss, of rows with a column of ones where there is an intercept: it is penalised as the others.

use crate::cpu::linear::margin_gradient::exact::EachRow;
use crate::cpu::random::HostRng;
use crate::cpu::vectorised;
use crate::error::Result;

/// The random numbers of orders.
const STREAM: u32 = 0x4443_0001;
/// Passes between two looks at the duality gap.
const LOOK: usize = 5;
/// Rows of a bucket, whose dual variables fill a line of the cache; and the rows from which on there are buckets.
const BUCKET: usize = 8;
const MANY: usize = 1 << 14;

/// The problem of one plane.
#[derive(Clone, Copy)]
pub(crate) struct DualProblem<'a> {
    /// Classes −1 and 1, or numbers.
    pub(crate) targets: &'a [f64],
    /// How much each row counts: C times its weight.
    pub(crate) costs: &'a [f64],
    /// Whether the loss is squared.
    pub(crate) squared: bool,
    /// The width of what costs nothing, for numbers; none for classes.
    pub(crate) epsilon: Option<f64>,
    pub(crate) intercept: bool,
    pub(crate) columns: usize,
    pub(crate) seed: u64,
}

/// When to end.
#[derive(Clone, Copy)]
pub(crate) struct DualStop {
    /// The duality gap as a share of the objective.
    pub(crate) tol: f64,
    pub(crate) max_iter: usize,
}

/// Where it ended.
pub(crate) struct DualFound {
    pub(crate) coef: Vec<f64>,
    pub(crate) intercept: f64,
    pub(crate) passes: usize,
    pub(crate) converged: bool,
    /// Objective and gap, as often as they were looked at.
    pub(crate) objectives: Vec<f64>,
    pub(crate) gap: f64,
    /// Rows whose dual variable is not 0.
    pub(crate) support: usize,
}

struct State {
    w: Vec<f64>,
    b: f64,
    alpha: Vec<f64>,
    /// ‖x‖² with the ones, and ½/c for squared losses.
    diagonal: Vec<f64>,
    active: Vec<u32>,
    /// The largest and the smallest projected slope of the last pass: rows beyond are left out.
    limits: [f64; 2],
}

/// Descends; `report` gets the number of the pass and the objective, and says whether to end.
pub(crate) fn minimize<R: EachRow>(
    x: R,
    problem: DualProblem<'_>,
    stop: DualStop,
    mut report: impl FnMut(usize, f64) -> Result<bool>,
) -> Result<DualFound> {
    let rows = problem.targets.len();
    let ones = f64::from(u8::from(problem.intercept));
    let extra = |row: usize| if problem.squared { 0.5 / problem.costs[row].max(f64::MIN_POSITIVE) } else { 0.0 };
    let mut state = State {
        w: vec![0.0; problem.columns],
        b: 0.0,
        alpha: vec![0.0; rows],
        diagonal: (0..rows).map(|row| x.square(row) + ones + extra(row)).collect(),
        active: (0..rows as u32).filter(|row| problem.costs[*row as usize] > 0.0).collect(),
        limits: [f64::INFINITY, f64::NEG_INFINITY],
    };
    let all = state.active.len();
    let costs: f64 = problem.costs.iter().sum();
    let mut rng = HostRng::new(problem.seed, STREAM);
    let (mut passes, mut converged, mut objectives, mut gap) = (0, false, vec![], f64::INFINITY);
    while passes < stop.max_iter {
        state.active = shuffled(&state.active, if rows >= MANY { BUCKET } else { 1 }, &mut rng);
        let spread = match problem.epsilon {
            None => vectorised!(class_pass(x, problem, &mut state)),
            Some(epsilon) => vectorised!(number_pass(x, problem, epsilon, &mut state)),
        };
        passes += 1;
        let shrunk = state.active.len() < all;
        let looks = passes % LOOK == 0 || passes == stop.max_iter || spread <= stop.tol * 1e-3;
        if !looks {
            continue;
        }
        let (primal, dual) = vectorised!(objective(x, problem, &state));
        objectives.push(primal);
        gap = primal - dual;
        if gap <= stop.tol * primal.abs().max(f64::MIN_POSITIVE) {
            converged = true;
            break;
        }
        if report(passes, primal)? {
            break;
        }
        // What was left out comes back when the others cannot close the gap: each has at most its cost times the spread.
        if shrunk && spread * costs <= gap {
            state.active = (0..rows as u32).filter(|row| problem.costs[*row as usize] > 0.0).collect();
            state.limits = [f64::INFINITY, f64::NEG_INFINITY];
        }
    }
    let support = state.alpha.iter().filter(|alpha| **alpha != 0.0).count();
    Ok(DualFound { coef: state.w, intercept: state.b, passes, converged, objectives, gap, support })
}

/// The rows by buckets in a random order; those of a bucket stay together.
fn shuffled(rows: &[u32], bucket: usize, rng: &mut HostRng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows.len().div_ceil(bucket) as u32).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, rng.below(at + 1));
    }
    let of = |place: u32| rows[place as usize * bucket..].iter().take(bucket).copied();
    order.into_iter().flat_map(of).collect()
}

/// One step for each active row of classes; returns the spread of the projected slopes.
#[inline(always)]
fn class_pass<R: EachRow>(x: R, problem: DualProblem<'_>, state: &mut State) -> f64 {
    let [above, below] = state.limits;
    let (mut largest, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
    let ones = f64::from(u8::from(problem.intercept));
    let mut kept = 0;
    for at in 0..state.active.len() {
        let row = state.active[at] as usize;
        let (y, c, alpha) = (problem.targets[row], problem.costs[row], state.alpha[row]);
        let (upper, extra) = if problem.squared { (f64::INFINITY, 0.5 / c) } else { (c, 0.0) };
        let slope = y * (x.dot(row, &state.w) + state.b) - 1.0 + extra * alpha;
        // A bound that the slope presses against holds the row; far enough, it is left out.
        let projected = if alpha == 0.0 {
            if slope > above {
                continue;
            }
            slope.min(0.0)
        } else if alpha == upper {
            if slope < below {
                continue;
            }
            slope.max(0.0)
        } else {
            slope
        };
        state.active[kept] = row as u32;
        kept += 1;
        largest = largest.max(projected);
        least = least.min(projected);
        if projected.abs() > 1e-12 && state.diagonal[row] > 0.0 {
            let next = (alpha - slope / state.diagonal[row]).clamp(0.0, upper);
            let step = (next - alpha) * y;
            state.alpha[row] = next;
            x.add(row, step, &mut state.w);
            state.b += ones * step;
        }
    }
    state.active.truncate(kept);
    state.limits =
        [if largest > 0.0 { largest } else { f64::INFINITY }, if least < 0.0 { least } else { f64::NEG_INFINITY }];
    if largest >= least { largest - least } else { 0.0 }
}

/// One step for each active row of numbers; returns the largest violation.
#[inline(always)]
fn number_pass<R: EachRow>(x: R, problem: DualProblem<'_>, epsilon: f64, state: &mut State) -> f64 {
    let ones = f64::from(u8::from(problem.intercept));
    let limit = state.limits[0];
    let mut largest = 0.0_f64;
    let mut kept = 0;
    for at in 0..state.active.len() {
        let row = state.active[at] as usize;
        let (y, c, beta) = (problem.targets[row], problem.costs[row], state.alpha[row]);
        let (upper, extra) = if problem.squared { (f64::INFINITY, 0.5 / c) } else { (c, 0.0) };
        let slope = x.dot(row, &state.w) + state.b - y + extra * beta;
        let (up, down) = (slope + epsilon, slope - epsilon);
        let violation = if beta == 0.0 {
            (-up).max(down).max(0.0)
        } else if beta >= upper {
            up.max(0.0)
        } else if beta <= -upper {
            (-down).max(0.0)
        } else if beta > 0.0 {
            up.abs()
        } else {
            down.abs()
        };
        // Pressed against its bound by more than anything moved in the last pass.
        let pressed = (beta == 0.0 && up > limit && -down > limit)
            || (beta >= upper && -up > limit)
            || (beta <= -upper && down > limit);
        if pressed {
            continue;
        }
        state.active[kept] = row as u32;
        kept += 1;
        largest = largest.max(violation);
        let diagonal = state.diagonal[row];
        let step = if up < diagonal * beta {
            -up / diagonal
        } else if down > diagonal * beta {
            -down / diagonal
        } else {
            -beta
        };
        if step.abs() > 1e-14 && diagonal > 0.0 {
            let next = (beta + step).clamp(-upper, upper);
            let moved = next - beta;
            state.alpha[row] = next;
            x.add(row, moved, &mut state.w);
            state.b += ones * moved;
        }
    }
    state.active.truncate(kept);
    state.limits[0] = if largest > 0.0 { largest } else { f64::INFINITY };
    largest
}

/// The primal objective of the plane, and the dual one of the variables, which is never above it.
#[inline(always)]
fn objective<R: EachRow>(x: R, problem: DualProblem<'_>, state: &State) -> (f64, f64) {
    let ones = f64::from(u8::from(problem.intercept));
    let half = 0.5 * (state.w.iter().map(|value| value * value).sum::<f64>() + ones * state.b * state.b);
    let (mut losses, mut linear) = (0.0, 0.0);
    for row in 0..problem.targets.len() {
        let (y, c, alpha) = (problem.targets[row], problem.costs[row], state.alpha[row]);
        if c <= 0.0 {
            continue;
        }
        let score = x.dot(row, &state.w) + state.b;
        let short = match problem.epsilon {
            None => (1.0 - y * score).max(0.0),
            Some(epsilon) => ((score - y).abs() - epsilon).max(0.0),
        };
        losses += c * if problem.squared { short * short } else { short };
        let extra = if problem.squared { 0.25 / c * alpha * alpha } else { 0.0 };
        linear += match problem.epsilon {
            None => alpha,
            Some(epsilon) => y * alpha - epsilon * alpha.abs(),
        } - extra;
    }
    (half + losses, linear - half)
}
