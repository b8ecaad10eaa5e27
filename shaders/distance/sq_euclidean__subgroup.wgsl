// Squared Euclidean distance of each pair of rows, by the direct form Σ(x−y)²: right however far off-centre.
// A workgroup makes one 256×24 tile, columns broadcast inside subgroups of a multiple of 8 lanes.
// One subtraction more than |x|²+|y|²−2x·y, and no norms, no centring, no cancellation.
//#import pairs_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    let difference = vec4(a) - b;
    return fma(difference, difference, sum);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    return sum;
}
