//! Functions of each value of a vector, or of two.

pub use crate::cpu::linalg::map::{Combine, Map};

use crate::array::{BLOCK, DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// x, y.
    pub KERNEL = "linalg/map", [Read, Write], Params;
}

params! {
    struct Params { vec4s: u32, x_first: u32, y_first: u32, function: u32, a: f32, b: f32 }
}

/// The number of a function in the shader, and its parameters.
type Code = (u32, f32, f32);

/// y ← f(y), value by value. Lines and squares are right to 2 roundings, bounds exact; the exponential is that of
/// `shaders/lib/elementary.wgsl`.
///
/// ```
/// use gristmill::ops::{self, Map};
/// use gristmill::{Device, DeviceVec};
/// let mut stream = Device::Cpu.stream();
/// let mut y = DeviceVec::from_slice(&[1.0_f32, -2.0, 3.0], &Device::Cpu)?;
/// ops::map(&mut stream, Map::Line(2.0, 1.0), &mut y)?;
/// assert_eq!(y.to_vec(&mut stream)?, [3.0, -3.0, 7.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn map(stream: &mut Stream, function: Map, y: &mut DeviceVec<f32>) -> Result<()> {
    y.complete_on(stream, "map")?;
    let code = match function {
        Map::Line(a, b) => (0, a, b),
        Map::Clamp(low, high) if low <= high => (1, low, high),
        Map::Clamp(low, high) => {
            let rule = "bounds, the lower one first".to_string();
            return Err(Error::param("Clamp", rule, format!("{low} and {high}")));
        }
        Map::Square => (2, 0.0, 0.0),
        Map::Exponential => (3, 0.0, 0.0),
    };
    check_finite("map", code)?;
    if stream.gpu().is_none() {
        crate::cpu::linalg::map::map(function, y.values_mut()?);
        return Ok(());
    }
    run(stream, code, None, (y.store()?, y.len()))
}

/// y ← f(x, y), value by value, for two vectors of the same length. Sums are right to 3 roundings of |a·x| + |b·y|, the
/// others to one.
pub fn combine(stream: &mut Stream, function: Combine, x: &DeviceVec<f32>, y: &mut DeviceVec<f32>) -> Result<()> {
    x.complete_on(stream, "combine")?;
    y.complete_on(stream, "combine")?;
    if x.len() != y.len() {
        return Err(Error::shape("combine", format!("a vector of {}", y.len()), x.len()));
    }
    let code = combination(function)?;
    if stream.gpu().is_none() {
        crate::cpu::linalg::map::combine(function, x.values()?, y.values_mut()?);
        return Ok(());
    }
    run(stream, code, Some(x.store()?), (y.store()?, y.len()))
}

/// The same for two matrices of one shape, n×d.
pub fn combine_matrices(stream: &mut Stream, function: Combine, x: &DeviceMatrix, y: &mut DeviceMatrix) -> Result<()> {
    x.complete_on(stream, "combine")?;
    y.complete_on(stream, "combine")?;
    if (x.rows(), x.columns()) != (y.rows(), y.columns()) {
        let shape = |matrix: &DeviceMatrix| format!("{}×{}", matrix.rows(), matrix.columns());
        return Err(Error::shape("combine", shape(y), shape(x)));
    }
    let code = combination(function)?;
    if stream.gpu().is_none() {
        crate::cpu::linalg::map::combine(function, x.values()?, y.values_mut()?);
        return Ok(());
    }
    run(stream, code, Some(x.store()?), (y.store()?, y.rows()))
}

fn combination(function: Combine) -> Result<Code> {
    let code = match function {
        Combine::Sum(a, b) => (4, a, b),
        Combine::Product => (5, 0.0, 0.0),
        Combine::Minimum => (6, 0.0, 0.0),
        Combine::Maximum => (7, 0.0, 0.0),
        Combine::Quotient(floor) if floor > 0.0 => (8, floor, 0.0),
        Combine::Quotient(floor) => return Err(Error::param("Quotient", "a divisor above 0", floor)),
    };
    check_finite("combine", code)?;
    Ok(code)
}

/// y ← a·x + y.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = DeviceVec::from_slice(&[1.0_f32, 2.0], &Device::Cpu)?;
/// let mut y = DeviceVec::from_slice(&[10.0_f32, 20.0], &Device::Cpu)?;
/// ops::axpy(&mut stream, 3.0, &x, &mut y)?;
/// assert_eq!(y.to_vec(&mut stream)?, [13.0, 26.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn axpy(stream: &mut Stream, a: f32, x: &DeviceVec<f32>, y: &mut DeviceVec<f32>) -> Result<()> {
    combine(stream, Combine::Sum(a, 1.0), x, y)
}

fn check_finite(op: &'static str, (_, a, b): Code) -> Result<()> {
    if a.is_finite() && b.is_finite() {
        return Ok(());
    }
    Err(Error::param(op, "finite numbers".to_string(), format!("{a} and {b}")))
}

/// The padding of rows is 0 on both sides, and every combination of zeros is 0.
fn run(
    stream: &mut Stream,
    (function, a, b): Code,
    x: Option<&RowStore>,
    (to, rows): (&RowStore, usize),
) -> Result<()> {
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let stride = to.stride();
    let per_block = RowStore::block_rows(&recording.gpu, 2 * stride as u64, 8 * stride as u64, BLOCK);
    for range in blocks(rows, per_block) {
        let target = to.target(recording, range.clone(), true)?;
        let other = match x {
            Some(x) => x.view(recording, range.clone())?,
            // Something has to be bound, and what is written is bound once.
            None => crate::array::View::whole(recording.scratch(16, "nothing")?),
        };
        let vec4s = (range.len() * stride).div_ceil(4) as u32;
        let (x_first, y_first) = (other.first_word() / 4, target.view.first_word() / 4);
        let params = Params { vec4s, x_first, y_first, function, a, b };
        let count = (range.len() * stride) as u64;
        let work = Work { operations: 3 * count, bytes: (8 + 4 * u64::from(x.is_some())) * count };
        let buffers = &[other.buffer(), target.view.buffer()];
        let dispatch = Dispatch::new(&params, buffers, Grid::covering(u64::from(vec4s), 256)?, work);
        recording.dispatch(&KERNEL, dispatch.overrides(&[("IN_PLACE", u32::from(x.is_none()))]))?;
        to.commit(recording, target)?;
    }
    Ok(())
}
