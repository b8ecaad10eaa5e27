// The value of each leaf from the sums of its pieces: Newton's step in f64, made of integers, held within bounds and times
// the learning rate, then rounded to f32 as the host rounds it. A lane takes a leaf.
// So the scores can be updated, and the next round begun, before the host has seen the sums.
//#import status
//#import wide
//#import double
//#import fixed_point
struct Params {
    leaves: u32,
    // Where the sums of pieces are in the report.
    sums_first: u32,
    // In f64.
    l1_low: u32,
    l1_high: u32,
    l2_low: u32,
    l2_high: u32,
    rate_low: u32,
    rate_high: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Two for each leaf: its first piece, its pieces, its tree; the smallest and the largest value in f64.
@group(0) @binding(1) var<storage, read> leaves: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> report: array<u32>;
@group(0) @binding(3) var<storage, read_write> values: array<f32>;

// 2^−exponent in f64, for the exponent that brings the largest to thirty bits.
fn fine_unit(largest: u32) -> vec2<u32> {
    return vec2(0u, u32(1023 - exponent_for(largest)) << 20u);
}

fn sum_at(place: u32) -> vec4<u32> {
    return vec4(report[place], report[place + 1u], report[place + 2u], report[place + 3u]);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = (group.y * groups.x + group.x) * 64u + lane;
    if (number < params.leaves) {
        let leaf = leaves[2u * number];
        let bounds = leaves[2u * number + 1u];
        var sums = vec4<u32>();
        for (var piece = leaf.x; piece < leaf.x + leaf.y; piece += 1u) {
            let more = sum_at(params.sums_first + 4u * piece);
            sums = vec4(wide_add(sums.xy, more.xy), wide_add(sums.zw, more.zw));
        }
        let is_negative = sums.y >= 0x80000000u;
        let whole = select(sums.xy, wide_subtract(vec2<u32>(), sums.xy), vec2(is_negative));
        let gradient = double_multiply(double_of_integer(whole), fine_unit(report[2u + 2u * leaf.z]));
        let hessian = double_multiply(double_of_integer(sums.zw), fine_unit(report[3u + 2u * leaf.z]));
        let size = double_subtract(gradient, vec2(params.l1_low, params.l1_high));
        let below = double_add(hessian, vec2(params.l2_low, params.l2_high));
        var value = vec2<u32>();
        if (double_less(value, size) && double_less(value, below)) {
            value = double_divide(vec2(size.x, size.y | select(DOUBLE_SIGN, 0u, is_negative)), below);
        }
        if (double_less(value, bounds.xy)) {
            value = bounds.xy;
        }
        value = select(value, bounds.zw, vec2(double_less(bounds.zw, value)));
        values[number] = double_to_single(double_multiply(vec2(params.rate_low, params.rate_high), value));
    }
    mark_done(lane);
}
