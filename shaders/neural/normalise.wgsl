// Layer and batch normalisation: tail(scale·(x − mean)/deviation + shift), and slopes by the inputs.
// A lane takes four numbers of a row. A set of numbers shares a mean: the channels of a place, or a channel of all rows.
// The slopes are freed of what moves with the mean and the deviation, the sums of normalise__sums.
//#import layer_tail
//#import status
struct Params {
    vec4s: u32,
    row_vec4s: u32,
    places: u32,
    channels: u32,
    scales: u32,
    shifts: u32,
    means: u32,
    variances: u32,
    epsilon: f32,
    drop_scale: f32,
    drop_kept: f32,
    drop_threshold: u32,
    drop_step: u32,
    key_low: u32,
    key_high: u32,
}

// 0 values, 1 slopes.
override BACK: u32 = 0u;
// 1: a channel of all rows shares a mean.
override BATCH: u32 = 0u;
// 1: means and variances are those that parameters keep.
override RUNNING: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> slopes: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> parameters: array<f32>;
@group(0) @binding(4) var<storage, read> statistics: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> sums: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4<f32>>;

fn dropped() -> Drop {
    let key = vec2(params.key_low, params.key_high);
    return Drop(params.drop_scale, params.drop_kept, params.drop_threshold, params.drop_step, key);
}

fn number(row: u32, at: u32, value: f32, slope: f32) -> f32 {
    let channel = at % params.channels;
    let place = at / params.channels;
    if (place >= params.places) {
        return 0.0;
    }
    let own = select(row * params.places + place, channel, BATCH == 1u);
    var known = vec2<f32>();
    if (RUNNING == 1u) {
        known = vec2(
            parameters[params.means + channel],
            1.0 / sqrt(parameters[params.variances + channel] + params.epsilon),
        );
    } else {
        known = statistics[own];
    }
    let normalised = (value - known.x) * known.y;
    let scale = parameters[params.scales + channel];
    if (BACK == 1u) {
        return known.y * (scale * slope - sums[own].y - normalised * sums[own].x);
    }
    return scale * normalised + parameters[params.shifts + channel];
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (at < params.vec4s) {
        let row = at / params.row_vec4s;
        let first = 4u * (at % params.row_vec4s);
        let value = x[at];
        let slope = slopes[at];
        let made = vec4(
            number(row, first, value.x, slope.x),
            number(row, first + 1u, value.y, slope.y),
            number(row, first + 2u, value.z, slope.z),
            number(row, first + 3u, value.w, slope.w),
        );
        if (BACK == 1u) {
            out[at] = tail_backward(dropped(), at, made, value);
        } else {
            let inside = vec4(first) + vec4(0u, 1u, 2u, 3u) < vec4(params.places * params.channels);
            out[at] = select(vec4<f32>(), tail_forward(dropped(), at, made), inside);
        }
    }
    mark_done(lane);
}
