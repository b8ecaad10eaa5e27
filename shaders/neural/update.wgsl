// One step of a first-order optimiser over all parameters of a network, with L1 and L2 on weights and a clipped gradient.
// A lane moves one parameter; RULE says what a step makes of a gradient.
// One dispatch for all layers: parameters, gradients and what the rule remembers are flat vectors.
//#import status
struct Params {
    count: u32,
    ranges: u32,
    pieces: u32,
    rate: f32,
    kept: f32,
    added: f32,
    kept_square: f32,
    added_square: f32,
    spread: f32,
    epsilon: f32,
    shrink: f32,
    l1: f32,
    l2: f32,
    clip: f32,
}

override RULE: u32 = 0u;
// Whether there are sizes of the gradient by which it is clipped.
override CLIP: u32 = 0u;
const MOMENTUM = 1u;
const NESTEROV = 2u;
const ADAGRAD = 3u;
const RMS_PROP = 4u;
const ADAM = 5u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read> ranges: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> norms: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> parameters: array<f32>;
@group(0) @binding(5) var<storage, read_write> first: array<f32>;
@group(0) @binding(6) var<storage, read_write> second: array<f32>;

fn clipped() -> f32 {
    var square = 0.0;
    for (var piece = 0u; piece < params.pieces; piece += 1u) {
        square += norms[piece].x;
    }
    let norm = sqrt(square);
    return select(1.0, params.clip / max(norm, 1.0e-30), norm > params.clip);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 256u + lane;
    if (at < params.count) {
        let weight = parameters[at];
        var slope = gradient[at];
        if (CLIP == 1u) {
            slope *= clipped();
        }
        for (var range = 0u; range < params.ranges; range += 1u) {
            let ends = ranges[range];
            if (at >= ends.x && at < ends.y) {
                slope += params.l2 * weight + params.l1 * sign(weight);
            }
        }
        var step = params.rate * slope;
        if (RULE == MOMENTUM || RULE == NESTEROV) {
            let v = params.kept * first[at] + slope;
            first[at] = v;
            step = params.rate * select(v, slope + params.kept * v, RULE == NESTEROV);
        } else if (RULE == ADAGRAD || RULE == RMS_PROP) {
            let s = select(params.kept * first[at] + params.added * slope * slope, first[at] + slope * slope, RULE == ADAGRAD);
            first[at] = s;
            step = params.rate * slope / (sqrt(s) + params.epsilon);
        } else if (RULE == ADAM) {
            let m = params.kept * first[at] + params.added * slope;
            let s = params.kept_square * second[at] + params.added_square * slope * slope;
            first[at] = m;
            second[at] = s;
            step = params.rate * m / (sqrt(s * params.spread) + params.epsilon);
        }
        parameters[at] = params.shrink * weight - step;
    }
    mark_done(lane);
}
