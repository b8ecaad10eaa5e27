// Euclidean distance of each pair of whitened rows: the Mahalanobis distance of the rows before.
// A workgroup makes one 256×24 tile, columns broadcast inside subgroups of a multiple of 8 lanes.
// The rows are whitened by one product each, so a pair costs no more than a plain distance.
//#import pairs_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    let difference = vec4(a) - b;
    return fma(difference, difference, sum);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    return sqrt(sum);
}
