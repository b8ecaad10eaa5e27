// The last activation of a network, the loss of each row and its slopes by the sums of the last layer.
// A team of TEAM lanes takes a row in strides; a workgroup adds the losses of its 256 / TEAM rows and stores one sum.
// So the loss stays on the device; the host adds the sums of an epoch in f64.
//#import elementary
//#import status
struct Params {
    rows: u32,
    columns: u32,
    stride: u32,
    target_stride: u32,
    classes: u32,
    weight_column: u32,
    activation: u32,
    loss: u32,
    sums_first: u32,
    groups: u32,
    steps: u32,
    scale: f32,
    delta: f32,
}

override TEAM: u32 = 16u;
// 0 writes values, slopes and sums, 1 values alone.
override PREDICT: u32 = 0u;
const RELU = 1u;
const LEAKY_RELU = 2u;
const LOGISTIC = 3u;
const TANH = 4u;
const SIGN = 5u;
const SOFTMAX = 6u;
const ABSOLUTE = 1u;
const HUBER = 2u;
const BINARY = 3u;
const CATEGORICAL = 4u;
const GAUSSIAN = 5u;
const VARIANCE_FLOOR = 1.0e-3;
const MOST_SPREAD = 20.0;
const TWO_PI = 6.28318530717959;
const NO_WEIGHT = 0xffffffffu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> wanted: array<f32>;
@group(0) @binding(2) var<storage, read_write> values: array<f32>;
@group(0) @binding(3) var<storage, read_write> slopes: array<f32>;
@group(0) @binding(4) var<storage, read_write> sums: array<vec2<f32>>;

var<workgroup> team: array<f32, 256>;

fn team_sum(lane: u32, value: f32, width: u32) -> f32 {
    team[lane] = value;
    for (var half = width / 2u; half > 0u; half = half / 2u) {
        workgroupBarrier();
        if (lane % width < half) {
            team[lane] += team[lane + half];
        }
    }
    workgroupBarrier();
    let total = team[lane - lane % width];
    workgroupBarrier();
    return total;
}

fn team_max(lane: u32, value: f32) -> f32 {
    team[lane] = value;
    for (var half = TEAM / 2u; half > 0u; half = half / 2u) {
        workgroupBarrier();
        if (lane % TEAM < half) {
            team[lane] = max(team[lane], team[lane + half]);
        }
    }
    workgroupBarrier();
    let largest = team[lane - lane % TEAM];
    workgroupBarrier();
    return largest;
}

fn activated(x: f32) -> f32 {
    switch (params.activation) {
        case RELU: {
            return max(x, 0.0);
        }
        case LEAKY_RELU: {
            return max(x, 0.01 * x);
        }
        case LOGISTIC: {
            return logistic(x);
        }
        case TANH: {
            return hyperbolic_tangent(x);
        }
        case SIGN: {
            return select(1.0, -1.0, x < 0.0);
        }
        default: {
            return x;
        }
    }
}

fn slope_at(value: f32) -> f32 {
    switch (params.activation) {
        case RELU: {
            return select(0.0, 1.0, value > 0.0);
        }
        case LEAKY_RELU: {
            return select(0.01, 1.0, value > 0.0);
        }
        case LOGISTIC: {
            return value * (1.0 - value);
        }
        case TANH: {
            return 1.0 - value * value;
        }
        case SIGN: {
            return 0.0;
        }
        default: {
            return 1.0;
        }
    }
}

// The class of a row, or of a step of a row where each has one.
fn class_of(row: u32) -> u32 {
    return u32(wanted[row / params.steps * params.target_stride + row % params.steps]);
}

fn target_of(row: u32, column: u32) -> f32 {
    if (params.classes == 1u) {
        return select(0.0, 1.0, class_of(row) == column);
    }
    return wanted[row * params.target_stride + column];
}

// Loss and slope at an output.
fn cost(value: f32, aim: f32) -> vec2<f32> {
    let error = value - aim;
    if (params.loss == ABSOLUTE) {
        return vec2(abs(error), sign(error));
    }
    if (params.loss == HUBER && abs(error) > params.delta) {
        return vec2(params.delta * (abs(error) - 0.5 * params.delta), params.delta * sign(error));
    }
    return vec2(0.5 * error * error, error);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.groups) {
        let place = at * (256u / TEAM) + lane / TEAM;
        let own = place < params.rows;
        let row = min(place, params.rows - 1u);
        let first = row * params.stride;
        let member = lane % TEAM;
        // Softmax: the largest, the lowest column that has it, and the sum of the powers.
        var highest = -3.0e38;
        for (var column = member; column < params.columns; column += TEAM) {
            highest = max(highest, values[first + column]);
        }
        highest = team_max(lane, highest);
        var best = 1.0e9;
        var total = 0.0;
        var powers = 0.0;
        for (var column = member; column < params.columns; column += TEAM) {
            let value = values[first + column];
            if (value == highest) {
                best = min(best, f32(column));
            }
            powers += exponential(value - highest);
            if (PREDICT == 0u && params.loss != GAUSSIAN) {
                total += target_of(row, column);
            }
        }
        best = -team_max(lane, -best);
        powers = team_sum(lane, powers, TEAM);
        total = team_sum(lane, total, TEAM);
        var weight = 1.0;
        if (PREDICT == 0u && params.weight_column != NO_WEIGHT) {
            weight = wanted[row / params.steps * params.target_stride + params.weight_column];
        }
        let factor = params.scale * weight;
        var lost = 0.0;
        var squares = 0.0;
        var mean = 0.0;
        var wrong = 0.0;
        // Means in the first half of the columns, logarithms of variances in the second.
        if (PREDICT == 0u && params.loss == GAUSSIAN) {
            let half = params.columns / 2u;
            for (var column = member; column < half; column += TEAM) {
                let power = exponential(clamp(values[first + half + column], -MOST_SPREAD, MOST_SPREAD));
                let variance = VARIANCE_FLOOR + power;
                let error = values[first + column] - target_of(row, column);
                let share = error * error / variance;
                lost += 0.5 * (logarithm(TWO_PI * variance) + share);
                squares += error * error;
                if (own) {
                    slopes[first + column] = factor * error / variance;
                    slopes[first + half + column] = factor * 0.5 * (1.0 - share) * power / variance;
                }
            }
        }
        // The row's own target has the largest share; for a distribution the lowest of the largest.
        for (var column = member; column < params.columns; column += TEAM) {
            let sum = values[first + column];
            var value = activated(sum);
            if (params.activation == SOFTMAX) {
                value = exponential(sum - highest) / powers;
            }
            if (PREDICT == 0u && params.loss != GAUSSIAN) {
                let aim = target_of(row, column);
                var slope = 0.0;
                if (params.loss == CATEGORICAL) {
                    lost += aim * (highest - sum);
                    slope = total * value - aim;
                } else if (params.loss == BINARY) {
                    lost += max(sum, 0.0) - sum * aim + log1p(exponential(-abs(sum)));
                    wrong += select(0.0, 1.0, (sum > 0.0) != (aim > 0.5));
                    slope = value - aim;
                } else {
                    let found = cost(value, aim);
                    lost += found.x;
                    squares += (value - aim) * (value - aim);
                    mean += found.y * value;
                    slope = found.y * slope_at(value);
                }
                if (own) {
                    slopes[first + column] = factor * slope;
                }
            }
            if (own) {
                values[first + column] = value;
            }
        }
        if (PREDICT == 0u) {
            mean = team_sum(lane, mean, TEAM);
            if (params.activation == SOFTMAX && params.loss != CATEGORICAL) {
                for (var column = member; column < params.columns; column += TEAM) {
                    if (own) {
                        let value = values[first + column];
                        slopes[first + column] = value * (slopes[first + column] - factor * mean);
                    }
                }
            }
            wrong = team_sum(lane, wrong, TEAM);
            squares = team_sum(lane, squares, TEAM);
            var score = squares;
            if (params.loss == BINARY) {
                score = select(0.0, 1.0, wrong == 0.0);
            } else if (params.classes == 1u) {
                score = select(0.0, 1.0, u32(best) == class_of(row));
            }
            let leads = own && member == 0u;
            let ends = select(0.0, total * logarithm(powers), leads && params.loss == CATEGORICAL);
            let loss_sum = team_sum(lane, select(0.0, weight * (lost + ends), own), 256u);
            let score_sum = team_sum(lane, select(0.0, weight * score, leads), 256u);
            if (lane == 0u) {
                sums[params.sums_first + at] = vec2(loss_sum, score_sum);
            }
        }
    }
    mark_done(lane);
}
