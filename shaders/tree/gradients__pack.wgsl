// Gradient and Hessian of each row as integers of at most fifteen bits, for splits: the lower and the upper half of a word.
// A lane takes a row of one tree. Scales are powers of two, from the largest of each, so that no product is rounded.
// Rounding is to the nearest, ties to even, in integers alone. Rows outside the sample of the round are 0.
//#import status
//#import wide
struct Params {
    rows: u32,
    // The words of this dispatch, of all rows of all trees.
    first: u32,
    count: u32,
    hessian_bits: u32,
    hessian_limit: u32,
    // The sample, as in `partition__sample`; a bound of 2²⁴ has all rows.
    stream: u32,
    key_low: u32,
    key_high: u32,
    below: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// For each tree the gradients of all rows, then the Hessians, as bits.
@group(0) @binding(1) var<storage, read> gradients: array<u32>;
// The bits of the largest of each, from word 2 on.
@group(0) @binding(2) var<storage, read> report: array<u32>;
@group(0) @binding(3) var<storage, read_write> packed: array<u32>;

// The power of two that brings the largest to so many bits, as in FixedPoint::new.
fn exponent_for(bits: i32, largest: u32) -> i32 {
    return select(min(bits - 1 - (i32(largest >> 23u) - 127), 95 + bits), 0, largest == 0u);
}

// |value|·2^exponent, rounded; below 2¹⁶.
fn rounded(bits: u32, exponent: i32) -> u32 {
    let biased = i32((bits >> 23u) & 255u);
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    // The value is mantissa·2^−down.
    let down = 150 - biased - exponent;
    if (biased == 0 || down > 24) {
        return 0u;
    }
    let shift = u32(max(down, 1));
    return (mantissa + ((1u << (shift - 1u)) - 1u) + ((mantissa >> shift) & 1u)) >> shift;
}

fn is_sampled(row: u32) -> bool {
    if (params.below >= 16777216u) {
        return true;
    }
    let numbers = philox_of(vec4(row / 4u, 0u, params.stream, 0u), vec2(params.key_low, params.key_high));
    return (numbers[row % 4u] >> 8u) < params.below;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 256u + lane;
    if (at < params.count) {
        let place = params.first + at;
        let tree = place / params.rows;
        let gradient_bits = gradients[place + tree * params.rows];
        let hessian_bits = gradients[place + (tree + 1u) * params.rows];
        let size = min(rounded(gradient_bits, exponent_for(15, report[2u + 2u * tree])), 32767u);
        let gradient = select(size, 0u - size, gradient_bits >= 0x80000000u);
        let exponent = exponent_for(i32(params.hessian_bits), report[3u + 2u * tree]);
        // A Hessian above 0 is 1 at least.
        let hessian = clamp(rounded(hessian_bits, exponent), min(hessian_bits, 1u), params.hessian_limit);
        let counts = is_sampled(place - tree * params.rows);
        packed[place] = select(0u, (gradient & 0xffffu) | (hessian << 16u), counts);
    }
    mark_done(lane);
}
