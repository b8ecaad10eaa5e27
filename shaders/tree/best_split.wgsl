// The best split of a node by a feature, from the exact sums: in f32 what may be best, then in f64 what is.
// A team of TEAM lanes takes a node and a feature: each adds a stretch of bins, hears of the others', and tries each bin.
// f64 is made of integers (lib/double), so that gains, and what wins by them, are the host's to the bit.
//#import tree_searches
//#import wide
//#import double
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> slots: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> found: array<vec4<u32>>;

const TEAM = 32u;

var<workgroup> stretches: array<vec4<u32>, 64>;
var<workgroup> team_bounds: array<f32, 64>;
var<workgroup> team_best: array<vec4<u32>, 64>;
var<workgroup> team_left: array<vec4<u32>, 64>;

// Less than any bound.
const NOTHING = -3.0e38;
// A gain below this share of the children's scores is rounding: 1e-12.
const LEAST_SHARE = vec2(0x812dea11u, 0x3d719799u);
const TWO = vec2(0u, 0x40000000u);

const NO_DEFAULT = 0xffffffffu;

// The rounding of one score is at most 20·2⁻²³ of (Σg)²/(Σh + λ); this is three times that.
const ROUNDING = 7.62939453125e-06;

struct Rules {
    // In units of the sums.
    l1: f32,
    l2: f32,
    min_count: u32,
    min_hessian: vec2<u32>,
    // In f64: what one unit of the gradients and Hessians stands for, l1 and l2, the least gain.
    gradient_unit: vec2<u32>,
    hessian_unit: vec2<u32>,
    exact_l1: vec2<u32>,
    exact_l2: vec2<u32>,
    min_gain: vec2<u32>,
    // The smallest and the largest value of the node's leaves, where features have directions.
    low: vec2<u32>,
    high: vec2<u32>,
    is_monotone: bool,
    // 1 where values must not fall with the feature, 2 where they must not rise.
    direction: u32,
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

// What a split gains with these rows on its left: a lower and an upper bound, by the scores in f32.
fn bounds_of(left: vec4<u32>, node: vec4<u32>, whole: vec2<f32>, rules: Rules) -> vec2<f32> {
    let right = minus(node, left);
    if (allowed(left, rules) && allowed(right, rules)) {
        let scores = score(left, rules) + score(right, rules);
        let gain = scores.x - whole.x;
        let error = ROUNDING * (scores.y + whole.y);
        return vec2(gain - error, gain + error);
    }
    return vec2(NOTHING, NOTHING);
}

// Σ gradient in f64.
fn exact_gradient(sums: vec4<u32>, rules: Rules) -> vec2<u32> {
    let is_negative = sums.y >= 0x80000000u;
    let size = double_of_integer(select(sums.xy, negative(sums.xy), vec2(is_negative)));
    return double_multiply(vec2(size.x, size.y | select(0u, DOUBLE_SIGN, is_negative)), rules.gradient_unit);
}

// Σ Hessian and l2 in f64.
fn exact_hessian(sums: vec4<u32>, rules: Rules) -> vec2<u32> {
    return double_add(double_multiply(double_of_integer(hessian(sums)), rules.hessian_unit), rules.exact_l2);
}

// What a leaf takes off the loss, twice, and the value at which it does, in f64. Values are asked for where features have
// directions, and are then held within their bounds.
struct ExactLeaf {
    score: vec2<u32>,
    value: vec2<u32>,
}

fn exact_leaf(sums: vec4<u32>, rules: Rules) -> ExactLeaf {
    let gradient = exact_gradient(sums, rules);
    let below = exact_hessian(sums, rules);
    let size = double_subtract(double_abs(gradient), rules.exact_l1);
    let zero = vec2<u32>();
    let is_any = double_less(zero, size) && double_less(zero, below);
    // size²/below, or the value −size/below with the gradient's sign turned.
    let above = select(double_multiply(size, size), vec2(size.x, size.y | (~gradient.y & DOUBLE_SIGN)), vec2(rules.is_monotone));
    var found = zero;
    if (is_any) {
        found = double_divide(above, below);
    }
    if (!rules.is_monotone) {
        return ExactLeaf(found, zero);
    }
    if (double_less(found, rules.low)) {
        found = rules.low;
    }
    found = select(found, rules.high, vec2(double_less(rules.high, found)));
    let slope = double_add(double_multiply(gradient, found), double_multiply(rules.exact_l1, double_abs(found)));
    let curve = double_multiply(double_multiply(below, found), found);
    return ExactLeaf(double_negative(double_add(double_multiply(TWO, slope), curve)), found);
}

// The gain of a split in f64, and FOUND if it is one.
fn exact_gain(left: vec4<u32>, node: vec4<u32>, whole: vec2<u32>, rules: Rules) -> vec4<u32> {
    let right = minus(node, left);
    if (!allowed(left, rules) || !allowed(right, rules)) {
        return vec4<u32>();
    }
    // One loop, so that the code of a leaf is there once.
    var scores = vec2<u32>();
    var of_left = vec2<u32>();
    var goes_its_way = true;
    for (var side = 0u; side < 2u; side += 1u) {
        let leaf = exact_leaf(select(left, right, vec4(side == 1u)), rules);
        scores = double_add(scores, leaf.score);
        if (side == 1u && rules.direction != 0u) {
            let falls = double_less(leaf.value, of_left);
            let rises = double_less(of_left, leaf.value);
            goes_its_way = !select(falls, rises, rules.direction == 2u);
        }
        of_left = leaf.value;
    }
    let gain = double_subtract(scores, whole);
    if (goes_its_way && double_less(rules.min_gain, gain) && double_less(double_multiply(LEAST_SHARE, scores), gain)) {
        return vec4(gain, FOUND, 0u);
    }
    return vec4<u32>();
}

// Whether the first is there, and gains more than the second or is alone.
fn beats(one: vec4<u32>, other: vec4<u32>) -> bool {
    return one.z >= FOUND && (other.z < FOUND || double_less(other.xy, one.xy));
}

// The sums of a bin; that of the default has no cell and is the rest of the node.
fn bin_sums(bin: u32, first: u32, default_bin: u32, rest: vec4<u32>) -> vec4<u32> {
    if (bin == default_bin) {
        return rest;
    }
    return slots[first + bin - select(0u, 1u, bin > default_bin)];
}

fn words_of(place: u32) -> vec4<u32> {
    return vec4(plan[place], plan[place + 1u], plan[place + 2u], plan[place + 3u]);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let wanted = (group.y * groups.x + group.x) * (64u / TEAM) + lane / TEAM;
    let task = min(wanted, params.tasks - 1u);
    let listed = max(params.list_length, 1u);
    var search = SEARCH_WORDS * (task / listed);
    var feature_word = plan[params.tasks_first + task % listed];
    if (params.list_length == 0u) {
        search = SEARCH_WORDS * plan[params.tasks_first + 2u * task];
        feature_word = plan[params.tasks_first + 2u * task + 1u];
    }
    let feature_number = feature_word & 0x3fffffffu;
    let feature = features[feature_number];
    let node = words_of(search + 4u);
    let flags = plan[search + 3u];
    let units = words_of(search + 16u);
    let penalties = words_of(search + 20u);
    let limits = words_of(search + 24u);
    let rules = Rules(
        bitcast<f32>(plan[search + 8u]), bitcast<f32>(plan[search + 9u]), plan[search + 10u],
        vec2(plan[search + 11u], plan[search + 12u]),
        units.xy, units.zw, penalties.xy, penalties.zw, vec2(plan[search + 28u], plan[search + 29u]),
        limits.xy, limits.zw, (flags & 1u) == 1u, feature_word >> 30u,
    );
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
    let before = left;
    // Where f32 knows no bounds, every split is tried in f64.
    let is_bounded = (flags & 2u) == 2u;
    var least = NOTHING;
    for (var bin = begin; bin < min(end, last); bin += 1u) {
        left = plus(left, bin_sums(bin, first, default_bin, rest));
        least = max(least, bounds_of(left, node, whole, rules).x);
        if (has_missing) {
            least = max(least, bounds_of(plus(left, missing), node, whole, rules).x);
        }
    }
    team_bounds[lane] = least;
    workgroupBarrier();
    for (var other = 0u; other < TEAM; other += 1u) {
        least = max(least, team_bounds[lane - member + other]);
    }
    if (!is_bounded) {
        least = NOTHING;
    }
    let exact_whole = exact_leaf(node, rules).score;
    var best = vec4<u32>();
    var best_left = vec4<u32>();
    left = before;
    for (var bin = begin; bin < min(end, last); bin += 1u) {
        left = plus(left, bin_sums(bin, first, default_bin, rest));
        for (var turn = 0u; turn < select(1u, 2u, has_missing); turn += 1u) {
            let side = plus(left, select(vec4<u32>(), missing, vec4(turn == 1u)));
            if (!is_bounded || bounds_of(side, node, whole, rules).y >= least) {
                let tried = exact_gain(side, node, exact_whole, rules);
                if (beats(tried, best)) {
                    // Where a node has no missing values, those met later go with the larger child.
                    let goes_left = select(2u * count(side) >= count(node), turn == 1u, has_missing);
                    best = vec4(tried.xy, FOUND | bin | select(0u, MISSING_LEFT, goes_left), feature_number);
                    best_left = side;
                }
            }
        }
    }
    team_best[lane] = best;
    team_left[lane] = best_left;
    workgroupBarrier();
    // Of equal gains the lowest bin wins.
    if (member == 0u && wanted < params.tasks) {
        var winner = lane;
        for (var other = lane + 1u; other < lane + TEAM; other += 1u) {
            if (beats(team_best[other], team_best[winner])) {
                winner = other;
            }
        }
        found[2u * wanted] = team_best[winner];
        found[2u * wanted + 1u] = team_left[winner];
    }
    mark_done(lane);
}
