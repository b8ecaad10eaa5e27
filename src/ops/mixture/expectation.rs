//! Responsibilities, log-densities, and the sums that the next mixture is made of.

use std::ops::Range;

use super::whitened_sums::DeviceSums;
use crate::array::{DeviceMatrix, DeviceVec, Matrix, RowStore, View, blocks, padded};
use crate::cpu::mixture::expectation as cpu;
pub use crate::cpu::mixture::expectation::{Gaussians, Moments, Shape};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::linalg::gemm::{Activation, Layout, gemm_bias};
use crate::ops::linalg::syrk;
use crate::ops::pairs::{self, DEPTH_BLOCK, Operand, Output, PairKernel, TILE};

kernels! {
    /// Rows, whitenings, squares.
    pub KERNEL = "mixture/expectation", [Read, Read, Write], Params;
    /// Squares, heights, weights, responsibilities, log-densities, sums.
    pub KERNEL_SHARES = "mixture/expectation__shares", [Read, Read, Read, Write, Write, Write], ShareParams;
}

params! {
    struct Params {
        rows: u32, columns: u32, tiles: u32, column_tiles: u32, a_first: u32, a_vec4s: u32, b_first: u32,
        b_vec4s: u32, depth: u32, out_first: u32, out_stride: u32,
    }
    struct ShareParams {
        rows: u32, components: u32, quads: u32, groups: u32, square_first: u32, square_stride: u32, height_first: u32,
        weight_first: u32, weight_step: u32, share_first: u32, share_stride: u32, log_first: u32, sum_first: u32,
        sum_number: u32, sum_end: u32,
    }
}

const OP: &str = "expectation";
/// Rows whose products the device adds in f32; the host adds the rest in f64.
const GROUP_ROWS: usize = 1 << 16;
/// Rows of a workgroup that makes responsibilities, as in the shader.
const SHARE_ROWS: usize = 256;

/// Rows about which a mixture asks again and again: on a GPU a copy less the centre, with a column of ones.
#[derive(Debug)]
pub struct MixtureRows<'a> {
    x: &'a DeviceMatrix,
    center: Vec<f32>,
    host_weights: Option<&'a [f32]>,
    /// [x − centre, 1], n×(d + 1), and the weights, or a 1 for all rows.
    on_device: Option<(DeviceMatrix, DeviceVec<f32>)>,
}

impl<'a> MixtureRows<'a> {
    /// The rows of X (n×d) with their weights; all Gaussians that they meet must have this centre, d numbers.
    pub fn new(
        stream: &mut Stream,
        x: &'a DeviceMatrix,
        center: &[f32],
        weights: Option<&'a [f32]>,
    ) -> Result<MixtureRows<'a>> {
        x.complete_on(stream, OP)?;
        let (n, d) = (x.rows(), x.columns());
        if center.len() != d || weights.is_some_and(|weights| weights.len() != n) {
            let got = format!("{} and {:?}", center.len(), weights.map(<[f32]>::len));
            return Err(Error::shape(OP, format!("a centre of {d} numbers and {n} weights"), got));
        }
        let mut on_device = None;
        if stream.gpu().is_some() {
            // A product with the identity, whose bias takes the centre off and adds the ones: x·1 is exact.
            let device = stream.device().clone();
            let mut identity = Matrix::zeros(d, d + 1)?;
            (0..d).for_each(|i| identity.as_mut_slice()[i * (d + 1) + i] = 1.0);
            let bias: Vec<f32> = center.iter().map(|value| -value).chain([1.0]).collect();
            let (identity, bias) = (identity.to(&device)?, DeviceVec::from_slice(&bias, &device)?);
            let rows = gemm_bias(stream, Layout::NN, (x, &identity), Some(&bias), Activation::Identity)?;
            on_device = Some((rows, DeviceVec::from_slice(weights.unwrap_or(&[1.0]), &device)?));
        }
        Ok(MixtureRows { x, center: center.to_vec(), host_weights: weights, on_device })
    }

    fn check(&self, gaussians: &Gaussians) -> Result<()> {
        let (d, k) = (self.x.columns(), gaussians.count());
        let factors = match gaussians.shape {
            Shape::Full => k * d * d,
            Shape::Tied => d * d,
            Shape::Diagonal => k * d,
        };
        let lengths = [gaussians.columns, gaussians.factors.len(), gaussians.offsets.len(), gaussians.means.len()];
        if k == 0 || lengths != [d, factors, k * d, k * d] || gaussians.center != self.center {
            let expected = format!("Gaussians over {d} columns, with the centre of the rows");
            return Err(Error::shape(OP, expected, format!("{k} with {lengths:?} numbers")));
        }
        Ok(())
    }
}

/// The sums of one pass over rows: Σ weight·ln f, and for each Gaussian Σ r, Σ r·z and Σ r·z·zᵀ, with r the
/// responsibility times the weight of a row and z the whitened row. About 2·n·k·d² operations on the CPU, twice that on a GPU.
///
/// On a GPU the distances are a product with the whitenings, and the sums are products about the present means,
/// in blocks of 512 rows in f32, of which 128 are added in f32 and the rest in f64; it is waited for once, unless the
/// sums of all rows have no room.
pub fn moments(stream: &mut Stream, rows: &MixtureRows<'_>, gaussians: &Gaussians) -> Result<Moments> {
    rows.check(gaussians)?;
    let Some((x, weights)) = &rows.on_device else {
        return Ok(cpu::moments(rows.x.values()?, rows.host_weights, gaussians));
    };
    let device_side = DeviceGaussians::new(stream, gaussians)?;
    let (k, width) = (gaussians.count(), x.columns());
    let mut total = DeviceSums { likelihood: 0.0, width, products: vec![0.0; k * width * width] };
    let (group_rows, room) = match stream.gpu() {
        Some(recording) => {
            (group_rows(recording, gaussians), recording.gpu.scratch_bytes() as usize / (4 * k * width * padded(width)))
        }
        None => (GROUP_ROWS, 1),
    };
    let groups: Vec<Range<usize>> = blocks(x.rows(), group_rows).collect();
    for groups in groups.chunks(room.max(1)) {
        let blocks = groups.iter().map(|group| group.len().div_ceil(SHARE_ROWS)).sum::<usize>();
        let (sums, columns) = (groups.len() * k * width, padded(width));
        let out = DeviceMatrix::output(stream.device(), sums + blocks.div_ceil(columns), columns)?;
        let Some(recording) = stream.gpu() else { continue };
        let likelihoods = out.store()?.target(recording, sums..out.rows(), false)?;
        let mut number = 0;
        for (at, group) in groups.iter().enumerate() {
            let shares = recording.scratch(4 * (k * group.len().next_multiple_of(4)) as u64, "responsibilities")?;
            let logs = recording.scratch(4 * group.len().next_multiple_of(4) as u64, "log-densities")?;
            let into = ShareOutput {
                shares: View::whole(shares),
                share_stride: group.len().next_multiple_of(4),
                logs: View::whole(logs),
                sums: &likelihoods.view,
                sum_number: number,
                sum_end: if at + 1 == groups.len() { blocks.next_multiple_of(columns) } else { 0 },
            };
            device_side.expect(recording, (x, weights, rows.host_weights.is_some()), group.clone(), &into)?;
            number += group.len().div_ceil(SHARE_ROWS);
            let target = out.store()?.target(recording, at * k * width..(at + 1) * k * width, false)?;
            for component in 0..k {
                let to = target.view.skip(component * width * columns);
                let weight = into.shares.skip(component * into.share_stride);
                device_side.products(recording, x, group.clone(), component, &weight, &to)?;
            }
            out.store()?.commit(recording, target)?;
        }
        out.store()?.commit(recording, likelihoods)?;
        total.add(&out.to_matrix(stream)?, sums, blocks);
    }
    Ok(total.whitened(gaussians))
}

/// ln f(x) of each row of X (n×d), and the responsibilities (n×k) if wanted. On a GPU the results are waited for once each.
pub fn densities(
    stream: &mut Stream,
    x: &DeviceMatrix,
    gaussians: &Gaussians,
    shares: bool,
) -> Result<(Vec<f32>, Option<Matrix>)> {
    let rows = MixtureRows::new(stream, x, &gaussians.center, None)?;
    rows.check(gaussians)?;
    let (n, k) = (x.rows(), gaussians.count());
    let Some((device_rows, weights)) = &rows.on_device else {
        let mut logs = vec![0.0; n];
        let mut found = shares.then(|| Matrix::zeros(n, k)).transpose()?;
        cpu::densities(x.values()?, gaussians, &mut logs, found.as_mut().map(Matrix::as_mut_slice));
        return Ok((logs, found));
    };
    let device_side = DeviceGaussians::new(stream, gaussians)?;
    let group_rows = stream.gpu().map_or(GROUP_ROWS, |recording| group_rows(recording, gaussians));
    let mut found = shares.then(|| Matrix::zeros(n, k)).transpose()?;
    let mut all_logs = Vec::with_capacity(n);
    for group in blocks(n, group_rows) {
        let logs = DeviceMatrix::output(stream.device(), 1, group.len())?;
        let by_component = DeviceMatrix::output(stream.device(), k, group.len())?;
        let Some(recording) = stream.gpu() else { continue };
        let log_target = logs.store()?.target(recording, 0..1, false)?;
        let share_target = by_component.store()?.target(recording, 0..k, false)?;
        let sums = recording.scratch(4 * group.len().div_ceil(SHARE_ROWS) as u64, "sums of log-densities")?;
        let into = ShareOutput {
            shares: share_target.view.skip(0),
            share_stride: by_component.store()?.stride(),
            logs: log_target.view.skip(0),
            sums: &View::whole(sums),
            sum_number: 0,
            sum_end: 0,
        };
        device_side.expect(recording, (device_rows, weights, false), group.clone(), &into)?;
        logs.store()?.commit(recording, log_target)?;
        by_component.store()?.commit(recording, share_target)?;
        all_logs.extend_from_slice(logs.to_matrix(stream)?.as_slice());
        if let Some(found) = &mut found {
            let values = by_component.to_matrix(stream)?;
            for (at, row) in group.clone().enumerate() {
                let to = &mut found.as_mut_slice()[row * k..(row + 1) * k];
                to.iter_mut().enumerate().for_each(|(component, to)| *to = values.get(component, at));
            }
        }
    }
    Ok((all_logs, found))
}

/// Rows of a group: as many as their squares have room for.
fn group_rows(recording: &Recording, gaussians: &Gaussians) -> usize {
    let words = gaussians.count() * (gaussians.columns.div_ceil(4) + 1) + 1;
    let room = recording.gpu.scratch_bytes() as usize / (4 * words);
    (room / DEPTH_BLOCK * DEPTH_BLOCK).clamp(DEPTH_BLOCK, GROUP_ROWS)
}

/// Gaussians as the kernels read them.
struct DeviceGaussians {
    components: usize,
    /// Columns of z of a Gaussian, in fours.
    quads: usize,
    /// Rows [W, −offset] of each Gaussian, and rows of zeros up to whole fours.
    factors: DeviceMatrix,
    heights: DeviceVec<f32>,
    /// The means less the centre, and 0: what products are about.
    means: DeviceMatrix,
}

/// Where responsibilities and log-densities of a group of rows go.
struct ShareOutput<'a> {
    shares: View,
    share_stride: usize,
    logs: View,
    sums: &'a View,
    sum_number: usize,
    /// Sums that there is room for, if these rows are the last.
    sum_end: usize,
}

impl DeviceGaussians {
    fn new(stream: &Stream, gaussians: &Gaussians) -> Result<DeviceGaussians> {
        let (d, k) = (gaussians.columns, gaussians.count());
        let quads = d.div_ceil(4);
        let mut factors = Matrix::zeros(k * 4 * quads, d + 1)?;
        let mut means = Matrix::zeros(k, d + 1)?;
        for at in 0..k {
            for i in 0..d {
                let row = &mut factors.as_mut_slice()[(at * 4 * quads + i) * (d + 1)..][..d + 1];
                match gaussians.shape {
                    Shape::Full => row[..d].copy_from_slice(&gaussians.factors[(at * d + i) * d..][..d]),
                    Shape::Tied => row[..d].copy_from_slice(&gaussians.factors[i * d..][..d]),
                    Shape::Diagonal => row[i] = gaussians.factors[at * d + i],
                }
                row[d] = -gaussians.offsets[at * d + i];
            }
            means.as_mut_slice()[at * (d + 1)..][..d].copy_from_slice(&gaussians.means[at * d..][..d]);
        }
        let device = stream.device();
        Ok(DeviceGaussians {
            components: k,
            quads,
            factors: factors.to(device)?,
            heights: DeviceVec::from_slice(&gaussians.heights, device)?,
            means: means.to(device)?,
        })
    }

    /// Responsibilities times weights, and log-densities, of a group of rows.
    fn expect(
        &self,
        recording: &mut Recording,
        (x, weights, weighted): (&DeviceMatrix, &DeviceVec<f32>, bool),
        group: Range<usize>,
        into: &ShareOutput<'_>,
    ) -> Result<()> {
        let stride = group.len().next_multiple_of(4);
        let squares = recording.scratch(4 * (self.components * self.quads * stride) as u64, "squares of rows")?;
        let (columns, depth) = (4 * self.components * self.quads, x.columns());
        let operations = 2 * (columns * depth) as u64;
        let per_block = RowStore::block_rows(&recording.gpu, x.store()?.stride() as u64, operations, TILE);
        for part in blocks(group.len(), per_block.next_multiple_of(SHARE_ROWS)) {
            let rows = group.start + part.start..group.start + part.end;
            let view = x.store()?.view(recording, rows.clone())?;
            let factors = self.factors.store()?.view(recording, 0..columns)?;
            let tile = if columns <= 32 {
                32
            } else if columns <= 64 {
                64
            } else {
                TILE
            };
            let column_tiles = columns.div_ceil(tile);
            let tiles = part.len().div_ceil(tile) * column_tiles;
            let params = Params {
                rows: part.len() as u32,
                columns: columns as u32,
                tiles: tiles as u32,
                column_tiles: column_tiles as u32,
                a_first: view.first_word() / 4,
                a_vec4s: (x.store()?.stride() / 4) as u32,
                b_first: factors.first_word() / 4,
                b_vec4s: (self.factors.store()?.stride() / 4) as u32,
                depth: depth as u32,
                out_first: part.start as u32,
                out_stride: stride as u32,
            };
            let n = part.len() as u64;
            let work = Work { operations: operations * n, bytes: 4 * n * (depth + columns / 4) as u64 };
            let buffers = &[view.buffer(), factors.buffer(), &squares];
            let grid = Grid::linear(tiles as u64)?;
            recording
                .dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("TILE", tile as u32)]))?;
            let heights = self.heights.store()?.view(recording, 0..self.components)?;
            let weight = weights.store()?.view(recording, if weighted { rows } else { 0..1 })?;
            let groups = part.len().div_ceil(SHARE_ROWS);
            let params = ShareParams {
                rows: part.len() as u32,
                components: self.components as u32,
                quads: self.quads as u32,
                groups: groups as u32,
                square_first: part.start as u32,
                square_stride: stride as u32,
                height_first: heights.first_word(),
                weight_first: weight.first_word(),
                weight_step: u32::from(weighted),
                share_first: into.shares.first_word() + part.start as u32,
                share_stride: into.share_stride as u32,
                log_first: into.logs.first_word() + part.start as u32,
                sum_first: into.sums.first_word(),
                sum_number: (into.sum_number + part.start / SHARE_ROWS) as u32,
                sum_end: if part.end == group.len() { into.sum_end as u32 } else { 0 },
            };
            let (values, shares) = ((self.components * self.quads) as u64, self.components as u64);
            let work = Work { operations: n * (values + 20 * shares), bytes: 4 * n * (values + 5 * shares) };
            let buffers = &[
                &squares,
                heights.buffer(),
                weight.buffer(),
                into.shares.buffer(),
                into.logs.buffer(),
                into.sums.buffer(),
            ];
            recording.dispatch(&KERNEL_SHARES, Dispatch::new(&params, buffers, Grid::linear(groups as u64)?, work))?;
        }
        Ok(())
    }

    /// Σ r·(x − mean, 1)(x − mean, 1)ᵀ over a group of rows.
    fn products(
        &self,
        recording: &mut Recording,
        x: &DeviceMatrix,
        group: Range<usize>,
        component: usize,
        shares: &View,
        to: &View,
    ) -> Result<()> {
        let (width, stride) = (x.columns(), x.store()?.stride());
        let mean = self.means.store()?.view(recording, component..component + 1)?;
        let view = x.store()?.view(recording, group.clone())?;
        let pair = PairKernel {
            overrides: &[("WEIGHTED", 1)],
            depth_vector: Some(shares),
            ..PairKernel::new(&syrk::KERNEL, &[], 2, true)
        };
        let operands = (
            Operand { view: &view, rows: width, first: 0, stride, deep: true },
            Operand { view: &mean, rows: width, first: 0, stride: 0, deep: true },
        );
        let into = Output { view: to, stride: padded(width), column: 0, alpha: 1.0, beta: 0.0, finish: false };
        pairs::product_over(recording, &pair, operands, 0..group.len(), into)
    }
}
