// Adds a number a column and applies an activation to what a product has become.
// The importing shader binds `bias`; without one it is not read.
// By our own tanh and logistic: the built-in ones are not accurate everywhere.
//#import elementary
override BIAS: u32 = 0u;
override ACTIVATION: u32 = 0u;
const ACTIVATION_RELU = 1u;
const ACTIVATION_TANH = 2u;
const ACTIVATION_LOGISTIC = 3u;

// Behind the end of the bias there may be anything; those columns are not stored.
fn with_bias(column: u32, sums: vec4<f32>) -> vec4<f32> {
    var values = sums;
    if (BIAS == 1u) {
        let first = params.column_first + column;
        values += vec4(bias[first], bias[first + 1u], bias[first + 2u], bias[first + 3u]);
    }
    if (ACTIVATION == ACTIVATION_RELU) {
        return max(values, vec4<f32>());
    }
    if (ACTIVATION == ACTIVATION_TANH) {
        return vec4(
            hyperbolic_tangent(values.x),
            hyperbolic_tangent(values.y),
            hyperbolic_tangent(values.z),
            hyperbolic_tangent(values.w),
        );
    }
    if (ACTIVATION == ACTIVATION_LOGISTIC) {
        return vec4(logistic(values.x), logistic(values.y), logistic(values.z), logistic(values.w));
    }
    return values;
}
