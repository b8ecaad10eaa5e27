//! Sums over each cluster.

use std::ops::Range;

use crate::array::{DeviceMatrix, DeviceVec, Matrix, RowStore, View, blocks};
use crate::device::{Device, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Sums of each cluster's rows in each run of rows.
    pub KERNEL = "cluster/centroid_sum", [Read, Read, Read, Read, Read, Write], Params;
    /// Puts the rows of each run in the order of their clusters.
    pub KERNEL_ORDER = "cluster/centroid_sum__order", [Read, Write, Write], OrderParams;
    /// Adds neighbouring runs.
    pub KERNEL_MERGE = "cluster/centroid_sum__merge", [Read, Write, Write, Write], MergeParams;
}

params! {
    struct Params { items: u32, clusters: u32, vec4s: u32, x_first: u32, center_first: u32, weight_first: u32 }
    struct OrderParams { rows: u32, runs: u32, run_rows: u32, clusters: u32, label_first: u32 }
    struct MergeParams {
        items: u32, runs: u32, first_run: u32, fan: u32, clusters: u32, vec4s: u32, sum_first: u32, count_first: u32,
        last: u32,
    }
}

/// Sums of four columns that a workgroup makes, as in the shader.
const ITEMS: u64 = 16;
/// Sums that a lane of a merge adds.
const FAN: usize = 16;

/// Labels, weights, centres and results that belong together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums<'a> {
    pub(crate) labels: &'a DeviceVec<u32>,
    pub(crate) weights: Option<&'a DeviceVec<f32>>,
    pub(crate) centers: &'a DeviceMatrix,
    pub(crate) sums: &'a DeviceMatrix,
    pub(crate) counts: &'a DeviceVec<f32>,
}

/// Σ w·(x − c) over the rows of each cluster, c its present centre, and Σ w: k×d sums and k weights.
///
/// X is n×d, `labels` says the cluster of each row, `weights` how much it counts (1 without them). Differences from the
/// centre, so that data far off-centre loses nothing. Rows are added in a fixed order: the same bits every run, whatever
/// the chunks. Costs 2·n·d operations. A label of k or more is [`Error::Param`], on a GPU when a result is read.
///
/// ```
/// use gristmill::{Device, DeviceVec, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0], [4.0], [9.0]])?.to(&Device::Cpu)?;
/// let centers = Matrix::from_rows(&[[1.0], [8.0]])?.to(&Device::Cpu)?;
/// let labels = DeviceVec::from_slice(&[0_u32, 0, 1], &Device::Cpu)?;
/// let (sums, counts) = ops::centroid_sum(&mut stream, &x, &labels, None, &centers)?;
/// assert_eq!(sums.to_matrix(&mut stream)?.as_slice(), [2.0, 1.0]);
/// assert_eq!(counts.to_vec(&mut stream)?, [2.0, 1.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn centroid_sum(
    stream: &mut Stream,
    x: &DeviceMatrix,
    labels: &DeviceVec<u32>,
    weights: Option<&DeviceVec<f32>>,
    centers: &DeviceMatrix,
) -> Result<(DeviceMatrix, DeviceVec<f32>)> {
    let op = "centroid_sum";
    super::check(stream, op, x, centers)?;
    labels.on(stream, op)?;
    if let Some(weights) = weights {
        weights.complete_on(stream, op)?;
    }
    if labels.len() != x.rows() || weights.is_some_and(|weights| weights.len() != x.rows()) {
        let expected = format!("a label, and a weight if there are any, for each of {} rows", x.rows());
        let got = format!("{} labels, {} weights", labels.len(), weights.map_or(0, DeviceVec::len));
        return Err(Error::shape(op, expected, got));
    }
    if x.rows() == 0 {
        let sums = Matrix::zeros(centers.rows(), x.columns())?.to(stream.device())?;
        return Ok((sums, DeviceVec::from_slice(&vec![0.0; centers.rows()], stream.device())?));
    }
    if stream.gpu().is_none() {
        return on_cpu(x, labels.values()?, weights.map(DeviceVec::values).transpose()?, centers);
    }
    let sums = DeviceMatrix::output(stream.device(), centers.rows(), x.columns())?;
    let counts = DeviceVec::<f32>::output(stream, centers.rows())?;
    if let Some(recording) = stream.gpu() {
        record(recording, x, Sums { labels, weights, centers, sums: &sums, counts: &counts })?;
    }
    Ok((sums, counts))
}

fn on_cpu(
    x: &DeviceMatrix,
    labels: &[u32],
    weights: Option<&[f32]>,
    centers: &DeviceMatrix,
) -> Result<(DeviceMatrix, DeviceVec<f32>)> {
    let (n, d, k) = (x.rows(), x.columns(), centers.rows());
    if let Some(label) = labels.iter().find(|label| **label as usize >= k) {
        return Err(Error::bad_index(*label));
    }
    let (mut sums, mut counts) = (vec![0.0; k * d], vec![0.0; k]);
    let (x, centers) = (x.values()?, centers.values()?);
    crate::cpu::cluster::centroid_sum::centroid_sum(x, n, d, labels, weights, centers, k, &mut sums, &mut counts);
    let narrow = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect::<Vec<_>>();
    Ok((Matrix::from_vec(k, d, narrow(sums))?.to(&Device::Cpu)?, DeviceVec::from_host(narrow(counts))))
}

/// Rows of a run, which a workgroup puts in order: 16 of each cluster on average where that gives enough workgroups, so
/// that sums stay a small part of the data. It depends on the number of clusters alone, as the bits do.
fn run_rows(clusters: usize) -> usize {
    (16 * clusters.next_power_of_two()).clamp(256, 1 << 12)
}

/// How the rows are cut, and where the sums of groups of runs wait.
struct Cut {
    run_rows: usize,
    /// Runs of a group, whose sums are added first.
    fan: usize,
    clusters: usize,
    vec4s: usize,
    groups: View,
}

impl Cut {
    /// Sums of one run or group.
    fn width(&self) -> usize {
        self.clusters * (self.vec4s + 1)
    }
}

/// Records the sums.
pub(crate) fn record(recording: &mut Recording, x: &DeviceMatrix, of: Sums) -> Result<()> {
    let (clusters, run_rows) = (of.centers.rows(), run_rows(of.centers.rows()));
    let (stride, fan) = (x.store()?.stride(), ((1 << 14) / run_rows).clamp(4, FAN));
    let width = clusters * (stride / 4 + 1);
    let groups = x.rows().div_ceil(run_rows * fan);
    let sums = View::whole(recording.scratch(16 * (groups * width) as u64, "sums of groups of runs")?);
    let cut = Cut { run_rows, fan, clusters, vec4s: stride / 4, groups: sums };
    // Per row: itself, its place, its share of the runs' sums.
    let words = stride + 1 + (4 * width + clusters).div_ceil(run_rows);
    let per_block = RowStore::block_rows(&recording.gpu, words as u64, 4 * stride as u64, run_rows);
    for rows in blocks(x.rows(), per_block.next_multiple_of(run_rows)) {
        block(recording, x, of, rows, &cut)?;
    }
    let sum_target = of.sums.store()?.target(recording, 0..clusters, false)?;
    let count_target = of.counts.store()?.target(recording, 0..clusters, false)?;
    let (mut from, mut left) = (cut.groups.skip(0), groups);
    loop {
        let last = left <= FAN;
        let count = left.div_ceil(FAN);
        let out = View::whole(recording.scratch(16 * if last { 1 } else { count * width } as u64, "sums of groups")?);
        let into = (&out, &sum_target.view, &count_target.view, last);
        merge(recording, &cut, (&from, 0..left, FAN), into)?;
        if last {
            break;
        }
        (from, left) = (out, count);
    }
    of.sums.store()?.commit(recording, sum_target)?;
    of.counts.store()?.commit(recording, count_target)
}

/// The sums of the groups of one block of rows.
fn block(recording: &mut Recording, x: &DeviceMatrix, of: Sums, rows: Range<usize>, cut: &Cut) -> Result<()> {
    let (k, vec4s, runs) = (cut.clusters, cut.vec4s, rows.len().div_ceil(cut.run_rows));
    let label_view = of.labels.store()?.view(recording, rows.clone())?;
    let order = recording.scratch(4 * rows.len() as u64, "rows by cluster")?;
    let begins = recording.scratch(4 * (k * runs + 1) as u64, "where clusters begin")?;
    let params = OrderParams {
        rows: rows.len() as u32,
        runs: runs as u32,
        run_rows: cut.run_rows as u32,
        clusters: k as u32,
        label_first: label_view.first_word(),
    };
    let work = Work { operations: 1024 * rows.len() as u64, bytes: 12 * rows.len() as u64 };
    let buffers = &[label_view.buffer(), &order, &begins];
    recording.dispatch(&KERNEL_ORDER, Dispatch::new(&params, buffers, Grid::linear(runs as u64)?, work))?;
    let view = x.store()?.view(recording, rows.clone())?;
    let center_view = of.centers.store()?.view(recording, 0..k)?;
    // Without weights the labels stand in for what is not read.
    let weight_view = of.weights.map(|weights| weights.store()?.view(recording, rows.clone())).transpose()?;
    let weight_view = weight_view.as_ref().unwrap_or(&label_view);
    let partial = View::whole(recording.scratch(16 * (runs * cut.width()) as u64, "sums of runs")?);
    let items = k * runs * vec4s;
    let params = Params {
        items: items as u32,
        clusters: k as u32,
        vec4s: vec4s as u32,
        x_first: view.first_word() / 4,
        center_first: center_view.first_word() / 4,
        weight_first: weight_view.first_word(),
    };
    let values = (rows.len() * x.columns()) as u64;
    let grid = Grid::covering(items as u64, ITEMS)?;
    let work = Work { operations: 2 * values, bytes: 4 * values };
    let buffers = &[view.buffer(), center_view.buffer(), weight_view.buffer(), &order, &begins, partial.buffer()];
    let weighted = [("WEIGHTED", u32::from(of.weights.is_some()))];
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&weighted))?;
    // What a merge that is not the last does not write.
    let unused = [(); 2].map(|()| recording.scratch(16, "nothing"));
    let [sums, counts] = unused.map(|buffer| buffer.map(View::whole));
    let first = rows.start / cut.run_rows;
    merge(recording, cut, (&partial, first..first + runs, cut.fan), (&cut.groups, &sums?, &counts?, false))
}

/// Adds the sums of runs, each `fan` of all of them together.
fn merge(
    recording: &mut Recording,
    cut: &Cut,
    (partial, runs, fan): (&View, Range<usize>, usize),
    (out, sums, counts, last): (&View, &View, &View, bool),
) -> Result<()> {
    let items = (runs.end.div_ceil(fan) - runs.start / fan) * cut.width();
    let params = MergeParams {
        items: items as u32,
        runs: runs.len() as u32,
        first_run: runs.start as u32,
        fan: fan as u32,
        clusters: cut.clusters as u32,
        vec4s: cut.vec4s as u32,
        sum_first: sums.first_word() / 4,
        count_first: counts.first_word(),
        last: u32::from(last),
    };
    let grid = Grid::covering(items as u64, 64)?;
    let values = (runs.len() * cut.width()) as u64;
    let work = Work { operations: 4 * values, bytes: 16 * values };
    let buffers = &[partial.buffer(), out.buffer(), sums.buffer(), counts.buffer()];
    recording.dispatch(&KERNEL_MERGE, Dispatch::new(&params, buffers, grid, work))
}
