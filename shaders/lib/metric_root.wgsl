// From what was compared to the distance: the root of a sum of squares or of powers, anything else as it is.
// METRIC is that of the kernel which made the sums.
// The largest number stands for a sum beyond f32: its product overflows, and the read-back says so.
//#import elementary
override METRIC: u32 = 0u;

fn metric_root(value: f32, order: f32) -> f32 {
    if (value >= 3.4028234e38) {
        return value * 3e38;
    }
    if (METRIC == 0u) {
        return sqrt(value);
    }
    if (METRIC == 4u) {
        return power4(vec4(value), 1.0 / order).x;
    }
    return value;
}
