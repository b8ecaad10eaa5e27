// The functions of lib/elementary.wgsl, one after the other, of every value: what doctor compares with f64.
// A lane takes a value. Each function gets the argument in the range that it is for.
// It runs on the user's driver, whose compiler may contract, reorder and divide as it likes.
//#import status
//#import elementary
struct Params {
    count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = group.x * 64u + lane;
    if (at < params.count) {
        // u lies in −1 to 1.
        let u = x[at];
        let n = params.count;
        out[at] = exponential(87.0 * u);
        out[n + at] = power_of_2(125.0 * u);
        out[2u * n + at] = logarithm(1.5 + u);
        out[3u * n + at] = log1p(0.9 * u);
        out[4u * n + at] = logistic(80.0 * u);
        out[5u * n + at] = hyperbolic_tangent(5.0 * u);
        let circle = sine_cosine(0.78 * u);
        out[6u * n + at] = circle.x;
        out[7u * n + at] = circle.y;
    }
    mark_done(lane);
}
