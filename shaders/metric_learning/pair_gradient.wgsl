// For each row, its pairs with chosen other rows: how much each counts in the gradient of a metric's loss, and the loss.
// A workgroup takes a row: 32 lanes make the squared distance of a pair, eight pairs at a time; then a lane a pair compares them.
// The first PULLS others are pulled closer, the rest pushed away; a row that is its own other stands for none.
//#import status
struct Params {
    rows: u32,
    vec4s: u32,
    pulls: u32,
    pairs: u32,
    loss: u32,
    z_first: u32,
    other_first: u32,
    weight_first: u32,
    loss_first: u32,
    pull: f32,
    push: f32,
    near: f32,
    far: f32,
    first: u32,
    count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> z: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> others: array<u32>;
@group(0) @binding(3) var<storage, read_write> weights: array<f32>;
@group(0) @binding(4) var<storage, read_write> losses: array<f32>;

const TEAM = 32u;
const MOST_PAIRS = 256u;

var<workgroup> partial: array<f32, 256>;
var<workgroup> distances: array<f32, 256>;
var<workgroup> there: array<u32, 256>;

// Squared distances of eight pairs.
fn measure(row: u32, first: u32, lane: u32) {
    let pair = first + lane / TEAM;
    let other = others[params.other_first + row * params.pairs + min(pair, params.pairs - 1u)];
    var sum = 0.0;
    for (var at = lane % TEAM; at < params.vec4s; at += TEAM) {
        let apart = z[params.z_first + row * params.vec4s + at] - z[params.z_first + min(other, params.rows - 1u) * params.vec4s + at];
        sum += dot(apart, apart);
    }
    partial[lane] = sum;
    for (var half = TEAM / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane % TEAM < half) {
            partial[lane] += partial[lane + half];
        }
    }
    if (lane % TEAM == 0u && pair < params.pairs) {
        distances[pair] = partial[lane];
        there[pair] = select(1u, 0u, other == row);
    }
    workgroupBarrier();
}

// Triplets: pull·d of those to be near, and push·max(0, margin + d(near) − d(far)) of each of these with each to be far.
fn of_triplets(pair: u32) -> vec2<f32> {
    let own = distances[pair];
    if (pair < params.pulls) {
        var weight = params.pull;
        var loss = params.pull * own;
        for (var far = params.pulls; far < params.pairs; far += 1u) {
            let short = params.near + own - distances[far];
            if (there[far] == 1u && short > 0.0) {
                weight += params.push;
                loss += params.push * short;
            }
        }
        return vec2(weight, loss);
    }
    var weight = 0.0;
    for (var near = 0u; near < params.pulls; near += 1u) {
        if (there[near] == 1u && params.near + distances[near] - own > 0.0) {
            weight -= params.push;
        }
    }
    return vec2(weight, 0.0);
}

// Pairs: pull·max(0, d − near) of those to be near, push·max(0, far − d) of those to be far.
fn of_pairs(pair: u32) -> vec2<f32> {
    let own = distances[pair];
    if (pair < params.pulls) {
        return select(vec2<f32>(), vec2(params.pull, params.pull * (own - params.near)), own > params.near);
    }
    return select(vec2<f32>(), vec2(-params.push, params.push * (params.far - own)), own < params.far);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.count) {
        let row = params.first + at;
        for (var first = 0u; first < params.pairs; first += 256u / TEAM) {
            measure(row, first, lane);
        }
        var loss = 0.0;
        if (lane < params.pairs) {
            var found = vec2<f32>();
            if (there[lane] == 1u) {
                if (params.loss == 0u) {
                    found = of_triplets(lane);
                } else {
                    found = of_pairs(lane);
                }
            }
            weights[params.weight_first + row * params.pairs + lane] = found.x;
            loss = found.y;
        }
        partial[lane] = loss;
        for (var half = 128u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                partial[lane] += partial[lane + half];
            }
        }
        if (lane == 0u) {
            losses[params.loss_first + row] = partial[0];
        }
    }
    mark_done(lane);
}
