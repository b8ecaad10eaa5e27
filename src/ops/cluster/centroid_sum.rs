//! Sums over each cluster.

use std::mem::offset_of;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::array::{DeviceMatrix, DeviceVec, Matrix, RowStore, View, blocks};
use crate::device::{Device, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Access, Field, Grid, Kernel, Needs, Work};
use crate::ops::sort::exclusive_scan::scan;

/// Sums of each cluster's rows in each run of rows.
pub const KERNEL: Kernel = Kernel {
    name: "cluster/centroid_sum",
    source: include_str!("../../../shaders/cluster/centroid_sum.wgsl"),
    buffers: &[Access::Read, Access::Read, Access::Read, Access::Read, Access::Read, Access::Write],
    params: &[
        Field { name: "items", offset: offset_of!(Params, items) },
        Field { name: "rows", offset: offset_of!(Params, rows) },
        Field { name: "runs", offset: offset_of!(Params, runs) },
        Field { name: "run_rows", offset: offset_of!(Params, run_rows) },
        Field { name: "clusters", offset: offset_of!(Params, clusters) },
        Field { name: "vec4s", offset: offset_of!(Params, vec4s) },
        Field { name: "x_first", offset: offset_of!(Params, x_first) },
        Field { name: "center_first", offset: offset_of!(Params, center_first) },
        Field { name: "weight_first", offset: offset_of!(Params, weight_first) },
    ],
    params_size: size_of::<Params>(),
    needs: Needs::Baseline,
};

/// The variant for software drivers with 64-bit integers.
pub const KERNEL_INT64: Kernel = Kernel {
    name: "cluster/centroid_sum__int64",
    source: include_str!("../../../shaders/cluster/centroid_sum__int64.wgsl"),
    needs: Needs::Int64,
    ..KERNEL
};

/// Counts each run's rows of each cluster.
pub const KERNEL_COUNT: Kernel = Kernel {
    name: "cluster/centroid_sum__count",
    source: include_str!("../../../shaders/cluster/centroid_sum__count.wgsl"),
    buffers: &[Access::Read, Access::Write],
    params: &[
        Field { name: "rows", offset: offset_of!(SortParams, rows) },
        Field { name: "runs", offset: offset_of!(SortParams, runs) },
        Field { name: "run_rows", offset: offset_of!(SortParams, run_rows) },
        Field { name: "clusters", offset: offset_of!(SortParams, clusters) },
        Field { name: "label_first", offset: offset_of!(SortParams, label_first) },
    ],
    params_size: size_of::<SortParams>(),
    needs: Needs::Baseline,
};

/// Puts the rows in the order of their clusters.
pub const KERNEL_PLACE: Kernel = Kernel {
    name: "cluster/centroid_sum__place",
    source: include_str!("../../../shaders/cluster/centroid_sum__place.wgsl"),
    buffers: &[Access::Read, Access::Write, Access::Write],
    ..KERNEL_COUNT
};

/// Adds the runs.
pub const KERNEL_MERGE: Kernel = Kernel {
    name: "cluster/centroid_sum__merge",
    source: include_str!("../../../shaders/cluster/centroid_sum__merge.wgsl"),
    buffers: &[Access::Read, Access::Write, Access::Write],
    params: &[
        Field { name: "items", offset: offset_of!(MergeParams, items) },
        Field { name: "runs", offset: offset_of!(MergeParams, runs) },
        Field { name: "vec4s", offset: offset_of!(MergeParams, vec4s) },
        Field { name: "sum_first", offset: offset_of!(MergeParams, sum_first) },
        Field { name: "count_first", offset: offset_of!(MergeParams, count_first) },
        Field { name: "fresh", offset: offset_of!(MergeParams, fresh) },
    ],
    params_size: size_of::<MergeParams>(),
    needs: Needs::Baseline,
};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    items: u32,
    rows: u32,
    runs: u32,
    run_rows: u32,
    clusters: u32,
    vec4s: u32,
    x_first: u32,
    center_first: u32,
    weight_first: u32,
    pad: [u32; 3],
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SortParams {
    rows: u32,
    runs: u32,
    run_rows: u32,
    clusters: u32,
    label_first: u32,
    pad: [u32; 3],
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct MergeParams {
    items: u32,
    runs: u32,
    vec4s: u32,
    sum_first: u32,
    count_first: u32,
    fresh: u32,
    pad: [u32; 2],
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
        weights.on(stream, op)?;
        weights.refuse_missing()?;
    }
    if labels.len() != x.rows() || weights.is_some_and(|weights| weights.len() != x.rows()) {
        let expected = format!("a label, and a weight if there are any, for each of {} rows", x.rows());
        let got = format!("{} labels, {} weights", labels.len(), weights.map_or(0, DeviceVec::len));
        return Err(Error::Shape { op, expected, got });
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

/// The vec4 of a row that a lane of the 64-bit variant takes at most; as in the shader.
const MOST_VEC4S: usize = 16;

/// Rows of a run: so many that a run has 16 rows of each cluster or more, on average, and its sums stay a small part of
/// the data. It depends on the number of clusters alone, as the bits do.
fn run_rows(clusters: usize) -> usize {
    (16 * clusters.next_power_of_two()).clamp(256, 1 << 14)
}

/// Records the sums.
pub(crate) fn record(recording: &mut Recording, x: &DeviceMatrix, of: Sums) -> Result<()> {
    let gpu = recording.gpu.clone();
    let (k, run_rows) = (of.centers.rows(), run_rows(of.centers.rows()));
    let stride = x.store()?.stride();
    // Per row: itself, its place, its share of the table and of the runs' sums.
    let words = stride + 1 + (k * (2 + stride + 4)).div_ceil(run_rows);
    let per_block = RowStore::block_rows(&gpu, words as u64, 4 * stride as u64, run_rows).next_multiple_of(run_rows);
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
    // Lanes that share a row, and the vec4 of each.
    let each = vec4s.div_ceil(vec4s.div_ceil(MOST_VEC4S));
    let parts = vec4s.div_ceil(each);
    let weighted = ("WEIGHTED", u32::from(of.weights.is_some()));
    let long = [weighted, ("VEC4S", each as u32), ("PARTS", parts as u32)];
    let (kernel, overrides, lanes) = match recording.gpu.int64 {
        true => (&KERNEL_INT64, &long[..], parts),
        false => (&KERNEL, &long[..1], vec4s),
    };
    let items = k * runs * lanes;
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
        pad: [0; 3],
    };
    let values = (rows.len() * x.columns()) as u64;
    let (x_buffer, center_buffer, weight_buffer) = (view.buffer(), center_view.buffer(), weight_view.buffer());
    recording.dispatch(
        kernel,
        Dispatch {
            params: bytemuck::bytes_of(&params),
            buffers: &[x_buffer, center_buffer, weight_buffer, order.buffer(), ends.buffer(), &partial],
            grid: Grid::covering(items as u64, 64)?,
            overrides,
            work: Work { operations: 2 * values, bytes: 4 * values },
        },
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
        pad: [0; 2],
    };
    recording.dispatch(
        &KERNEL_MERGE,
        Dispatch {
            params: bytemuck::bytes_of(&params),
            buffers: &[&partial, sum_target.view.buffer(), count_target.view.buffer()],
            grid: Grid::covering(totals as u64, 64)?,
            overrides: &[],
            work: Work { operations: 4 * partials as u64, bytes: 16 * partials as u64 },
        },
    )?;
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
        pad: [0; 3],
    };
    let dispatch = Dispatch {
        params: bytemuck::bytes_of(&params),
        buffers: &[labels.buffer(), counts.buffer()],
        grid: Grid::covering(runs as u64, 64)?,
        overrides: &[],
        work: Work { operations: 4 * rows as u64, bytes: 4 * rows as u64 + table },
    };
    recording.dispatch(&KERNEL_COUNT, dispatch)?;
    scan(recording, &counts, clusters * runs, &places)?;
    let buffers = [labels.buffer(), places.buffer(), order.buffer()];
    recording.dispatch(&KERNEL_PLACE, Dispatch { buffers: &buffers, ..dispatch })?;
    Ok((order, places))
}
