//! The elementary functions of the shaders against f64, with the errors that they state.

use super::{Found, numbers};
use crate::array::DeviceVec;
use crate::device::self_test::{ELEMENTARY_CHECK, ElementaryParams};
use crate::device::{Device, Dispatch};
use crate::error::Result;
use crate::kernel::{Grid, Work};

const COUNT: usize = 4096;
const EPSILON: f64 = 1.0 / (1 << 24) as f64;

/// The name of a function, its value at `u` as the shader scales it, and the largest error in 2⁻²⁴ of the value: that of
/// tests/ops/elementary.rs, and five more for each division, which WGSL lets be wrong by two and a half last places.
type Function = (&'static str, fn(f64) -> f64, f64);

/// Arguments are scaled in f32 as in the shader, so that only the function itself is judged.
fn scaled(factor: f32, u: f64) -> f64 {
    f64::from(factor * u as f32)
}

const FUNCTIONS: &[Function] = &[
    ("exponential", |u| scaled(87.0, u).exp(), 8.0),
    ("power of 2", |u| scaled(125.0, u).exp2(), 8.0),
    ("logarithm", |u| f64::from(1.5 + u as f32).ln(), 13.0),
    ("log1p", |u| scaled(0.9, u).ln_1p(), 15.0),
    ("logistic", |u| 1.0 / (1.0 + (-scaled(80.0, u)).exp()), 17.0),
    ("hyperbolic tangent", |u| scaled(5.0, u).tanh(), 22.0),
    ("sine", |u| scaled(0.78, u).sin(), 4.0),
    ("cosine", |u| scaled(0.78, u).cos(), 4.0),
];

pub(super) fn functions(device: &Device) -> Result<Found> {
    if let Device::Cpu = device {
        return Ok(Ok("no driver".to_string()));
    }
    let mut stream = device.stream();
    // Also ever closer to 0, where 1 + x would lose everything.
    let near_zero = (0..COUNT / 4).map(|at| (-(at as f32) / 16.0).exp2() * if at % 2 == 0 { 0.5 } else { -0.5 });
    let x: Vec<f32> = numbers(COUNT - COUNT / 4, 7).into_iter().chain(near_zero).collect();
    let input = DeviceVec::from_slice(&x, device)?;
    let output = DeviceVec::<f32>::unwritten(&mut stream, FUNCTIONS.len() * COUNT)?;
    let (from, to) = (input.view(&mut stream)?, output.view(&mut stream)?);
    let params = ElementaryParams { count: COUNT as u32 };
    let work = Work { operations: 400 * COUNT as u64, bytes: 0 };
    let grid = Grid::covering(COUNT as u64, 64)?;
    stream.dispatch(&ELEMENTARY_CHECK, Dispatch::new(&params, &[from.buffer(), to.buffer()], grid, work))?;
    Ok(judge(&x, &output.to_vec(&mut stream)?))
}

fn judge(x: &[f32], found: &[f32]) -> Found {
    let mut worst = (0.0_f64, "", 0.0_f32);
    for ((name, exact, most), values) in FUNCTIONS.iter().zip(found.chunks(x.len())) {
        for (u, value) in x.iter().zip(values) {
            let wanted = exact(f64::from(*u));
            let error = (f64::from(*value) - wanted).abs() / (EPSILON * wanted.abs().max(f64::MIN_POSITIVE));
            if error / most > worst.0 {
                worst = (error / most, name, *u);
            }
            if wanted != 0.0 && error > *most {
                return Err(format!("{name}({u:e}) is off by {error:.1}·2⁻²⁴ of itself; at most {most}"));
            }
        }
    }
    let (share, name, _) = worst;
    Ok(format!("{} functions; nearest to its bound is {name}, {:.0} % of it", FUNCTIONS.len(), 100.0 * share))
}
