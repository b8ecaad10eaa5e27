// Moves each centre by its sum over its count, adds up the squared shifts, and keeps the history of the iterations.
// One workgroup: a centre's move is a few additions, and the decisions below need all of them.
// An iteration whose labels did not change, that left a cluster empty, or that follows such a one moves nothing; so
// the host may record several iterations at once and look afterwards when the first of them ended the search.
//#import status
struct Params {
    clusters: u32,
    vec4s: u32,
    center_first: u32,
    sum_first: u32,
    count_first: u32,
    iteration: u32,
    compares: u32,
    leave_empty: u32,
    tolerance: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> counts: array<f32>;
@group(0) @binding(3) var<storage, read_write> centers: array<vec4<f32>>;
// Four words an iteration: labels changed, squared shift, what came of it, unused.
@group(0) @binding(4) var<storage, read_write> history: array<u32>;

const MOVED = 0u;
const UNCHANGED = 1u;
const EMPTY = 2u;
const WITHIN_TOLERANCE = 3u;
const OVER = 4u;

var<workgroup> partial: array<f32, 256>;
var<workgroup> empty: array<u32, 256>;

fn outcome_before(empties: u32) -> u32 {
    let at = 4u * params.iteration;
    if (params.iteration > 0u && history[max(at, 4u) - 2u] != MOVED) {
        return OVER;
    }
    if (params.compares == 1u && history[at] == 0u) {
        return UNCHANGED;
    }
    return select(MOVED, EMPTY, empties > 0u && params.leave_empty == 0u);
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    var mine = 0u;
    for (var cluster = lane; cluster < params.clusters; cluster += 256u) {
        mine += select(0u, 1u, counts[params.count_first + cluster] <= 0.0);
    }
    empty[lane] = mine;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            empty[lane] += empty[lane + half];
        }
    }
    workgroupBarrier();
    let before = outcome_before(empty[0]);
    var shift = 0.0;
    if (before == MOVED) {
        for (var item = lane; item < params.clusters * params.vec4s; item += 256u) {
            let count = counts[params.count_first + item / params.vec4s];
            let old = centers[params.center_first + item];
            let new_center = select(old, old + sums[params.sum_first + item] / count, count > 0.0);
            centers[params.center_first + item] = new_center;
            let moved = new_center - old;
            shift += dot(moved, moved);
        }
    }
    partial[lane] = shift;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            partial[lane] += partial[lane + half];
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        let at = 4u * params.iteration;
        let ends = before == MOVED && partial[0] <= params.tolerance;
        history[at + 1u] = bitcast<u32>(partial[0]);
        history[at + 2u] = select(before, WITHIN_TOLERANCE, ends);
    }
    mark_done(lane);
}
