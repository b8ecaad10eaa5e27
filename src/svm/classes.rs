//! Functions for pairs of classes: their problems, what they have in common, and how they vote.

use std::ops::Range;

use rayon::prelude::*;

use super::forms::{Slack, two_classes, two_classes_nu};
use super::machine::{Machine, Task, Work, parts_from_zero};
use super::outcome::Outcome;
use super::parameters::{MachineOptions, MultiClass, SvmSolver};
use super::shared::SharedMatrices;
use crate::array::{DeviceMatrix, Matrix};
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{OnDevice, Reporter, Rows};
use crate::kernel_methods::{Kernel, KernelExpansion};
use crate::solvers::sdca::{self, Space};
use crate::solvers::smo::{Ending, Solution};

/// Pairs of classes that are solved side by side between two reports.
const PAIRS: usize = 16;
/// Bytes that sparse rows may take when they are made dense.
const DENSE_BYTES: u64 = 2 << 30;

/// Bytes of sparse queries that are made dense at a time.
const QUERY_BYTES: usize = 64 << 20;

/// What is asked of two classes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// The cost of slack, and its kind.
    Cost(f64, Slack),
    /// A share of support vectors.
    Nu(f64),
}

/// Rows for a machine, on their device; sparse ones become dense, within 2 GiB.
pub(super) fn machine_rows<'a>(op: &'static str, x: Rows<'a>) -> Result<OnDevice<'a>> {
    match x {
        Rows::Sparse(sparse) => {
            let dense = sparse.to_dense_within(DENSE_BYTES)?;
            let rows = Rows::Host(&dense).complete(op)?;
            Ok(OnDevice::Made((*rows).clone()))
        }
        dense => dense.complete(op),
    }
}

/// Predictions for rows; sparse ones become dense a block at a time.
pub(super) fn machine_queries(
    op: &'static str,
    x: Rows<'_>,
    predict: impl Fn(Rows<'_>) -> Result<Matrix>,
) -> Result<Matrix> {
    let Rows::Sparse(sparse) = x else { return predict(x) };
    let block = (QUERY_BYTES / (4 * sparse.columns().max(1))).clamp(1, sparse.rows().max(1));
    let mut made: Option<Matrix> = None;
    for first in (0..sparse.rows().max(1)).step_by(block) {
        let rows: Vec<usize> = (first..(first + block).min(sparse.rows())).collect();
        let part = predict(Rows::Host(&sparse.select(&rows)?.to_dense()?))?;
        made = Some(match made {
            None => part,
            Some(before) => {
                let (rows, columns) = (before.rows() + part.rows(), part.columns());
                let mut values = before.into_vec();
                values.extend_from_slice(part.as_slice());
                Matrix::from_vec(rows, columns, values)?
            }
        });
    }
    made.ok_or_else(|| Error::shape(op, "rows", "none"))
}

/// The rows of a fit, ordered by class.
pub(super) struct ByClass {
    /// Row of the fit for each place.
    order: Vec<usize>,
    /// The classes that have rows, and the places of their rows.
    present: Vec<(u32, Range<usize>)>,
}

impl ByClass {
    /// Row of the fit for each place.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(super) fn new(op: &'static str, y: &Labels, weights: Option<&[f64]>) -> Result<ByClass> {
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by_key(|row| y.codes()[*row]);
        let mut present = vec![];
        let mut first = 0;
        for (code, count) in y.counts().into_iter().enumerate() {
            let places = first..first + count;
            first += count;
            let counts = |place: &usize| weights.is_none_or(|weights| weights[order[*place]] > 0.0);
            if places.clone().any(|place| counts(&place)) {
                present.push((code as u32, places));
            }
        }
        if present.len() < 2 {
            let got = match present.first() {
                Some((code, _)) => format!("only {}", y.names()[*code as usize]),
                None => "none".to_string(),
            };
            return Err(Error::shape(op, "rows of at least two classes, with weights above 0", got));
        }
        Ok(ByClass { order, present })
    }
}

/// The two sides of a function: places of rows with y = +1, and with −1. The first may be in the middle of the second.
#[derive(Debug, Clone)]
struct Sides {
    positive: Range<usize>,
    negative: Vec<Range<usize>>,
}

/// A function that was found: the coefficient of each place where it is not 0, and what is added.
pub(super) struct Function {
    pub(super) coef: Vec<(usize, f64)>,
    intercept: f64,
    pub(super) solution: Solution,
    scale: f64,
    kinds: [usize; 3],
    work: Work,
}

/// What predicts classes: sums over support vectors, and a vote.
#[derive(Debug, Clone)]
pub(super) struct ClassFunctions {
    pub function: KernelExpansion,
    /// What is added to each function.
    pub intercept: Vec<f64>,
    /// Rows of the fit that are support vectors.
    pub support: Vec<u64>,
    /// The class of each of them, ascending.
    pub support_classes: Vec<u32>,
    pub classes: Labels,
    /// The classes that had rows.
    pub present: Vec<u32>,
    pub multi_class: MultiClass,
    pub outcome: Outcome,
}

/// What is fitted.
pub(super) struct ClassFit<'a> {
    pub op: &'static str,
    pub options: MachineOptions,
    pub form: Form,
    pub multi_class: MultiClass,
    pub weights: Option<&'a [f64]>,
    /// The solver, and the seed of its order.
    pub solver: (SvmSolver, u64),
    /// Kernel matrices of these rows.
    pub shared: Option<&'a SharedMatrices>,
}

impl ClassFit<'_> {
    pub(super) fn fit(&self, x: &DeviceMatrix, y: &Labels, reporter: &mut Reporter<'_>) -> Result<ClassFunctions> {
        if x.rows() != y.len() {
            return Err(Error::shape(self.op, format!("{} classes, one a row", x.rows()), y.len()));
        }
        let rows = ByClass::new(self.op, y, self.weights)?;
        let options = &self.options;
        let task = match self.solver.0 {
            SvmSolver::Sdca if self.on_weights() => Task::Rows,
            SvmSolver::Sdca => Task::Matrix,
            SvmSolver::Smo if rows.present.len() == 2 => Task::One,
            SvmSolver::Smo => Task::Several,
        };
        let how = (options.cache_size, self.shared, task);
        let machine = Machine::fit(self.op, &options.kernel, x, Some(&rows.order), how)?;
        let weights: Vec<f64> =
            rows.order.iter().map(|row| self.weights.map_or(1.0, |weights| weights[*row])).collect();
        let functions = self.functions(&machine, &rows, &weights, reporter)?;
        self.gather(&machine, &rows, functions, y)
    }

    /// Whether the weights of the columns are found, not sums over kernel values.
    fn on_weights(&self) -> bool {
        self.solver.0 == SvmSolver::Sdca && matches!(self.options.kernel, Kernel::Linear)
    }

    fn sides(&self, rows: &ByClass) -> Vec<Sides> {
        let all = rows.order.len();
        let mut sides = vec![];
        for (number, (_, places)) in rows.present.iter().enumerate() {
            match self.multi_class {
                MultiClass::OneVersusRest if rows.present.len() > 2 => {
                    sides.push(Sides { positive: places.clone(), negative: vec![0..places.start, places.end..all] });
                }
                _ => {
                    let others = rows.present[number + 1..].iter();
                    sides.extend(
                        others.map(|(_, other)| Sides { positive: places.clone(), negative: vec![other.clone()] }),
                    );
                }
            }
        }
        sides
    }

    pub(super) fn functions(
        &self,
        machine: &Machine,
        rows: &ByClass,
        weights: &[f64],
        reporter: &mut Reporter<'_>,
    ) -> Result<Vec<Function>> {
        let sides = self.sides(rows);
        if let [alone] = &sides[..] {
            let mut report = |steps: usize, violation: f64| {
                reporter.report(steps, Some(violation), steps as f64 / self.options.max_iter as f64)
            };
            return Ok(vec![self.function(machine, alone, weights, &mut report)?]);
        }
        let mut found = vec![];
        for some in sides.chunks(PAIRS) {
            let quiet = |sides: &Sides| self.function(machine, sides, weights, &mut |_, _| Ok(false));
            match machine.whole() {
                // Each has a thread of its own; of rows that are computed, each computes them on all threads.
                Some(_) => found.extend(some.par_iter().map(quiet).collect::<Result<Vec<_>>>()?),
                None => found.extend(some.iter().map(quiet).collect::<Result<Vec<_>>>()?),
            }
            reporter.check_stopped(found.len(), found.len() as f64 / sides.len() as f64)?;
        }
        Ok(found)
    }

    fn function(
        &self,
        machine: &Machine,
        sides: &Sides,
        weights: &[f64],
        report: &mut dyn FnMut(usize, f64) -> Result<bool>,
    ) -> Result<Function> {
        let mut ranges = vec![sides.positive.clone()];
        ranges.extend(sides.negative.iter().filter(|range| !range.is_empty()).cloned());
        let chosen: Vec<usize> = ranges.iter().cloned().flatten().collect();
        let weights: Vec<f64> = chosen.iter().map(|place| weights[*place]).collect();
        let mut ending = Ending { tol: self.options.tol, max_steps: self.options.max_iter, report };
        if self.on_weights() {
            let x = machine.host_rows()?.select(&chosen)?;
            let problem = self.problem(&parts_from_zero(&ranges), &weights)?;
            let space = Space::Linear { x: x.as_slice(), columns: x.columns() };
            let solution = sdca::solve(problem, space, &mut ending, self.solver.1)?;
            return Ok(self.finished(solution, &chosen, sides.positive.len(), Work::default()));
        }
        let problem = |parts: &[(usize, usize)]| self.problem(parts, &weights);
        let (solution, work) = machine.solve(&ranges, problem, self.solver, &mut ending)?;
        Ok(self.finished(solution, &chosen, sides.positive.len(), work))
    }

    /// The first part has y = +1, the others −1.
    fn problem(&self, parts: &[(usize, usize)], weights: &[f64]) -> Result<crate::solvers::smo::Problem> {
        match self.form {
            Form::Cost(c, slack) => {
                let costs: Vec<f64> = weights.iter().map(|weight| c * weight).collect();
                Ok(two_classes(parts, &costs, slack))
            }
            Form::Nu(nu) => two_classes_nu(parts, weights, nu).ok_or_else(|| {
                let sums = [weights[..parts[0].1].iter().sum::<f64>(), weights[parts[0].1..].iter().sum::<f64>()];
                let most = 2.0 * sums[0].min(sums[1]) / (sums[0] + sums[1]);
                let rule = format!("at most {most:.4}, twice the share of the smaller of two classes");
                Error::param("nu", rule, nu)
            }),
        }
    }

    fn finished(&self, solution: Solution, chosen: &[usize], positive: usize, work: Work) -> Function {
        let [first, second] = solution.measured.offsets;
        // With ν each class has its own offset: their distance is that of the margin, which is made 1.
        let (offset, scale) = match self.form {
            Form::Cost(..) => (first, 1.0),
            Form::Nu(_) => match 0.5 * (first - second) {
                scale if scale.abs() > 0.0 => (0.5 * (first + second), scale.abs()),
                _ => (0.5 * (first + second), 1.0),
            },
        };
        let all = &solution.variables;
        let mut kinds = [0; 3];
        let mut coef = vec![];
        for (at, place) in chosen.iter().enumerate() {
            let beta = all.beta[at];
            if beta == 0.0 {
                continue;
            }
            coef.push((*place, beta / scale));
            let sign = if at < positive { 1.0 } else { -1.0 };
            // The slope is the function's value less y, or the value itself with ν.
            let target = if matches!(self.form, Form::Cost(..)) { sign } else { 0.0 };
            let value = all.slope[at] - all.ridge_of(at) * beta - offset + target;
            let free = beta > all.low[at] && beta < all.high[at];
            let kind = match free && all.ridge_of(at) == 0.0 {
                _ if sign * value < 0.0 => 2,
                true => 0,
                false => 1,
            };
            kinds[kind] += 1;
        }
        Function { coef, intercept: -offset / scale, solution, scale, kinds, work }
    }

    /// All functions over the union of their support vectors.
    fn gather(
        &self,
        machine: &Machine,
        rows: &ByClass,
        functions: Vec<Function>,
        y: &Labels,
    ) -> Result<ClassFunctions> {
        let mut outcome = Outcome::new(machine.work());
        for function in &functions {
            outcome.add(&function.solution, function.scale);
            outcome.add_work(function.work);
            outcome.margins.push(function.scale / (2.0 * function.solution.measured.half_square).sqrt() * 2.0);
            outcome.kinds.iter_mut().zip(function.kinds).for_each(|(sum, kind)| *sum += kind);
        }
        outcome.warn(self.op);
        let mut places: Vec<usize> =
            functions.iter().flat_map(|one| one.coef.iter().map(|(place, _)| *place)).collect();
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            places.push(0); // A function that is 0 everywhere still has a row.
        }
        let p = functions.len();
        let mut coef = Matrix::zeros(places.len(), p)?;
        for (number, function) in functions.iter().enumerate() {
            for (place, value) in &function.coef {
                let at = places.partition_point(|other| other < place);
                coef.as_mut_slice()[at * p + number] = *value as f32;
            }
        }
        // A given matrix has its columns in the order of the fit.
        let chosen: Vec<usize> = places.iter().map(|place| rows.order[*place]).collect();
        let function = machine.expansion(&places, &chosen, coef)?;
        Ok(ClassFunctions {
            function,
            intercept: functions.iter().map(|function| function.intercept).collect(),
            support: places.iter().map(|place| rows.order[*place] as u64).collect(),
            support_classes: places.iter().map(|place| y.codes()[rows.order[*place]]).collect(),
            classes: y.with_codes(vec![])?,
            present: rows.present.iter().map(|(code, _)| *code).collect(),
            multi_class: self.multi_class,
            outcome,
        })
    }
}
