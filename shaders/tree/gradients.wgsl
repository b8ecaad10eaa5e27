// Gradient and Hessian of each row's loss by its scores, and the largest of each for each output.
// A lane takes a row, and all its classes where the loss is softmax's. Neighbouring lanes take neighbouring rows.
// Powers of e are integers (src/cpu/tree/fixed_exp.rs); a result is one step of f32 away from them, exact everywhere.
//#import status
//#import wide
struct Params {
    rows: u32,
    // The rows of this dispatch.
    row_first: u32,
    row_count: u32,
    // The outputs of this dispatch: one, or all classes.
    output_first: u32,
    outputs: u32,
    loss: u32,
    is_weighted: u32,
    // Of softmax: bits that the sum of classes needs beyond one, and K/(K − 1) in units of 2⁻³⁰.
    room: u32,
    factor: u32,
    // Slopes, or Huber's δ in the first.
    above: f32,
    below: f32,
    at: f32,
    // Where Huber's δ is in the report, if it was found on the device; else 0.
    delta_at: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Output after output, a score for each row; the targets in the same order, or the class of each row.
@group(0) @binding(1) var<storage, read> scores: array<f32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
// For each output the gradients of all rows, then the Hessians.
@group(0) @binding(4) var<storage, read_write> gradients: array<f32>;
// The bits of the largest |gradient| and Hessian of each output, from word 2 on; behind them Huber's δ of each.
@group(0) @binding(5) var<storage, read_write> report: array<atomic<u32>>;

const SQUARED = 0u;
const SLOPES = 1u;
const HUBER = 2u;
const POISSON = 3u;
const LOGISTIC = 4u;
const EXPONENTIAL = 5u;
const SOFTMAX = 6u;
const SIGN = 0x80000000u;

var<workgroup> largest: array<atomic<u32>, 2>;

fn high(a: u32, b: u32) -> u32 {
    return multiply(a, b).x;
}

struct Power {
    mantissa: u32,
    exponent: i32,
}

// e to the power of the number with these bits: mantissa·2^(exponent − 30).
fn power_of_e(bits: u32) -> Power {
    let biased = (bits >> 23u) & 255u;
    let product = high((bits << 8u) | SIGN, 3098164009u);
    var size = 0xffffffffu;
    if (biased <= 133u) {
        size = product >> min(133u - biased, 31u);
    }
    if (biased < 103u) {
        size = 0u;
    }
    var power = i32(min(size, 126u << 24u));
    if (bits >= SIGN) {
        power = -i32(min(size, 80u << 24u));
    }
    let fraction = bitcast<u32>(power) << 8u;
    var series = 1330132u + high(234908u, fraction);
    series = 10398739u + high(series, fraction);
    series = 59571654u + high(series, fraction);
    series = 257945537u + high(series, fraction);
    series = 744260848u + high(series, fraction);
    return Power(1073741824u + high(series, fraction), power >> 24u);
}

fn reciprocal(d: u32) -> u32 {
    var y = 3031741621u - high(4042322160u, d);
    for (var turn = 0u; turn < 3u; turn += 1u) {
        let rest = 1073741824u - high(d, y);
        y = high(y, rest << 2u) << 1u;
    }
    return y;
}

// value·2^exponent: an integer below 2²⁴ times a power of two, both exact.
fn to_f32(value: u32, exponent: i32) -> f32 {
    return f32((value + 64u) >> 7u) * bitcast<f32>(u32(exponent + 134) << 23u);
}

fn logistic(score: f32, target_value: f32) -> vec2<f32> {
    let bits = bitcast<u32>(score);
    let power = power_of_e(bits | SIGN);
    let large = reciprocal(1073741824u + (power.mantissa >> u32(min(-power.exponent, 31))));
    let small = high(power.mantissa, large);
    let product = high(small << 2u, large);
    let is_one = target_value > 0.5;
    // p of target 0, 1 − p of target 1.
    let is_large = (bits < SIGN) != is_one;
    let size = select(to_f32(small, power.exponent - 29), to_f32(large, -31), is_large);
    return vec2(select(size, -size, is_one), to_f32(product, power.exponent - 30));
}

fn pointwise(score: f32, target_value: f32, delta: f32) -> vec2<f32> {
    if (params.loss == LOGISTIC) {
        return logistic(score, target_value);
    }
    if (params.loss == POISSON) {
        let power = power_of_e(bitcast<u32>(score));
        let mean = to_f32(power.mantissa, power.exponent - 30);
        return vec2(mean - target_value, mean);
    }
    if (params.loss == EXPONENTIAL) {
        let sign = select(0u, SIGN, target_value > 0.5);
        let power = power_of_e(bitcast<u32>(score) ^ sign);
        let loss = to_f32(power.mantissa, power.exponent - 30);
        return vec2(bitcast<f32>(bitcast<u32>(loss) ^ sign), loss);
    }
    if (params.loss == SLOPES) {
        let rest = select(params.at, -params.below, score < target_value);
        return vec2(select(rest, params.above, score > target_value), 1.0);
    }
    let difference = score - target_value;
    if (params.loss == HUBER) {
        let clipped = select(difference, delta, difference > delta);
        return vec2(select(clipped, -delta, clipped < -delta), 1.0);
    }
    return vec2(difference, 1.0);
}

struct Shares {
    highest: f32,
    reciprocal: u32,
    moved: u32,
}

// The largest score of a row's classes, and the reciprocal of the sum of their powers.
fn shares_of(row: u32) -> Shares {
    var highest = scores[row];
    for (var class_number = 1u; class_number < params.outputs; class_number += 1u) {
        let score = scores[class_number * params.rows + row];
        highest = select(highest, score, score > highest);
    }
    var sum = 0u;
    for (var class_number = 0u; class_number < params.outputs; class_number += 1u) {
        let power = power_of_e(bitcast<u32>(scores[class_number * params.rows + row] - highest) | SIGN);
        sum += ((power.mantissa >> u32(min(i32(params.room) - power.exponent - 1, 31))) + 1u) >> 1u;
    }
    let moved = countLeadingZeros(sum) - 1u;
    return Shares(highest, reciprocal(sum << moved), moved);
}

fn softmax(score: f32, shares: Shares, is_own: bool) -> vec2<f32> {
    let power = power_of_e(bitcast<u32>(score - shares.highest) | SIGN);
    let share = high(power.mantissa, shares.reciprocal);
    let shift = power.exponent - 29 - i32(params.room) + i32(shares.moved);
    let down = clamp(-31 - shift, -2, 31);
    let fixed = select(share >> u32(max(down, 0)), share << u32(max(-down, 0)), down < 0);
    let other = SIGN - min(fixed, SIGN);
    let curvature = high(high(share << 1u, other) << 1u, params.factor);
    return vec2(select(to_f32(share, shift), -to_f32(other, -31), is_own), to_f32(curvature, shift + 1));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 256u + lane;
    let is_row = at < params.row_count;
    let row = params.row_first + min(at, params.row_count - 1u);
    let weight = select(1.0, weights[select(0u, row, params.is_weighted == 1u)], params.is_weighted == 1u);
    var delta = params.above;
    if (params.delta_at > 0u) {
        delta = bitcast<f32>(atomicLoad(&report[params.delta_at]));
    }
    var shares = Shares(0.0, 0u, 0u);
    if (params.loss == SOFTMAX) {
        shares = shares_of(row);
    }
    for (var turn = 0u; turn < params.outputs; turn += 1u) {
        let output = params.output_first + turn;
        if (lane < 2u) {
            atomicStore(&largest[lane], 0u);
        }
        workgroupBarrier();
        if (is_row) {
            let score = scores[output * params.rows + row];
            var found = vec2<f32>();
            if (params.loss == SOFTMAX) {
                found = softmax(score, shares, targets[row] == output);
            } else {
                found = pointwise(score, bitcast<f32>(targets[output * params.rows + row]), delta);
            }
            if (params.is_weighted == 1u) {
                found *= weight;
            }
            // A row that does not count is 0 also where its target is beyond all numbers.
            let counts = weight > 0.0;
            let bits = select(vec2(0u), bitcast<vec2<u32>>(found), vec2(counts));
            gradients[2u * output * params.rows + row] = bitcast<f32>(bits.x);
            gradients[(2u * output + 1u) * params.rows + row] = bitcast<f32>(bits.y);
            atomicMax(&largest[0], bits.x & ~SIGN);
            atomicMax(&largest[1], bits.y);
        }
        workgroupBarrier();
        if (lane < 2u) {
            atomicMax(&report[2u + 2u * output + lane], atomicLoad(&largest[lane]));
        }
        workgroupBarrier();
    }
    mark_done(lane);
}
