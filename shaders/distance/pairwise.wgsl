// The distance of each pair of rows, by the direct form: right however far off-centre. `low.x` is the order of a power.
// A workgroup makes one tile through workgroup memory.
// One subtraction more than |x|²+|y|²−2x·y, and no norms, no centring, no cancellation.
//#import metric
//#import pairs
//#import pairs_operands
override ROOT: u32 = 0u;

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return metric_step(sums, a, b, params.low.x);
}

fn pairs_finish(row: u32, column: u32, sums: vec4<f32>) -> vec4<f32> {
    let values = metric_values(sums);
    if (ROOT == 1u) {
        return vec4(
            metric_root(values.x, params.low.x),
            metric_root(values.y, params.low.x),
            metric_root(values.z, params.low.x),
            metric_root(values.w, params.low.x),
        );
    }
    return values;
}
