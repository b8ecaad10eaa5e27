//! The kernel matrix of a fit, whole or by rows, and the problems that are solved on it.

use std::ops::Range;

use super::shared::SharedMatrices;
use crate::array::{DeviceMatrix, Matrix};
use crate::error::Result;
use crate::kernel_methods::{FittedKernel, Kernel, KernelRows, warn_indefinite};
use crate::ops;
use crate::solvers::smo::{KernelMatrix, RowCache, RowSource};

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

/// A kernel with the rows of a fit, in the order of the problems' variables.
pub(super) struct Machine {
    op: &'static str,
    pub kernel: FittedKernel,
    x: DeviceMatrix,
    rows: KernelRows,
    whole: Option<Matrix>,
    bytes: usize,
}

impl Machine {
    /// Fits the kernel to the rows of `x`, taken in `order`; keeps the kernel matrix if it is no larger than
    /// the cache, or takes the one that is shared.
    pub(super) fn fit(
        op: &'static str,
        kernel: &Kernel,
        x: &DeviceMatrix,
        order: Option<&[usize]>,
        (cache_mebibytes, shared): (f64, Option<&SharedMatrices>),
    ) -> Result<Machine> {
        let mut machine = Machine::with_bytes(op, kernel, x, order, (cache_mebibytes * f64::from(1 << 20)) as usize)?;
        if let Some(shared) = shared {
            machine.whole = shared.in_order(kernel, order)?;
        }
        let n = machine.x.rows();
        let fits = n.checked_mul(4 * n).is_some_and(|need| need <= machine.bytes);
        if machine.whole.is_none() && (fits || kernel.is_precomputed()) {
            let mut stream = machine.x.device().stream();
            let matrix = machine.kernel.symmetric(&mut stream, &machine.rows)?;
            machine.whole = Some(matrix.to_matrix(&mut stream)?);
        }
        Ok(machine)
    }

    /// The same for what needs the rows alone.
    pub(super) fn without_matrix(
        op: &'static str,
        kernel: &Kernel,
        x: &DeviceMatrix,
        order: &[usize],
    ) -> Result<Machine> {
        Machine::with_bytes(op, kernel, x, Some(order), 0)
    }

    fn with_bytes(
        op: &'static str,
        kernel: &Kernel,
        x: &DeviceMatrix,
        order: Option<&[usize]>,
        bytes: usize,
    ) -> Result<Machine> {
        warn_indefinite(op, kernel);
        let mut stream = x.device().stream();
        if !kernel.is_precomputed() {
            warn_scales(op, x)?;
        }
        let sorted = match order.filter(|order| !order.is_sorted()) {
            Some(order) if kernel.is_precomputed() => {
                Some(x.rows_at(&mut stream, order)?.select_columns(order)?.to(x.device())?)
            }
            Some(order) => Some(x.rows_at(&mut stream, order)?.to(x.device())?),
            None => None,
        };
        let x = sorted.unwrap_or_else(|| x.clone());
        let (fitted, rows) = FittedKernel::fit(op, kernel, &x)?;
        Ok(Machine { op, kernel: fitted, x, rows, whole: None, bytes })
    }

    /// The kernel matrix, if all of it is there.
    pub(super) fn whole(&self) -> Option<&Matrix> {
        self.whole.as_ref()
    }

    /// Takes another matrix in place of the kernel's.
    pub(super) fn set_whole(&mut self, matrix: Matrix) {
        self.whole = Some(matrix);
    }

    /// The rows on the host, in the order of the variables.
    pub(super) fn host_rows(&self) -> Result<Matrix> {
        self.x.to_matrix(&mut self.x.device().stream())
    }

    /// What computing the whole matrix took; nothing where it is computed by rows.
    pub(super) fn work(&self) -> Work {
        let n = self.x.rows() as u64;
        let computed = self.whole.is_some() && !self.kernel.kernel().is_precomputed();
        Work { evaluations: if computed { n * (n + 1) / 2 } else { 0 }, ..Work::default() }
    }

    /// Runs `job` on the kernel matrix of the rows of some ranges, and says where in it each range begins.
    pub(super) fn with_rows<T>(
        &self,
        ranges: &[Range<usize>],
        job: impl FnOnce(&mut KernelMatrix<'_>, &[usize]) -> Result<T>,
    ) -> Result<(T, Work)> {
        if let Some(whole) = &self.whole {
            let begins: Vec<usize> = ranges.iter().map(|range| range.start).collect();
            let mut matrix = KernelMatrix::Whole { matrix: whole.as_slice(), stride: whole.columns() };
            return Ok((job(&mut matrix, &begins)?, Work::default()));
        }
        let count: usize = ranges.iter().map(Range::len).sum();
        let mut begins = vec![];
        ranges.iter().fold(0, |begin, range| {
            begins.push(begin);
            begin + range.len()
        });
        let part;
        let source = match count == self.x.rows() {
            true => Source::new(self, &self.x)?,
            false => {
                let chosen: Vec<usize> = ranges.iter().cloned().flatten().collect();
                part = self.x.rows_at(&mut self.x.device().stream(), &chosen)?.to(self.x.device())?;
                Source::new(self, &part)?
            }
        };
        let mut matrix = KernelMatrix::Rows(RowCache::new(&source, self.bytes));
        let found = job(&mut matrix, &begins)?;
        let KernelMatrix::Rows(cache) = matrix else { return Ok((found, Work::default())) };
        let (hits, computed) = (cache.hits, cache.computed);
        Ok((found, Work { evaluations: computed * count as u64, hits, computed }))
    }
}

/// Rows of a block of columns: its part of the rows stays in a cache while some rows of the matrix are made.
const BLOCK_ROWS: usize = 2048;

/// Rows of the kernel matrix by a product for each block of columns.
struct Source<'a> {
    machine: &'a Machine,
    x: &'a DeviceMatrix,
    /// The rows of `x`, in blocks.
    blocks: Vec<KernelRows>,
}

impl<'a> Source<'a> {
    fn new(machine: &'a Machine, x: &'a DeviceMatrix) -> Result<Source<'a>> {
        let mut stream = x.device().stream();
        let mut blocks = vec![];
        for first in (0..x.rows()).step_by(BLOCK_ROWS) {
            let part = x.range(&mut stream, first..(first + BLOCK_ROWS).min(x.rows()))?;
            // The kernel has a stream of its own.
            stream.flush()?;
            blocks.push(machine.kernel.rows(machine.op, &part)?);
        }
        Ok(Source { machine, x, blocks })
    }
}

impl RowSource for Source<'_> {
    fn count(&self) -> usize {
        self.x.rows()
    }

    fn compute(&self, rows: &[usize], take: &mut dyn FnMut(usize, &[f32])) -> Result<()> {
        let (op, kernel) = (self.machine.op, &self.machine.kernel);
        let mut stream = self.x.device().stream();
        let some = kernel.rows(op, &self.x.rows_at(&mut stream, rows)?.to(self.x.device())?)?;
        for (number, block) in self.blocks.iter().enumerate() {
            let made = kernel.matrix(&mut stream, &some, block)?.to_matrix(&mut stream)?;
            take(number * BLOCK_ROWS, made.as_slice());
        }
        Ok(())
    }
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
