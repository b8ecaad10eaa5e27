// The rows of a batch: inputs and targets of rows order[first], order[first + 1], …, with normal noise on the inputs.
// A lane moves four columns, of the inputs or, behind them, of the targets; neighbours move neighbouring columns.
// One dispatch for both, because a step is made of few dispatches.
//#import elementary
//#import normals
//#import status
//#import wide
struct Params {
    rows: u32,
    x_rows: u32,
    x_first: u32,
    x_vec4s: u32,
    y_first: u32,
    y_vec4s: u32,
    order_first: u32,
    step: u32,
    key_low: u32,
    key_high: u32,
    columns: u32,
    deviation: f32,
}

const NOISE_STREAM = 0x4e440002u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> x_out: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> y_out: array<vec4<f32>>;

fn noise(item: u32) -> vec4<f32> {
    let numbers = philox_of(vec4(item, params.step, NOISE_STREAM, 0u), vec2(params.key_low, params.key_high));
    return vec4(normal_pair(numbers.x, numbers.y), normal_pair(numbers.z, numbers.w));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    let inputs = params.rows * params.x_vec4s;
    if (at < inputs) {
        let row = min(order[params.order_first + at / params.x_vec4s], params.x_rows - 1u);
        let vec4_index = at % params.x_vec4s;
        var value = x[params.x_first + row * params.x_vec4s + vec4_index];
        if (params.deviation > 0.0) {
            let inside = vec4(4u * vec4_index) + vec4(0u, 1u, 2u, 3u) < vec4(params.columns);
            value += select(vec4<f32>(), params.deviation * noise(at), inside);
        }
        x_out[at] = value;
    } else if (at - inputs < params.rows * params.y_vec4s) {
        let item = at - inputs;
        let row = min(order[params.order_first + item / params.y_vec4s], params.x_rows - 1u);
        y_out[item] = y[params.y_first + row * params.y_vec4s + item % params.y_vec4s];
    }
    mark_done(lane);
}
