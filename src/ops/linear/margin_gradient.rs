//! Margin, loss and gradient of classes in one read of the rows.

use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks, padded};
use crate::cpu::linear::margin_gradient::exact::{BLOCK, dense_gradient};
pub use crate::cpu::linear::margin_gradient::{ClassPlanes, ClassRows, MarginGradient, MarginLoss};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// X, classes, weights, planes, the sums of each workgroup.
    pub KERNEL = "linear/margin_gradient", [Read, Read, Read, Read, Write], Params;
}

params! {
    struct Params {
        rows: u32, vec4s: u32, planes: u32, loss: u32, x_first: u32, class_first: u32, weight_first: u32,
        weight_step: u32, planes_first: u32, out_first: u32, out_stride: u32, groups: u32,
    }
}

/// Rows of a workgroup, as in the shader.
const GROUP_ROWS: usize = 512;
/// Planes that a workgroup has room for.
pub(crate) const MOST_PLANES: usize = 32;

/// The class of each row and its weight, on the device of the rows.
#[derive(Debug)]
pub struct ClassTargets {
    classes: DeviceVec<u32>,
    /// A single 1 where each row counts once.
    weights: DeviceVec<f32>,
    weighted: bool,
}

impl ClassTargets {
    /// Copies both to the device of `x`: codes below the number of planes, or 0 and 1; weights that are finite.
    pub fn new(x: &DeviceMatrix, rows: ClassRows<'_>) -> Result<ClassTargets> {
        let lengths = [rows.classes.len(), rows.weights.map_or(x.rows(), <[f32]>::len)];
        if lengths != [x.rows(); 2] {
            let expected = format!("{} classes and as many weights", x.rows());
            return Err(Error::shape("margin_gradient", expected, format!("{lengths:?}")));
        }
        Ok(ClassTargets {
            classes: DeviceVec::from_slice(rows.classes, x.device())?,
            weights: DeviceVec::from_slice(rows.weights.unwrap_or(&[1.0]), x.device())?,
            weighted: rows.weights.is_some(),
        })
    }
}

/// The loss of planes on the classes of X (n×d, d ≥ 1), and its gradient: f64 sums over the rows. At most 32 planes on a GPU.
///
/// X is read once, 4·n·d operations a plane. On a GPU 512 rows are added in f32, then 512 of these, and the host adds the
/// rest: with margins m each sum is within 150·ε·Σ|terms| plus what (d/4 + 24)·ε·Σ|x·coef| does to a margin, ε = 2⁻²⁴. One
/// wait, whatever n is.
///
/// ```
/// use gristmill::ops::linear::margin_gradient::*;
/// use gristmill::{Device, Matrix};
/// let x = Matrix::from_rows(&[[1.0], [3.0]])?.to(&Device::Cpu)?;
/// let targets = ClassTargets::new(&x, ClassRows { classes: &[1, 0], weights: None })?;
/// let planes = ClassPlanes { coef: &[0.0], intercept: &[0.0] };
/// let found = margin_gradient(&mut Device::Cpu.stream(), &x, &targets, planes, MarginLoss::Softmax)?;
/// assert_eq!((found.coef, found.intercept), (vec![1.0], vec![0.0])); // −½·1 + ½·3
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn margin_gradient(
    stream: &mut Stream,
    x: &DeviceMatrix,
    targets: &ClassTargets,
    planes: ClassPlanes<'_, f32>,
    loss: MarginLoss,
) -> Result<MarginGradient> {
    const OP: &str = "margin_gradient";
    x.complete_on(stream, OP)?;
    targets.classes.on(stream, OP)?;
    let (d, count) = (x.columns(), planes.intercept.len());
    if count == 0 || d == 0 || planes.coef.len() != count * d || targets.classes.len() != x.rows() {
        let expected = format!("{} classes, and planes of {d} coefficients with an intercept each", x.rows());
        let got = format!("{} classes, {} coefficients, {count} intercepts", targets.classes.len(), planes.coef.len());
        return Err(Error::shape(OP, expected, got));
    }
    if x.rows() == 0 {
        return Ok(MarginGradient::new(d, count));
    }
    if stream.gpu().is_none() {
        let weights = if targets.weighted { Some(targets.weights.values()?) } else { None };
        let rows = ClassRows { classes: targets.classes.values()?, weights };
        return Ok(crate::cpu::linear::margin_gradient::margin_gradient(x.values()?, rows, planes, loss));
    }
    if count > MOST_PLANES {
        return Err(Error::Limit { what: "planes".to_string(), need: count as u64, have: MOST_PLANES as u64 });
    }
    let mut table = vec![0.0_f32; plane_words(d) * count];
    for (plane, place) in table.chunks_exact_mut(plane_words(d)).enumerate() {
        place[..d].copy_from_slice(&planes.coef[plane * d..][..d]);
        place[padded(d)] = planes.intercept[plane];
    }
    let table = DeviceVec::from_slice(&table, x.device())?.view(stream)?;
    let partial = on_gpu(stream, x, targets, (&table, count), loss)?;
    let sums = crate::ops::column_sums(stream, &partial)?;
    let plane = sums.chunks_exact(plane_words(d));
    Ok(MarginGradient {
        loss: sums[padded(d) + 1],
        coef: plane.clone().flat_map(|plane| &plane[..d]).copied().collect(),
        intercept: plane.map(|plane| plane[padded(d)]).collect(),
    })
}

/// Numbers of a plane on a device: d coefficients and padding up to a multiple of four, the intercept, three more.
pub(crate) fn plane_words(columns: usize) -> usize {
    padded(columns) + 4
}

/// [`margin_gradient`] of planes that are on the device, as rows of [`plane_words`] numbers, into `out` in f32, and nothing is
/// read back: the derivatives in the same layout, one row after the other, with the loss behind the intercept of the first.
/// The padding of the planes does not matter; that of the results is 0.
pub(crate) fn margin_gradient_into(
    stream: &mut Stream,
    x: &DeviceMatrix,
    targets: &ClassTargets,
    planes: &DeviceMatrix,
    loss: MarginLoss,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "margin_gradient";
    x.complete_on(stream, OP)?;
    let (d, count, words) = (x.columns(), planes.rows(), planes.columns());
    if x.rows() == 0 || count == 0 || words != plane_words(d) || out.len() != count * words {
        let expected = format!("rows, planes of {} numbers, and room for as many", plane_words(d));
        return Err(Error::shape(OP, expected, format!("{} rows, {count} planes of {words}", x.rows())));
    }
    if stream.gpu().is_none() {
        let rows = planes.values()?.chunks_exact(words);
        let coef: Vec<f32> = rows.clone().flat_map(|plane| &plane[..d]).copied().collect();
        let intercept: Vec<f32> = rows.map(|plane| plane[padded(d)]).collect();
        let planes = ClassPlanes { coef: &coef, intercept: &intercept };
        let found = margin_gradient(stream, x, targets, planes, loss)?;
        let out = out.values_mut()?;
        out.fill(0.0);
        for (plane, place) in out.chunks_exact_mut(words).enumerate() {
            let slopes = &found.coef[plane * d..][..d];
            place.iter_mut().zip(slopes).for_each(|(place, slope)| *place = *slope as f32);
            place[padded(d)] = found.intercept[plane] as f32;
        }
        out[padded(d) + 1] = found.loss as f32;
        return Ok(());
    }
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let table = planes.store()?.view(recording, 0..count)?;
    let partial = on_gpu(stream, x, targets, (&table, count), loss)?;
    crate::ops::column_sums_into(stream, &partial, out)
}

/// The sums of each workgroup, in the layout of the planes.
fn on_gpu(
    stream: &mut Stream,
    x: &DeviceMatrix,
    targets: &ClassTargets,
    (table, count): (&View, usize),
    loss: MarginLoss,
) -> Result<DeviceMatrix> {
    let (d, from) = (x.columns(), x.store()?);
    let (stride, vec4s) = (from.stride(), from.stride() / 4);
    let partial = DeviceMatrix::output(stream.device(), x.rows().div_ceil(GROUP_ROWS), count * plane_words(d))?;
    let Some(recording) = stream.gpu() else { return Ok(partial) };
    let to = partial.store()?;
    let items = vec4s * count.div_ceil(4);
    let split = (256 / items.next_power_of_two()).clamp(1, 16) as u32;
    let operations = 4 * (d * count) as u64;
    let per_dispatch = RowStore::block_rows(&recording.gpu, stride as u64 + 2, operations, GROUP_ROWS);
    for rows in blocks(x.rows(), per_dispatch.next_multiple_of(GROUP_ROWS)) {
        let view = from.view(recording, rows.clone())?;
        let classes = targets.classes.store()?.view(recording, rows.clone())?;
        let weighed = if targets.weighted { rows.clone() } else { 0..1 };
        let weights = targets.weights.store()?.view(recording, weighed)?;
        let results = rows.start / GROUP_ROWS..rows.end.div_ceil(GROUP_ROWS);
        let target = to.target(recording, results.clone(), false)?;
        let params = Params {
            rows: rows.len() as u32,
            vec4s: vec4s as u32,
            planes: count as u32,
            loss: u32::from(loss == MarginLoss::SquaredHinge),
            x_first: view.first_word() / 4,
            class_first: classes.first_word(),
            weight_first: weights.first_word(),
            weight_step: u32::from(targets.weighted),
            planes_first: table.first_word() / 4,
            out_first: target.view.first_word() / 4,
            out_stride: (to.stride() / 4) as u32,
            groups: results.len() as u32,
        };
        let work = Work { operations: operations * rows.len() as u64, bytes: 4 * (rows.len() * d) as u64 };
        let buffers = &[view.buffer(), classes.buffer(), weights.buffer(), table.buffer(), target.view.buffer()];
        let grid = Grid::linear(results.len() as u64)?;
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("SPLIT", split)]))?;
        to.commit(recording, target)?;
    }
    Ok(partial)
}

/// The same in f64 on the host wherever X lives; the rows come from the host's copy where there is one.
pub(crate) fn margin_gradient_f64(
    stream: &mut Stream,
    x: &DeviceMatrix,
    rows: ClassRows<'_>,
    planes: ClassPlanes<'_, f64>,
    loss: MarginLoss,
) -> Result<MarginGradient> {
    let mut sums = MarginGradient::new(x.columns(), planes.intercept.len());
    x.for_host_rows(stream, BLOCK, |range, values| {
        dense_gradient(values, rows.part(range), planes, loss, &mut sums);
        Ok(())
    })?;
    Ok(sums)
}
