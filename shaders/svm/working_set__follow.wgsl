// The slopes of all variables follow what changed in a working set, and tell how far the solution is: extreme slopes, the mean
// of free ones, objective, duality gap. A workgroup takes 4096 variables, sixteen a lane, and adds up what its lanes have.
// The host adds the results of the workgroups in f64.
//#import status
struct Params {
    variables: u32,
    rows: u32,
    moved: u32,
    group_first: u32,
    offset_0: f32,
    offset_1: f32,
    sums_first: u32,
    sums_stride: u32,
    bounds_first: u32,
    beta_first: u32,
    slope_first: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Σ K·change for each row.
@group(0) @binding(1) var<storage, read> sums: array<f32>;
@group(0) @binding(2) var<storage, read> bounds: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> beta: array<f32>;
@group(0) @binding(4) var<storage, read_write> slope: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;

// Larger than any slope, and a bound that is none.
const FAR = 1.0e38;
const UNBOUNDED = 3.0e38;
const PER_LANE = 16u;

// Least slope that may rise and greatest that may fall, of both groups.
var<workgroup> extremes: array<vec4<f32>, 256>;
// Sum and number of the slopes between bounds, of both groups.
var<workgroup> frees: array<vec4<f32>, 256>;
// Objective, gap, and by how much a margin without slack falls short.
var<workgroup> totals: array<vec4<f32>, 256>;

// What a variable adds to the gap, and what it is short of where nothing bounds it.
fn own_gap(value: f32, own: f32, limits: vec4<f32>, offset: f32) -> vec2<f32> {
    let rest = own - limits.z * value - offset;
    var best = value;
    if (limits.z > 0.0) {
        best = clamp(-rest / limits.z, limits.x, limits.y);
    } else if (rest > 0.0) {
        best = limits.x;
    } else if (rest < 0.0) {
        best = limits.y;
    }
    let bounded = abs(best) < UNBOUNDED;
    let reached = select(value, best, bounded);
    let gap = 0.5 * limits.z * (value * value - reached * reached) + rest * (value - reached);
    return vec2(gap, select(abs(rest), 0.0, bounded));
}

fn joined(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4(min(a.x, b.x), max(a.y, b.y), min(a.z, b.z), max(a.w, b.w));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    var extreme = vec4(FAR, -FAR, FAR, -FAR);
    var free = vec4<f32>();
    var total = vec4<f32>();
    for (var turn = 0u; turn < PER_LANE; turn += 1u) {
        let at = (block * PER_LANE + turn) * 256u + lane;
        if (at < params.variables) {
            let limits = bounds[params.bounds_first + at];
            let value = beta[params.beta_first + at];
            var own = slope[params.slope_first + at];
            if (params.moved == 1u) {
                own += sums[params.sums_first + (at % params.rows) * params.sums_stride];
                slope[params.slope_first + at] = own;
            }
            let second = at >= params.group_first;
            let rises = value < limits.y;
            let falls = value > limits.x;
            let found = vec2(select(FAR, own, rises), select(-FAR, own, falls));
            let counted = select(vec2<f32>(), vec2(own, 1.0), rises && falls);
            extreme = joined(extreme, select(vec4(found, FAR, -FAR), vec4(FAR, -FAR, found), second));
            free += select(vec4(counted, 0.0, 0.0), vec4(0.0, 0.0, counted), second);
            let gap = own_gap(value, own, limits, select(params.offset_0, params.offset_1, second));
            total = vec4(total.x + 0.5 * value * (own + limits.w), total.y + gap.x, max(total.z, gap.y), 0.0);
        }
    }
    extremes[lane] = extreme;
    frees[lane] = free;
    totals[lane] = total;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            extremes[lane] = joined(extremes[lane], extremes[lane + half]);
            frees[lane] += frees[lane + half];
            let a = totals[lane];
            let b = totals[lane + half];
            totals[lane] = vec4(a.xy + b.xy, max(a.z, b.z), 0.0);
        }
    }
    if (lane == 0u && block * PER_LANE * 256u < params.variables) {
        let place = params.out_first + 3u * block;
        out[place] = extremes[0];
        out[place + 1u] = frees[0];
        // Behind the slopes stands the number of steps so far.
        let steps = select(0.0, slope[params.slope_first + params.variables], block == 0u);
        out[place + 2u] = vec4(totals[0].xyz, steps);
    }
    mark_done(lane);
}
