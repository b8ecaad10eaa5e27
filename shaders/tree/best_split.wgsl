// What the best split of a node by a feature gains, in f32 from the exact sums: a lower and an upper bound.
// A team of TEAM lanes takes a node and a feature: each adds a stretch of bins, hears of the others', and tries each bin.
// The bounds only shortlist: the host settles the winner in f64.
//#import tree_searches
//#import wide
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> slots: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> bounds: array<vec2<f32>>;

const TEAM = 32u;

var<workgroup> stretches: array<vec4<u32>, 64>;
var<workgroup> team_bounds: array<vec2<f32>, 64>;

const NO_DEFAULT = 0xffffffffu;

// The rounding of one score is at most 20·2⁻²³ of (Σg)²/(Σh + λ); this is three times that.
const ROUNDING = 7.62939453125e-06;

struct Rules {
    l1: f32,
    l2: f32,
    min_count: u32,
    min_hessian: vec2<u32>,
}

fn negative(a: vec2<u32>) -> vec2<u32> {
    return wide_add(~a, vec2(1u, 0u));
}

fn plus(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return vec4(wide_add(a.xy, b.xy), wide_add(a.zw, b.zw));
}

fn minus(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return vec4(wide_add(a.xy, negative(b.xy)), wide_add(a.zw, negative(b.zw)));
}

fn number(a: vec2<u32>) -> f32 {
    return f32(a.y) * 4294967296.0 + f32(a.x);
}

// The Hessian stands above 26 bits of count.
fn hessian(sums: vec4<u32>) -> vec2<u32> {
    return vec2((sums.z >> 26u) | (sums.w << 6u), sums.w >> 26u);
}

fn count(sums: vec4<u32>) -> u32 {
    return sums.z & 0x3ffffffu;
}

fn allowed(child: vec4<u32>, rules: Rules) -> bool {
    let weight = hessian(child);
    let least = rules.min_hessian;
    let heavy = weight.y > least.y || (weight.y == least.y && weight.x >= least.x);
    return count(child) >= rules.min_count && heavy;
}

// (|Σg| − l1)²/(Σh + l2), and the same without l1, of which the error is a share.
fn score(sums: vec4<u32>, rules: Rules) -> vec2<f32> {
    let is_negative = sums.y >= 0x80000000u;
    let size = number(select(sums.xy, negative(sums.xy), is_negative));
    let below = number(hessian(sums)) + rules.l2;
    let kept = max(size - rules.l1, 0.0);
    if (below > 0.0) {
        return vec2(kept * kept / below, size * size / below);
    }
    return vec2(0.0, 0.0);
}

fn tried(bounds: vec2<f32>, left: vec4<u32>, node: vec4<u32>, whole: vec2<f32>, rules: Rules) -> vec2<f32> {
    let right = minus(node, left);
    if (allowed(left, rules) && allowed(right, rules)) {
        let scores = score(left, rules) + score(right, rules);
        let gain = scores.x - whole.x;
        let error = ROUNDING * (scores.y + whole.y);
        return max(bounds, vec2(gain - error, gain + error));
    }
    return bounds;
}

// The sums of a bin; that of the default has no cell and is the rest of the node.
fn bin_sums(bin: u32, first: u32, default_bin: u32, rest: vec4<u32>) -> vec4<u32> {
    if (bin == default_bin) {
        return rest;
    }
    return slots[first + bin - select(0u, 1u, bin > default_bin)];
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let wanted = (group.y * groups.x + group.x) * (64u / TEAM) + lane / TEAM;
    let task = params.tasks_first + 2u * min(wanted, params.tasks - 1u);
    let search = SEARCH_WORDS * plan[task];
    let feature = features[plan[task + 1u]];
    let node = vec4(plan[search + 4u], plan[search + 5u], plan[search + 6u], plan[search + 7u]);
    let least_hessian = vec2(plan[search + 11u], plan[search + 12u]);
    let rules = Rules(bitcast<f32>(plan[search + 8u]), bitcast<f32>(plan[search + 9u]), plan[search + 10u], least_hessian);
    let first = plan[search] * params.cells + feature.x;
    let bins = feature.y;
    let all = feature.y + feature.z;
    let default_bin = feature.w;
    let member = lane % TEAM;
    let stretch = (all + TEAM - 1u) / TEAM;
    let begin = min(member * stretch, all);
    let end = min(begin + stretch, all);
    var left = vec4<u32>();
    var rest = vec4<u32>();
    for (var bin = begin; bin < end; bin += 1u) {
        if (bin != default_bin) {
            rest = plus(rest, slots[first + bin - select(0u, 1u, bin > default_bin)]);
        }
    }
    stretches[lane] = rest;
    workgroupBarrier();
    rest = vec4<u32>();
    for (var other = 0u; other < TEAM; other += 1u) {
        if (other == member) {
            left = rest;
        }
        rest = plus(rest, stretches[lane - member + other]);
    }
    rest = minus(node, rest);
    if (default_bin < begin) {
        left = plus(left, rest);
    }
    var missing = vec4<u32>();
    if (feature.z == 1u) {
        missing = bin_sums(bins, first, default_bin, rest);
    }
    let has_missing = count(missing) > 0u;
    // The split after the last bin parts present from missing values.
    var last = bins;
    if (!has_missing) {
        last = max(bins, 1u) - 1u;
    }
    let whole = score(node, rules);
    var found = vec2(NOTHING, NOTHING);
    for (var bin = begin; bin < min(end, last); bin += 1u) {
        left = plus(left, bin_sums(bin, first, default_bin, rest));
        found = tried(found, left, node, whole, rules);
        if (has_missing) {
            found = tried(found, plus(left, missing), node, whole, rules);
        }
    }
    team_bounds[lane] = found;
    workgroupBarrier();
    for (var other = 0u; other < TEAM; other += 1u) {
        found = max(found, team_bounds[lane - member + other]);
    }
    if (member == 0u && wanted < params.tasks) {
        bounds[wanted] = found;
    }
    mark_done(lane);
}
