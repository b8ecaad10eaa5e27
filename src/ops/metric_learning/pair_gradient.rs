//! Losses of pairs of rows, and what each row adds to the gradient of a metric.

use crate::array::{DeviceMatrix, DeviceVec, blocks};
pub use crate::cpu::metric_learning::pair_gradient::{PairLoss, PairRows};
use crate::device::{Device, Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Z, others, weights, losses.
    pub KERNEL = "metric_learning/pair_gradient", [Read, Read, Write, Write], Params;
    /// Z, others, weights, begins, entries, sums.
    pub KERNEL_GATHER = "metric_learning/pair_gradient__gather", [Read, Read, Read, Read, Read, Write], GatherParams;
}

params! {
    struct Params {
        rows: u32, vec4s: u32, pulls: u32, pairs: u32, loss: u32, z_first: u32, other_first: u32, weight_first: u32,
        loss_first: u32, pull: f32, push: f32, near: f32, far: f32, first: u32, count: u32,
    }
    struct GatherParams {
        rows: u32, vec4s: u32, pairs: u32, groups: u32, z_first: u32, other_first: u32, weight_first: u32,
        begin_first: u32, entry_first: u32, out_first: u32, first: u32, end: u32,
    }
}

const OP: &str = "pair_gradient";
/// Pairs of a row that a workgroup has room for.
pub const MOST_PAIRS: usize = 256;

/// The pairs of each of n rows, on a device.
#[derive(Debug)]
pub struct Pairs {
    rows: usize,
    pulls: usize,
    width: usize,
    others: Vec<u32>,
    begins: Vec<u32>,
    entries: Vec<u32>,
    /// Others, begins and entries on a GPU.
    on_device: Option<[DeviceVec<u32>; 3]>,
}

impl Pairs {
    /// The first `pulls` of the `width` others of each row are to be near to it, the rest far from it: n·width rows, a row's own number
    /// where there is none. At most 256 a row.
    pub fn new(device: &Device, rows: usize, (pulls, width): (usize, usize), others: Vec<u32>) -> Result<Pairs> {
        if width > MOST_PAIRS || width == 0 || pulls > width {
            let (need, have) = (width.max(pulls) as u64, MOST_PAIRS as u64);
            return Err(Error::Limit { what: "pairs of a row".to_string(), need, have });
        }
        if others.len() != rows * width || others.iter().any(|other| *other as usize >= rows) {
            return Err(Error::shape(OP, format!("{rows}×{width} numbers of rows"), others.len()));
        }
        if u32::try_from(others.len()).is_err() {
            return Err(Error::Limit { what: "pairs".to_string(), need: others.len() as u64, have: u32::MAX.into() });
        }
        let is_pair = |pair: usize| others[pair] as usize != pair / width;
        let mut begins = vec![0_u32; rows + 1];
        (0..others.len()).filter(|pair| is_pair(*pair)).for_each(|pair| begins[others[pair] as usize + 1] += 1);
        (0..rows).for_each(|row| begins[row + 1] += begins[row]);
        let mut next = begins.clone();
        let mut entries = vec![0_u32; begins[rows] as usize];
        for pair in (0..others.len()).filter(|pair| is_pair(*pair)) {
            let place = &mut next[others[pair] as usize];
            entries[*place as usize] = pair as u32;
            *place += 1;
        }
        let on_device = match device {
            Device::Cpu => None,
            Device::Gpu(_) => {
                // A buffer is never empty.
                let padded = if entries.is_empty() { &[0][..] } else { &entries };
                let upload = |values: &[u32]| DeviceVec::from_slice(values, device);
                Some([upload(&others)?, upload(&begins)?, upload(padded)?])
            }
        };
        Ok(Pairs { rows, pulls, width, others, begins, entries, on_device })
    }
}

/// The loss of pairs among the rows of Z (n×p), and for each row Σ weight·(z − other) over the pairs that it is in, n×p, where the
/// weights are the derivatives of the loss by the squared distances. With Z = X·Lᵀ the gradient by L is 2·sumsᵀ·X.
///
/// 6·pairs·p operations. Distances and sums are f32, in a fixed order; losses of rows are added in f64.
pub fn pair_gradient(
    stream: &mut Stream,
    z: &DeviceMatrix,
    pairs: &Pairs,
    loss: PairLoss,
) -> Result<(f64, DeviceMatrix)> {
    z.complete_on(stream, OP)?;
    let (n, p) = (z.rows(), z.columns());
    if n != pairs.rows || p == 0 || n == 0 {
        return Err(Error::shape(OP, format!("{} rows", pairs.rows), format!("{n}×{p}")));
    }
    let device = stream.device().clone();
    let (Some([others, begins, entries]), true) = (&pairs.on_device, stream.gpu().is_some()) else {
        let mut sums = crate::array::Matrix::zeros(n, p)?;
        let lists = PairRows {
            pulls: pairs.pulls,
            width: pairs.width,
            others: &pairs.others,
            begins: &pairs.begins,
            entries: &pairs.entries,
        };
        let value =
            crate::cpu::metric_learning::pair_gradient::pair_gradient(z.values()?, p, lists, loss, sums.as_mut_slice());
        return Ok((value, sums.to(&device)?));
    };
    let losses = DeviceVec::<f32>::output(stream, n)?;
    let sums = DeviceMatrix::output(&device, n, p)?;
    let Some(recording) = stream.gpu() else { return Err(Error::shape(OP, "a GPU", "none")) };
    let stride = z.store()?.stride();
    let vec4s = (stride / 4) as u32;
    let count = n * pairs.width;
    let weights = recording.scratch(4 * count as u64, "weights of pairs")?;
    let z_view = z.store()?.view(recording, 0..n)?;
    let other_view = others.store()?.view(recording, 0..others.len())?;
    let loss_target = losses.store()?.target(recording, 0..n, false)?;
    let (kind, [pull, push, near, far]) = match loss {
        PairLoss::Triplets { pull, push, margin } => (0, [pull, push, margin, 0.0]),
        PairLoss::Pairs { push, near, far } => (1, [1.0, push, near, far]),
    };
    // Each dispatch takes as many rows as its work allows.
    let row_work = 4 * (pairs.width * p) as u64;
    let at_once = (recording.gpu.operations_per_dispatch() / row_work.max(1)).max(256) as usize;
    for rows in blocks(n, at_once) {
        let params = Params {
            rows: n as u32,
            vec4s,
            pulls: pairs.pulls as u32,
            pairs: pairs.width as u32,
            loss: kind,
            z_first: z_view.first_word() / 4,
            other_first: other_view.first_word(),
            weight_first: 0,
            loss_first: loss_target.view.first_word(),
            pull,
            push,
            near,
            far,
            first: rows.start as u32,
            count: rows.len() as u32,
        };
        let steps = (rows.len() * pairs.width * p) as u64;
        let work = Work { operations: 3 * steps, bytes: 4 * steps };
        let buffers = &[z_view.buffer(), other_view.buffer(), &weights, loss_target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::linear(rows.len() as u64)?, work))?;
    }
    losses.store()?.commit(recording, loss_target)?;
    let begin_view = begins.store()?.view(recording, 0..begins.len())?;
    let entry_view = entries.store()?.view(recording, 0..entries.len())?;
    let target = sums.store()?.target(recording, 0..n, false)?;
    let team = (stride / 4).next_power_of_two().min(256);
    for rows in blocks(n, at_once) {
        let groups = rows.len().div_ceil(256 / team);
        let params = GatherParams {
            rows: n as u32,
            vec4s,
            pairs: pairs.width as u32,
            groups: groups as u32,
            z_first: z_view.first_word() / 4,
            other_first: other_view.first_word(),
            weight_first: 0,
            begin_first: begin_view.first_word(),
            entry_first: entry_view.first_word(),
            out_first: target.view.first_word() / 4,
            first: rows.start as u32,
            end: rows.end as u32,
        };
        let buffers = &[
            z_view.buffer(),
            other_view.buffer(),
            &weights,
            begin_view.buffer(),
            entry_view.buffer(),
            target.view.buffer(),
        ];
        let steps = (rows.len() * pairs.width * p) as u64;
        let work = Work { operations: 4 * steps, bytes: 8 * steps };
        let dispatch = Dispatch::new(&params, buffers, Grid::linear(groups as u64)?, work);
        recording.dispatch(&KERNEL_GATHER, dispatch.overrides(&[("TEAM", team as u32)]))?;
    }
    sums.store()?.commit(recording, target)?;
    Ok((crate::ops::sum(stream, &losses)?, sums))
}
