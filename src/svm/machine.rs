//! The kernel matrix of a fit, whole or by rows, and the problems that are solved on it.

use std::ops::Range;

use super::parameters::SvmSolver;
use super::shared::SharedMatrices;
use super::sources::{GpuKernel, HostSource, gathered};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::device::Device;
use crate::error::Result;
use crate::kernel_methods::{FittedKernel, Kernel, KernelExpansion, KernelRows, warn_indefinite};
use crate::ops;
use crate::ops::svm::working_set::SET;
use crate::solvers::sdca::{self, Space};
use crate::solvers::smo::{Ending, KernelMatrix, Problem, RowCache, Solution, solve, solve_on_device};

/// Columns whose deviations differ by more than this are said to be of different scale.
const SCALES: f64 = 100.0;

/// Kernel values that were computed, and rows that did not have to be.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Work {
    /// Kernel values.
    pub evaluations: u64,
    /// Rows that were found in the cache.
    pub hits: u64,
    /// Rows that were computed for it.
    pub computed: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.evaluations += other.evaluations;
        self.hits += other.hits;
        self.computed += other.computed;
    }
}

/// Rows from which a machine with one function computes the rows of its kernel matrix when they are needed.
const MANY_ROWS: usize = 4096;

/// A kernel with the rows of a fit, in the order of the problems' variables.
pub(super) struct Machine {
    op: &'static str,
    pub kernel: FittedKernel,
    x: DeviceMatrix,
    rows: KernelRows,
    /// On the CPU.
    whole: Option<DeviceMatrix>,
    bytes: usize,
}

/// What a machine will be asked to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// A single function.
    One,
    /// Several functions that share rows.
    Several,
    /// Anything that needs the whole matrix.
    Matrix,
    /// Nothing that needs kernel values.
    Rows,
}

impl Machine {
    /// Fits the kernel to the rows of `x`, taken in `order`. The kernel matrix is computed if the task needs most of it and it
    /// is no larger than the cache, or is the one that is shared; on a GPU it is not stored.
    pub(super) fn fit(
        op: &'static str,
        kernel: &Kernel,
        x: &DeviceMatrix,
        order: Option<&[usize]>,
        (cache_mebibytes, shared, task): (f64, Option<&SharedMatrices>, Task),
    ) -> Result<Machine> {
        warn_indefinite(op, kernel);
        if !kernel.is_precomputed() {
            warn_scales(op, x)?;
        }
        let x = in_order(x, order.filter(|order| !order.is_sorted()), kernel.is_precomputed())?;
        let (fitted, rows) = FittedKernel::fit(op, kernel, &x)?;
        let bytes = (cache_mebibytes * f64::from(1 << 20)) as usize;
        let mut machine = Machine { op, kernel: fitted, x, rows, whole: None, bytes };
        if let Some(matrix) = shared.map(|shared| shared.in_order(kernel, order)).transpose()?.flatten() {
            machine.whole = Some(matrix);
            return Ok(machine);
        }
        let n = machine.x.rows();
        let fits = n.checked_mul(4 * n).is_some_and(|need| need <= bytes);
        let wanted = match task {
            Task::Rows => false,
            Task::Matrix => fits || kernel.is_precomputed(),
            _ if machine.on_gpu() => false,
            Task::One => (fits && n < MANY_ROWS) || kernel.is_precomputed(),
            Task::Several => fits || kernel.is_precomputed(),
        };
        if wanted {
            let mut stream = machine.x.device().stream();
            let matrix = machine.kernel.symmetric(&mut stream, &machine.rows)?;
            machine.whole = Some(match machine.x.device() {
                Device::Cpu => matrix,
                Device::Gpu(_) => matrix.to_matrix(&mut stream)?.to(&Device::Cpu)?,
            });
        }
        Ok(machine)
    }

    /// Whether the rows are on a GPU that computes the kernel.
    fn on_gpu(&self) -> bool {
        matches!(self.x.device(), Device::Gpu(_)) && !matches!(self.rows, KernelRows::Host(_))
    }

    /// The kernel matrix, if all of it is there.
    pub(super) fn whole(&self) -> Option<&DeviceMatrix> {
        self.whole.as_ref()
    }

    /// Takes another matrix in place of the kernel's.
    pub(super) fn set_whole(&mut self, matrix: &Matrix) -> Result<()> {
        self.whole = Some(matrix.to(&Device::Cpu)?);
        Ok(())
    }

    /// The rows on the host, in the order of the variables.
    pub(super) fn host_rows(&self) -> Result<Matrix> {
        self.x.to_matrix(&mut self.x.device().stream())
    }

    /// Sums over some of the rows, with a row of coefficients for each; of a given matrix, over its columns with these numbers.
    pub(super) fn expansion(&self, places: &[usize], columns: &[usize], coef: Matrix) -> Result<KernelExpansion> {
        let kernel = self.kernel.clone();
        if kernel.kernel().is_precomputed() {
            return KernelExpansion::over(kernel, &Matrix::zeros(0, self.x.rows())?, Some(columns), coef);
        }
        let rows = self.x.rows_at(&mut self.x.device().stream(), places)?;
        Ok(KernelExpansion::new(kernel, rows, coef))
    }

    /// What computing the whole matrix took; nothing where it is computed by rows.
    pub(super) fn work(&self) -> Work {
        let n = self.x.rows() as u64;
        let computed = self.whole.is_some() && !self.kernel.kernel().is_precomputed();
        Work { evaluations: if computed { n * (n + 1) / 2 } else { 0 }, ..Work::default() }
    }

    /// Solves the problem of the rows of some ranges, which is made from where each range begins and how long it is.
    pub(super) fn solve(
        &self,
        ranges: &[Range<usize>],
        problem: impl FnOnce(&[(usize, usize)]) -> Result<Problem>,
        solver: (SvmSolver, u64),
        ending: &mut Ending<'_>,
    ) -> Result<(Solution, Work)> {
        let run = |problem: Problem, kernel: &mut KernelMatrix<'_>, ending: &mut Ending<'_>| match solver {
            (SvmSolver::Smo, _) => solve(problem, kernel, ending),
            (SvmSolver::Sdca, seed) => sdca::solve(problem, Space::Kernel(kernel), ending, seed),
        };
        if let Some(whole) = &self.whole {
            let parts: Vec<(usize, usize)> = ranges.iter().map(|range| (range.start, range.len())).collect();
            let mut kernel = KernelMatrix::Whole { matrix: whole.values()?, stride: whole.columns() };
            return Ok((run(problem(&parts)?, &mut kernel, ending)?, Work::default()));
        }
        let problem = problem(&parts_from_zero(ranges))?;
        let end = ranges.iter().try_fold(0, |end, range| (range.start == end).then_some(range.end));
        let chosen: Option<Vec<usize>> = match end == Some(self.x.rows()) {
            true => None,
            false => Some(ranges.iter().cloned().flatten().collect()),
        };
        if self.on_gpu() && solver.0 == SvmSolver::Smo {
            return self.solve_on_gpu(problem, chosen.as_deref(), ending);
        }
        let mut stream = self.x.device().stream();
        let x = match (&chosen, self.x.device()) {
            (None, Device::Cpu) => self.x.clone(),
            (None, Device::Gpu(_)) => self.x.to_matrix(&mut stream)?.to(&Device::Cpu)?,
            (Some(chosen), _) => self.x.rows_at(&mut stream, chosen)?.to(&Device::Cpu)?,
        };
        let source = HostSource::new(self.op, &self.kernel, x)?;
        let mut kernel = KernelMatrix::Rows(RowCache::new(&source, self.bytes));
        let solution = run(problem, &mut kernel, ending)?;
        let KernelMatrix::Rows(cache) = kernel else { return Ok((solution, Work::default())) };
        let work = Work { evaluations: cache.evaluations, hits: cache.hits, computed: cache.computed };
        Ok((solution, work))
    }

    fn solve_on_gpu(
        &self,
        problem: Problem,
        chosen: Option<&[usize]>,
        ending: &mut Ending<'_>,
    ) -> Result<(Solution, Work)> {
        let device = self.x.device();
        let part = match chosen {
            None => None,
            Some(chosen) => {
                let index: Vec<u32> = chosen.iter().map(|row| *row as u32).collect();
                let index = DeviceVec::from_slice(&index, device)?;
                let mut stream = device.stream();
                let part = match gathered(&mut stream, &self.rows, &index)? {
                    KernelRows::Given(tall) => {
                        let wide = ops::transpose(&mut stream, &tall)?;
                        KernelRows::Given(ops::gather_rows(&mut stream, &wide, &index)?)
                    }
                    other => other,
                };
                // The solver has a stream of its own.
                stream.flush()?;
                Some(part)
            }
        };
        let count = chosen.map_or(self.x.rows(), <[usize]>::len);
        let kernel = GpuKernel { kernel: &self.kernel, rows: part.as_ref().unwrap_or(&self.rows), count, device };
        let solution = solve_on_device(problem, &kernel, ending)?;
        let computed = (SET * solution.rounds) as u64;
        Ok((solution, Work { evaluations: computed * (count + SET) as u64, hits: 0, computed }))
    }
}

/// The rows in another order, and the columns too where they are a kernel matrix; on the device of the rows.
fn in_order(x: &DeviceMatrix, order: Option<&[usize]>, both: bool) -> Result<DeviceMatrix> {
    let Some(order) = order else { return Ok(x.clone()) };
    let mut stream = x.device().stream();
    if let Device::Cpu = x.device() {
        let rows = x.rows_at(&mut stream, order)?;
        return if both { rows.select_columns(order)? } else { rows }.to(&Device::Cpu);
    }
    let index: Vec<u32> = order.iter().map(|row| *row as u32).collect();
    let index = DeviceVec::from_slice(&index, x.device())?;
    let mut rows = ops::gather_rows(&mut stream, x, &index)?;
    if both {
        let turned = ops::transpose(&mut stream, &rows)?;
        let turned = ops::gather_rows(&mut stream, &turned, &index)?;
        rows = ops::transpose(&mut stream, &turned)?;
    }
    stream.flush()?;
    Ok(rows)
}

/// Parts one after the other.
pub(super) fn parts_from_zero(ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
    let mut begin = 0;
    let part = |range: &Range<usize>| {
        begin += range.len();
        (begin - range.len(), range.len())
    };
    ranges.iter().map(part).collect()
}

/// Says so if columns differ much in scale: the wide ones decide all distances and products.
fn warn_scales(op: &str, x: &DeviceMatrix) -> Result<()> {
    let variance = ops::column_moments(&mut x.device().stream(), x, None)?.variance;
    let deviations = variance.iter().map(|variance| variance.sqrt()).filter(|deviation| *deviation > 0.0);
    let (least, most) = deviations.fold((f64::INFINITY, 0.0_f64), |(a, b), value| (a.min(value), b.max(value)));
    if most > SCALES * least {
        let times = most / least;
        log::warn!("{op}: the columns differ in scale by {times:.0} times; scale them first, with a StandardScaler");
    }
    Ok(())
}
