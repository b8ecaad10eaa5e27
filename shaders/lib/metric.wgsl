// What one step along the depth adds to a distance, and what is compared in the end: the distance before its root.
// The host chooses METRIC: squares, absolute values, the largest, products of unit rows, or powers.
// Powers are left to the importing shader, because only the portable tile can afford them.
override METRIC: u32 = 0u;
const METRIC_ABSOLUTE = 1u;
const METRIC_LARGEST = 2u;
const METRIC_PRODUCT = 3u;
const METRIC_POWER = 4u;

fn metric_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    if (METRIC == METRIC_PRODUCT) {
        return fma(vec4(a), b, sum);
    }
    let difference = vec4(a) - b;
    if (METRIC == METRIC_ABSOLUTE) {
        return sum + abs(difference);
    }
    if (METRIC == METRIC_LARGEST) {
        return max(sum, abs(difference));
    }
    return fma(difference, difference, sum);
}

// A power that was held at 2¹²⁷ is no longer a distance: it becomes the largest number, which nothing is nearer than.
fn metric_value(sum: vec4<f32>) -> vec4<f32> {
    if (METRIC == METRIC_PRODUCT) {
        return clamp(1.0 - sum, vec4<f32>(), vec4(2.0));
    }
    if (METRIC == METRIC_POWER) {
        return select(sum, vec4(3.4028234e38), sum >= vec4(1.7014118e38));
    }
    return sum;
}
