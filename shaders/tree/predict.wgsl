// The leaf of each row in each tree: many rows, many trees, raw values, where a missing one goes as the node says.
// A lane takes a row and as many trees as leaf numbers fit one word; neighbouring lanes take neighbouring rows.
// Values are compared as integers in the order of the numbers, so that tiny ones are not taken for zero.
//#import status
struct Params {
    rows: u32,
    words: u32,
    trees: u32,
    x_first: u32,
    x_stride: u32,
}

// Bits of a leaf number: 8, 16 or 32.
override BITS: u32 = 32u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
// Threshold as an ordered integer, or the place of a set of categories; feature, in the highest bit whether missing goes
// left, in the next whether a set does; the two children.
@group(0) @binding(2) var<storage, read> steps: array<vec4<u32>>;
// The first step of each tree and the length of its longest way.
@group(0) @binding(3) var<storage, read> trees: array<vec2<u32>>;
// At the place of a set where the bins of its categories begin and how many categories have one, then the set's eight words.
@group(0) @binding(4) var<storage, read> categories: array<u32>;
@group(0) @binding(5) var<storage, read_write> leaves: array<u32>;

// Integers in the order of the numbers that the bits stand for; −0 is below 0, and thresholds are never −0.
fn ordered(bits: u32) -> u32 {
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

const UNKNOWN = 255u;
const ONE = 0x3f800000u;
const MOST_LEVELS = 0x4b800000u;

// Whether the set at a place has the bin of a level; what is no code of one has the bin of the unknown.
fn in_set(place: u32, bits: u32) -> bool {
    var bin = UNKNOWN;
    let is_zero = (bits & 0x7fffffffu) == 0u;
    if (is_zero || (bits >= ONE && bits < MOST_LEVELS)) {
        let value = bitcast<f32>(bits);
        let code = u32(value);
        if (code < categories[place + 1u] && f32(code) == value) {
            bin = (categories[categories[place] + code / 4u] >> (8u * (code % 4u))) & 255u;
        }
    }
    return ((categories[place + 2u + bin / 32u] >> (bin % 32u)) & 1u) == 1u;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.rows * params.words) {
        let row = item % params.rows;
        let word = item / params.rows;
        let first = params.x_first + row * params.x_stride;
        let per_word = 32u / BITS;
        var found = 0u;
        for (var turn = 0u; turn < per_word; turn += 1u) {
            let tree = trees[min(word * per_word + turn, params.trees - 1u)];
            var at = 0u;
            for (var depth = 0u; depth < tree.y; depth += 1u) {
                let step = steps[tree.x + at];
                let bits = x[first + (step.y & 0x3fffffffu)];
                let is_missing = (bits & 0x7fffffffu) > 0x7f800000u;
                var left = select(ordered(bits) <= step.x, step.y >= 0x80000000u, is_missing);
                if ((step.y & 0x40000000u) != 0u) {
                    left = in_set(step.x, bits);
                }
                at = select(step.w, step.z, left);
            }
            found |= at << (turn * BITS);
        }
        leaves[item] = found;
    }
    mark_done(lane);
}
