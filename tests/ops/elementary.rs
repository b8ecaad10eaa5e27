//! The functions of `shaders/lib/elementary.wgsl` against f64, where WGSL's own go wrong too: the errors they state.

use crate::support::{baseline, gpu, numbers};
use gristmill::device::Dispatch;
use gristmill::kernel::{Access, Field, Grid, Kernel, Work};
use gristmill::prelude::*;

/// Values that one dispatch takes: 64 lanes, 1024 groups.
const COUNT: usize = 1 << 16;

/// A kernel that applies one function to every value; `call` is an expression in `v`.
fn kernel(name: &'static str, call: &str) -> Kernel {
    let source = format!(
        "//#import status
        //#import elementary
        struct Params {{ count: u32 }}
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read> x: array<f32>;
        @group(0) @binding(2) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(64)
        fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
            let at = group.x * 64u + lane;
            if (at < params.count) {{ let v = x[at]; out[at] = {call}; }}
            mark_done(lane);
        }}"
    );
    Kernel {
        name,
        source: source.leak(),
        buffers: &[Access::Read, Access::Write],
        params: &[Field { name: "count", offset: 0 }],
        params_size: 16,
    }
}

fn apply(device: &Device, kernel: &Kernel, x: &[f32]) -> Vec<f32> {
    let mut stream = device.stream();
    let input = DeviceVec::from_slice(x, device).unwrap();
    let output = DeviceVec::<f32>::unwritten(&mut stream, x.len()).unwrap();
    let (from, to) = (input.view(&mut stream).unwrap(), output.view(&mut stream).unwrap());
    let params = [x.len() as u32, 0, 0, 0];
    let dispatch = Dispatch {
        params: bytemuck::cast_slice(&params),
        buffers: &[from.buffer(), to.buffer()],
        grid: Grid::covering(x.len() as u64, 64).unwrap(),
        overrides: &[],
        work: Work::default(),
    };
    stream.dispatch(kernel, dispatch).unwrap();
    output.to_vec(&mut stream).unwrap()
}

/// The error is at most `relative` of the exact value plus `absolute`, for every value of `x`, on both devices. Denormals
/// may be flushed to zero: SwiftShader and many cards do.
fn check(name: &'static str, call: &str, exact: fn(f64) -> f64, x: &[f32], relative: f64, absolute: f64) {
    let kernel = kernel(name, call);
    for device in [gpu(), baseline()] {
        for (x, found) in x.iter().zip(apply(device, &kernel, x)) {
            let wanted = exact(*x as f64);
            let error = (found as f64 - wanted).abs();
            let flushed = f64::from(f32::MIN_POSITIVE);
            assert!(error <= relative * wanted.abs() + absolute + flushed, "{name}({x:e}) = {found:e} for {wanted:e}");
        }
    }
}

/// Values spread evenly over a range, and then ever closer to 0 from both sides where the range has it inside.
fn spread(low: f32, high: f32) -> Vec<f32> {
    let even = numbers(COUNT / 2, 1).into_iter().map(|u| low + (high - low) * (0.5 * u + 0.5));
    let near_zero = (0..COUNT / 2).map(|at| {
        let size = 2.0_f32.powf(-(at as f32) / 256.0) * high.abs().max(low.abs());
        if at % 2 == 0 { size } else { -size }
    });
    even.chain(near_zero.filter(|x| (low..=high).contains(x))).collect()
}

const EPS: f64 = 1.0 / (1u64 << 24) as f64;

#[test]
fn logarithms_are_right_near_one_and_far_from_it() {
    let near_one: Vec<f32> =
        (0..COUNT as i32).map(|at| f32::from_bits((1.0_f32.to_bits() as i32 + at - 32_768) as u32)).collect();
    check("logarithm2", "logarithm2(v)", f64::log2, &near_one, 8.0 * EPS, 0.0);
    let all: Vec<f32> = numbers(COUNT, 2).into_iter().map(|u| 2.0_f32.powf(125.0 * u)).collect();
    check("logarithm2", "logarithm2(v)", f64::log2, &all, 8.0 * EPS, 0.0);
    check("logarithm", "logarithm(v)", f64::ln, &all, 8.0 * EPS, 0.0);
}

#[test]
fn exponentials_are_right_over_the_whole_range() {
    check("exponential", "exponential(v)", f64::exp, &spread(-87.0, 88.0), 8.0 * EPS, 0.0);
    check("power_of_2", "power_of_2(v)", f64::exp2, &spread(-125.0, 126.0), 8.0 * EPS, 0.0);
}

#[test]
fn log1p_keeps_what_one_plus_x_would_lose() {
    check("log1p", "log1p(v)", f64::ln_1p, &spread(-0.999, 1000.0), 10.0 * EPS, 0.0);
    check("log1p", "log1p(v)", f64::ln_1p, &spread(-1e-3, 1e-3), 10.0 * EPS, 0.0);
}

#[test]
fn softplus_neither_overflows_nor_vanishes() {
    let exact = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    check("softplus", "softplus(v)", exact, &spread(-85.0, 1000.0), 16.0 * EPS, 0.0);
    check("softplus", "softplus(v)", exact, &spread(-20.0, 20.0), 16.0 * EPS, 0.0);
}

#[test]
fn the_logistic_function_is_right_in_both_tails() {
    check("logistic", "logistic(v)", |x| 1.0 / (1.0 + (-x).exp()), &spread(-85.0, 85.0), 12.0 * EPS, 0.0);
}

#[test]
fn the_hyperbolic_tangent_is_right_near_zero() {
    check("hyperbolic_tangent", "hyperbolic_tangent(v)", f64::tanh, &spread(-1.0, 1.0), 12.0 * EPS, 0.0);
    check("hyperbolic_tangent", "hyperbolic_tangent(v)", f64::tanh, &spread(-100.0, 100.0), 12.0 * EPS, 0.0);
}

#[test]
fn sums_of_exponentials_survive_large_arguments() {
    let pair = |x: f64| x.max(3.0) + (-(x - 3.0).abs()).exp().ln_1p();
    check("log_add_exp", "log_add_exp(v, 3.0)", pair, &spread(-500.0, 500.0), 8.0 * EPS, 8.0 * EPS);
    let four = |x: f64| {
        let terms = [x, x + 1.0, 0.5 * x, -x];
        let largest = terms.into_iter().fold(f64::MIN, f64::max);
        largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
    };
    let call = "log_sum_exp(vec4(v, v + 1.0, 0.5 * v, -v))";
    check("log_sum_exp", call, four, &spread(-500.0, 500.0), 8.0 * EPS, 8.0 * EPS);
}

#[test]
fn powers_keep_zero_and_their_digits() {
    let x: Vec<f32> = numbers(COUNT, 3).into_iter().map(|u| 2.0_f32.powf(20.0 * u)).chain([0.0]).collect();
    // The logarithm's error grows with its size when it is raised again: 2.5 · 20 · ln 2.
    check("power4", "power4(vec4(v), 2.5).x", |x| x.powf(2.5), &x, 200.0 * EPS, 0.0);
}

#[test]
fn sine_and_cosine_are_right_within_an_eighth_of_a_turn() {
    let quarter = std::f32::consts::FRAC_PI_4;
    check("sine", "sine_cosine(v).x", f64::sin, &spread(-quarter, quarter), 4.0 * EPS, 0.0);
    check("cosine", "sine_cosine(v).y", f64::cos, &spread(-quarter, quarter), 4.0 * EPS, 0.0);
}
