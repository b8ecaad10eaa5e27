// What one step along the depth adds to a distance, what is compared in the end, and the distance itself.
// The host chooses METRIC: squares, absolute values, the largest, products of unit rows, or powers; only a power has an
// order. What is compared is the distance before its root.
// Powers by our own log2 and exp2: the built-in ones are not accurate everywhere.
//#import elementary
override METRIC: u32 = 0u;
const METRIC_SQUARES = 0u;
const METRIC_ABSOLUTE = 1u;
const METRIC_LARGEST = 2u;
const METRIC_PRODUCT = 3u;
const METRIC_POWER = 4u;

// The largest number stands for a sum beyond f32: nothing is nearer than it.
const METRIC_BEYOND = 3.4028234e38;

// The padding of both rows is zero, so it never decides a maximum and adds nothing.
fn metric_step(sum: f32, a: vec4<f32>, b: vec4<f32>, order: f32) -> f32 {
    if (METRIC == METRIC_PRODUCT) {
        return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
    }
    let d = a - b;
    if (METRIC == METRIC_ABSOLUTE) {
        return (((sum + abs(d.x)) + abs(d.y)) + abs(d.z)) + abs(d.w);
    }
    if (METRIC == METRIC_LARGEST) {
        return max(max(max(max(sum, abs(d.x)), abs(d.y)), abs(d.z)), abs(d.w));
    }
    if (METRIC == METRIC_POWER) {
        let powers = power4(abs(d), order);
        return (((sum + powers.x) + powers.y) + powers.z) + powers.w;
    }
    return fma(d.w, d.w, fma(d.z, d.z, fma(d.y, d.y, fma(d.x, d.x, sum))));
}

// A power that was held at 2¹²⁷ is no longer a distance.
fn metric_value(sum: f32) -> f32 {
    if (METRIC == METRIC_PRODUCT) {
        return clamp(1.0 - sum, 0.0, 2.0);
    }
    if (METRIC == METRIC_POWER) {
        return select(sum, METRIC_BEYOND, sum >= 1.7014118e38);
    }
    return sum;
}

fn metric_value4(sums: vec4<f32>) -> vec4<f32> {
    return vec4(metric_value(sums.x), metric_value(sums.y), metric_value(sums.z), metric_value(sums.w));
}

// From what was compared to the distance. A sum beyond f32 overflows here, and the read-back says so.
fn metric_root(value: f32, order: f32) -> f32 {
    if (value >= METRIC_BEYOND) {
        return value * 3e38;
    }
    if (METRIC == METRIC_SQUARES) {
        return sqrt(value);
    }
    if (METRIC == METRIC_POWER) {
        return power4(vec4(value), 1.0 / order).x;
    }
    return value;
}
