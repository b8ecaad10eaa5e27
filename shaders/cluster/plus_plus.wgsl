// Draws the candidates for the next centre of k-means++: rows in proportion to their weighted squared distance.
// A workgroup takes a draw: first a block of 4096 rows by the blocks' sums, then a row of it, each by a scan over the
// lanes' shares; then it copies the row. All in integers made of the bits of f32, so that the host draws the same.
//#import wide
//#import status
struct Params {
    rows: u32,
    blocks: u32,
    trials: u32,
    vec4s: u32,
    x_first: u32,
    closest_first: u32,
    weight_first: u32,
    candidate_first: u32,
    given: u32,
    stream: u32,
    key_low: u32,
    key_high: u32,
    pair_low: u32,
    pair_high: u32,
}

// 1 if each row has a weight of its own.
override WEIGHTED: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> closest: array<f32>;
@group(0) @binding(3) var<storage, read> sums: array<f32>;
@group(0) @binding(4) var<storage, read> weights: array<f32>;
@group(0) @binding(5) var<storage, read_write> candidates: array<vec4<f32>>;

const BLOCK = 4096u;
const NONE = 0xffffffffu;

var<workgroup> largest: atomic<u32>;
var<workgroup> shares: array<vec2<u32>, 256>;
// Which term was drawn, or none; what of the draw reaches into it, and the term.
var<workgroup> drawn: u32;
var<workgroup> drawn_left: vec2<u32>;
var<workgroup> drawn_term: vec2<u32>;

fn term(of_rows: bool, at: u32) -> f32 {
    if (!of_rows) {
        return sums[at];
    }
    let distance = closest[params.closest_first + at];
    if (WEIGHTED == 0u) {
        return distance;
    }
    return weights[params.weight_first + at] * distance;
}

// Draws one of the terms from `first` on by a fraction of their sum.
fn pick(of_rows: bool, first: u32, end: u32, fraction: vec2<u32>, lane: u32) {
    let each = (end - first + 255u) / 256u;
    let begin = min(first + lane * each, end);
    let stop = min(begin + each, end);
    if (lane == 0u) {
        atomicStore(&largest, 0u);
        drawn = NONE;
    }
    workgroupBarrier();
    var exponent = 0u;
    for (var at = begin; at < stop; at += 1u) {
        exponent = max(exponent, exponent_of(term(of_rows, at)));
    }
    atomicMax(&largest, exponent);
    workgroupBarrier();
    exponent = atomicLoad(&largest);
    var mine = vec2<u32>();
    for (var at = begin; at < stop; at += 1u) {
        mine = wide_add(mine, wide_scaled(term(of_rows, at), exponent));
    }
    shares[lane] = mine;
    workgroupBarrier();
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        var before = vec2<u32>();
        if (lane >= reach) {
            before = shares[lane - reach];
        }
        workgroupBarrier();
        shares[lane] = wide_add(shares[lane], before);
        workgroupBarrier();
    }
    let place = wide_multiply_high(fraction, shares[255]);
    let before = wide_subtract(shares[lane], mine);
    if (!wide_less(place, before) && wide_less(place, shares[lane])) {
        var left = wide_subtract(place, before);
        for (var at = begin; at < stop; at += 1u) {
            let size = wide_scaled(term(of_rows, at), exponent);
            if (drawn == NONE && wide_less(left, size)) {
                drawn = at;
                drawn_left = left;
                drawn_term = size;
            }
            left = wide_subtract(left, size);
        }
    }
    workgroupBarrier();
}

// 53 random bits, as the host's next fraction has them.
fn random_fraction(trial: u32) -> vec2<u32> {
    let pair = wide_add(vec2(params.pair_low, params.pair_high), vec2(trial, 0u));
    let counter = vec4((pair.x >> 1u) | (pair.y << 31u), pair.y >> 1u, params.stream, 0u);
    let numbers = philox_of(counter, vec2(params.key_low, params.key_high));
    let two = select(numbers.xy, numbers.zw, (pair.x & 1u) == 1u);
    let high = two.x >> 5u;
    let low = two.y >> 6u;
    return vec2(low << 11u, (high << 5u) | (low >> 21u));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let trial = group.y * groups.x + group.x;
    if (trial < params.trials) {
        let fraction = random_fraction(trial);
        // Where every row is a centre already, any will do.
        var row = wide_multiply_high(fraction, vec2(params.rows, 0u)).x;
        pick(false, 0u, params.blocks, fraction, lane);
        let block = drawn;
        let first = select(block, 0u, block == NONE) * BLOCK;
        let within = wide_fraction(drawn_left, drawn_term);
        workgroupBarrier();
        pick(true, first, min(first + BLOCK, params.rows), within, lane);
        if (block != NONE) {
            row = select(drawn, first, drawn == NONE);
        }
        row = select(params.given, row, params.given == NONE);
        for (var vec4_index = lane; vec4_index < params.vec4s; vec4_index += 256u) {
            let value = x[params.x_first + row * params.vec4s + vec4_index];
            candidates[params.candidate_first + trial * params.vec4s + vec4_index] = value;
        }
    }
    mark_done(lane);
}
