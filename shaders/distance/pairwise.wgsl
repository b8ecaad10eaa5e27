// The distance of each pair of rows, by the direct form: right however far off-centre. alpha is the order of a power.
// A workgroup makes one 128×128 tile through workgroup memory.
// One subtraction more than |x|²+|y|²−2x·y, and no norms, no centring, no cancellation.
//#import metric
//#import pairs
override ROOT: u32 = 0u;

fn tile_step(sum: f32, a: vec4<f32>, b: vec4<f32>) -> f32 {
    return metric_step(sum, a, b, params.alpha);
}

fn pairs_finish(sum: f32, at: u32) -> f32 {
    if (ROOT == 1u) {
        return metric_root(metric_value(sum), params.alpha);
    }
    return metric_value(sum);
}
