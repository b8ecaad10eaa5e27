//! Sums over each cluster.

use std::ops::Range;

use crate::array::{DeviceMatrix, DeviceVec, Matrix, RowStore, View, blocks};
use crate::device::{Device, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::sort::exclusive_scan::scan;

kernels! {
    /// Sums of each cluster's rows in each run of rows.
    pub KERNEL = "cluster/centroid_sum", [Read, Read, Read, Read, Read, Write], Params;
    /// Counts each run's rows of each cluster.
    pub KERNEL_COUNT = "cluster/centroid_sum__count", [Read, Write], SortParams;
    /// Puts the rows in the order of their clusters.
    pub KERNEL_PLACE = "cluster/centroid_sum__place", [Read, Write, Write], SortParams;
    /// Adds the runs.
    pub KERNEL_MERGE = "cluster/centroid_sum__merge", [Read, Write, Write], MergeParams;
}

params! {
    struct Params {
        items: u32, rows: u32, runs: u32, run_rows: u32, clusters: u32, vec4s: u32, x_first: u32, center_first: u32,
        weight_first: u32,
    }
    struct SortParams { rows: u32, runs: u32, run_rows: u32, clusters: u32, label_first: u32 }
    struct MergeParams { items: u32, runs: u32, vec4s: u32, sum_first: u32, count_first: u32, fresh: u32 }
}

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

/// Rows of a run: so many that a run has 16 rows of each cluster or more, on average, and its sums stay a small part of
/// the data. It depends on the number of clusters alone, as the bits do.
fn run_rows(clusters: usize) -> usize {
    (16 * clusters.next_power_of_two()).clamp(256, 1 << 14)
}

/// Records the sums.
pub(crate) fn record(recording: &mut Recording, x: &DeviceMatrix, of: Sums) -> Result<()> {
    let (k, run_rows) = (of.centers.rows(), run_rows(of.centers.rows()));
    let stride = x.store()?.stride();
    // Per row: itself, its place, its share of the table and of the runs' sums.
    let words = stride + 1 + (k * (2 + stride + 4)).div_ceil(run_rows);
    let per_block =
        RowStore::block_rows(&recording.gpu, words as u64, 4 * stride as u64, run_rows).next_multiple_of(run_rows);
    for rows in blocks(x.rows(), per_block) {
        block(recording, x, of, rows, run_rows)?;
    }
    Ok(())
}

fn block(recording: &mut Recording, x: &DeviceMatrix, of: Sums, rows: Range<usize>, run_rows: usize) -> Result<()> {
    let (k, runs, vec4s) = (of.centers.rows(), rows.len().div_ceil(run_rows), x.store()?.stride() / 4);
    let label_view = of.labels.store()?.view(recording, rows.clone())?;
    let (order, ends) = sorted(recording, &label_view, rows.len(), (runs, run_rows), k)?;
    let view = x.store()?.view(recording, rows.clone())?;
    let center_view = of.centers.store()?.view(recording, 0..k)?;
    // Without weights the labels stand in for what is not read.
    let weight_view = of.weights.map(|weights| weights.store()?.view(recording, rows.clone())).transpose()?;
    let weight_view = weight_view.as_ref().unwrap_or(&label_view);
    let partials = k * runs * (vec4s + 1);
    let partial = recording.scratch(16 * partials as u64, "sums of runs")?;
    let items = k * runs * vec4s;
    let params = Params {
        items: items as u32,
        rows: rows.len() as u32,
        runs: runs as u32,
        run_rows: run_rows as u32,
        clusters: k as u32,
        vec4s: vec4s as u32,
        x_first: view.first_word() / 4,
        center_first: center_view.first_word() / 4,
        weight_first: weight_view.first_word(),
    };
    let values = (rows.len() * x.columns()) as u64;
    let (x_buffer, center_buffer, weight_buffer) = (view.buffer(), center_view.buffer(), weight_view.buffer());
    let grid = Grid::covering(items as u64, 64)?;
    let work = Work { operations: 2 * values, bytes: 4 * values };
    let buffers = &[x_buffer, center_buffer, weight_buffer, order.buffer(), ends.buffer(), &partial];
    recording.dispatch(
        &KERNEL,
        Dispatch::new(&params, buffers, grid, work).overrides(&[("WEIGHTED", u32::from(of.weights.is_some()))]),
    )?;
    let sum_target = of.sums.store()?.target(recording, 0..k, rows.start > 0)?;
    let count_target = of.counts.store()?.target(recording, 0..k, rows.start > 0)?;
    let totals = k * (vec4s + 1);
    let params = MergeParams {
        items: totals as u32,
        runs: runs as u32,
        vec4s: vec4s as u32,
        sum_first: sum_target.view.first_word() / 4,
        count_first: count_target.view.first_word(),
        fresh: u32::from(rows.start == 0),
    };
    let grid = Grid::covering(totals as u64, 64)?;
    let work = Work { operations: 4 * partials as u64, bytes: 16 * partials as u64 };
    let buffers = &[&partial, sum_target.view.buffer(), count_target.view.buffer()];
    recording.dispatch(&KERNEL_MERGE, Dispatch::new(&params, buffers, grid, work))?;
    of.sums.store()?.commit(recording, sum_target)?;
    of.counts.store()?.commit(recording, count_target)
}

/// The rows in the order of their clusters, and where each run's rows of each cluster end.
fn sorted(
    recording: &mut Recording,
    labels: &View,
    rows: usize,
    (runs, run_rows): (usize, usize),
    clusters: usize,
) -> Result<(View, View)> {
    let table = 4 * (clusters * runs) as u64;
    let counts = View::whole(recording.scratch(table, "rows of each cluster")?);
    let places = View::whole(recording.scratch(table, "places of rows")?);
    let order = View::whole(recording.scratch(4 * rows as u64, "rows by cluster")?);
    let params = SortParams {
        rows: rows as u32,
        runs: runs as u32,
        run_rows: run_rows as u32,
        clusters: clusters as u32,
        label_first: labels.first_word(),
    };
    let grid = Grid::covering(runs as u64, 64)?;
    let work = Work { operations: 4 * rows as u64, bytes: 4 * rows as u64 + table };
    recording.dispatch(&KERNEL_COUNT, Dispatch::new(&params, &[labels.buffer(), counts.buffer()], grid, work))?;
    scan(recording, &counts, clusters * runs, &places)?;
    let buffers = [labels.buffer(), places.buffer(), order.buffer()];
    recording.dispatch(&KERNEL_PLACE, Dispatch::new(&params, &buffers, grid, work))?;
    Ok((order, places))
}
