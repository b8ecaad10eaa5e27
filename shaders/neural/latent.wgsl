// The latent layer of a variational autoencoder. Its inputs are means and, behind them, logarithms of variances.
// MODE 0 draws the values, mean + e^(½·log variance)·normal; 1 turns slopes by the values into slopes by the inputs, those of
// the Kullback–Leibler divergence added; 2 adds the divergence of groups of rows to sums of losses. A lane takes four values.
//#import elementary
//#import normals
//#import status
//#import wide
struct Params {
    rows: u32,
    columns: u32,
    stride: u32,
    input_stride: u32,
    step: u32,
    key_low: u32,
    key_high: u32,
    draws: u32,
    together: u32,
    groups: u32,
    sums_first: u32,
    scale: f32,
}

override MODE: u32 = 0u;
const LATENT_STREAM = 0x4e440010u;
const MOST_SPREAD = 20.0;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> inputs: array<f32>;
@group(0) @binding(2) var<storage, read> slopes: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

var<workgroup> parts: array<f32, 256>;

// A variance by its logarithm.
fn held_power(spread: f32) -> f32 {
    return exponential(clamp(spread, -MOST_SPREAD, MOST_SPREAD));
}

fn normals_of(item: u32) -> vec4<f32> {
    let numbers = philox_of(vec4(item, params.step, LATENT_STREAM, 0u), vec2(params.key_low, params.key_high));
    return vec4(normal_pair(numbers.x, numbers.y), normal_pair(numbers.z, numbers.w));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (MODE == 2u) {
        if (at < params.groups) {
            let first = at * params.together;
            let last = min(first + params.together, params.rows);
            var sum = 0.0;
            for (var item = lane; item < (last - first) * params.columns; item += 256u) {
                let place = (first + item / params.columns) * params.input_stride + item % params.columns;
                let mean = inputs[place];
                let spread = inputs[place + params.columns];
                sum += 0.5 * (mean * mean + held_power(spread) - 1.0 - spread);
            }
            parts[lane] = sum;
            for (var half = 128u; half > 0u; half = half / 2u) {
                workgroupBarrier();
                if (lane < half) {
                    parts[lane] += parts[lane + half];
                }
            }
            workgroupBarrier();
            if (lane == 0u) {
                out[2u * (params.sums_first + at)] += parts[0];
            }
        }
    } else {
        let item = at * 256u + lane;
        let vec4s = params.stride / 4u;
        if (item < params.rows * vec4s) {
            let row = item / vec4s;
            var normals = vec4<f32>();
            if (params.draws == 1u) {
                normals = normals_of(item);
            }
            for (var part = 0u; part < 4u; part += 1u) {
                let column = 4u * (item % vec4s) + part;
                if (column < params.columns) {
                    let place = row * params.input_stride + column;
                    let mean = inputs[place];
                    let spread = inputs[place + params.columns];
                    let deviation = sqrt(held_power(spread));
                    if (MODE == 0u) {
                        out[4u * item + part] = mean + deviation * normals[part];
                    } else {
                        let slope = slopes[4u * item + part];
                        let of_spread = 0.5 * (deviation * deviation - 1.0);
                        out[place] = slope + params.scale * mean;
                        out[place + params.columns] = 0.5 * slope * deviation * normals[part] + params.scale * of_spread;
                    }
                }
            }
        }
    }
    mark_done(lane);
}
