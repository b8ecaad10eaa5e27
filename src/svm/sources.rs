//! Where the values of a kernel matrix come from that is not stored: products on the CPU, by blocks, or on a GPU.

use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::kernel_methods::{FittedKernel, KernelRows};
use crate::ops;
use crate::ops::sort::gather_rows::gather_known_rows;
use crate::solvers::smo::{BLOCK_COLUMNS, ChosenRows, DeviceKernel, DeviceRows, RowSource};

/// Rows of the kernel matrix on the CPU, by a product for each block of columns.
pub(super) struct HostSource<'a> {
    op: &'static str,
    kernel: &'a FittedKernel,
    x: DeviceMatrix,
    /// The rows of `x`, in blocks.
    blocks: Vec<KernelRows>,
}

impl<'a> HostSource<'a> {
    /// For rows on the CPU.
    pub(super) fn new(op: &'static str, kernel: &'a FittedKernel, x: DeviceMatrix) -> Result<HostSource<'a>> {
        let mut stream = Device::Cpu.stream();
        let mut blocks = vec![];
        for first in (0..x.rows()).step_by(BLOCK_COLUMNS) {
            let part = x.range(&mut stream, first..(first + BLOCK_COLUMNS).min(x.rows()))?;
            blocks.push(kernel.rows(op, &part)?);
        }
        Ok(HostSource { op, kernel, x, blocks })
    }

    fn some(&self, rows: &[usize]) -> Result<DeviceMatrix> {
        self.x.rows_at(&mut Device::Cpu.stream(), rows)?.to(&Device::Cpu)
    }
}

impl RowSource for HostSource<'_> {
    fn count(&self) -> usize {
        self.x.rows()
    }

    fn square(&self, rows: &[usize]) -> Result<DeviceMatrix> {
        let some = self.kernel.rows(self.op, &self.some(rows)?)?;
        self.kernel.symmetric(&mut Device::Cpu.stream(), &some)
    }

    fn chosen(&self, rows: &[usize]) -> Result<Box<dyn ChosenRows + '_>> {
        let rows = self.kernel.rows(self.op, &self.some(rows)?)?;
        Ok(Box::new(Chosen { source: self, rows }))
    }

    fn part(&self, rows: &[usize]) -> Result<Box<dyn RowSource + '_>> {
        Ok(Box::new(HostSource::new(self.op, self.kernel, self.some(rows)?)?))
    }
}

struct Chosen<'a> {
    source: &'a HostSource<'a>,
    rows: KernelRows,
}

impl ChosenRows for Chosen<'_> {
    fn block(&self, number: usize) -> Result<DeviceMatrix> {
        let block = &self.source.blocks[number];
        self.source.kernel.matrix(&mut Device::Cpu.stream(), &self.rows, block)
    }
}

/// Some of the rows, by numbers on their device that the caller knows to be those of rows.
pub(super) fn gathered(stream: &mut Stream, rows: &KernelRows, index: &DeviceVec<u32>) -> Result<KernelRows> {
    match rows {
        KernelRows::Pairs(pairs) => Ok(KernelRows::Pairs(pairs.gathered(stream, index)?)),
        KernelRows::Given(matrix) => Ok(KernelRows::Given(gather_known_rows(stream, matrix, index)?)),
        KernelRows::Host(_) => Err(Error::WrongDevice { op: "kernel", why: "rows that are on the host".to_string() }),
    }
}

/// Rows of the kernel matrix on a GPU.
pub(super) struct GpuKernel<'a> {
    pub kernel: &'a FittedKernel,
    pub rows: &'a KernelRows,
    pub count: usize,
    pub device: &'a Device,
}

impl DeviceKernel for GpuKernel<'_> {
    fn device(&self) -> &Device {
        self.device
    }

    fn count(&self) -> usize {
        self.count
    }

    fn chosen(&self, stream: &mut Stream, index: &DeviceVec<u32>) -> Result<Box<dyn DeviceRows + '_>> {
        let rows = gathered(stream, self.rows, index)?;
        // Of a given matrix the columns of the chosen rows are needed too.
        let square = match &rows {
            KernelRows::Given(some) => {
                let columns = ops::transpose(stream, some)?;
                Some(gather_known_rows(stream, &columns, index)?)
            }
            _ => None,
        };
        Ok(Box::new(GpuRows { all: self, rows, square }))
    }
}

struct GpuRows<'a> {
    all: &'a GpuKernel<'a>,
    rows: KernelRows,
    square: Option<DeviceMatrix>,
}

impl DeviceRows for GpuRows<'_> {
    fn square(&self, stream: &mut Stream) -> Result<DeviceMatrix> {
        match &self.square {
            Some(square) => Ok(square.clone()),
            None => self.all.kernel.matrix(stream, &self.rows, &self.rows),
        }
    }

    fn times(&self, stream: &mut Stream, factors: &DeviceMatrix) -> Result<DeviceMatrix> {
        match &self.rows {
            KernelRows::Given(some) => ops::gemm(stream, ops::Layout::TN, some, factors),
            some => self.all.kernel.product(stream, (self.all.rows, some), factors),
        }
    }
}
