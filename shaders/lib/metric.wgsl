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
fn metric_step(sums: vec4<f32>, a: f32, b: vec4<f32>, order: f32) -> vec4<f32> {
    if (METRIC == METRIC_PRODUCT) {
        return fma(vec4(a), b, sums);
    }
    let difference = vec4(a) - b;
    if (METRIC == METRIC_ABSOLUTE) {
        return sums + abs(difference);
    }
    if (METRIC == METRIC_LARGEST) {
        return max(sums, abs(difference));
    }
    if (METRIC == METRIC_POWER) {
        return sums + power4(abs(difference), order);
    }
    return fma(difference, difference, sums);
}

// A power that was held at 2¹²⁷ is no longer a distance.
fn metric_values(sums: vec4<f32>) -> vec4<f32> {
    if (METRIC == METRIC_PRODUCT) {
        return clamp(1.0 - sums, vec4<f32>(), vec4(2.0));
    }
    if (METRIC == METRIC_POWER) {
        // As integers: fast arithmetic may take for granted that there is no infinity to compare.
        return select(sums, vec4(METRIC_BEYOND), bitcast<vec4<u32>>(sums) >= vec4(0x7f000000u));
    }
    return sums;
}

// From what was compared to the distance. A sum beyond f32 becomes an infinity by its bits, and the read-back refuses it.
fn metric_root(value: f32, order: f32) -> f32 {
    let bits = bitcast<u32>(value);
    if (bits >= 0x7f7fffffu) {
        return bitcast<f32>((bits >> 31u) | 0x7f800000u);
    }
    if (METRIC == METRIC_SQUARES) {
        return sqrt(value);
    }
    if (METRIC == METRIC_POWER) {
        return power4(vec4(value), 1.0 / order).x;
    }
    return value;
}
