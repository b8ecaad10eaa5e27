// Manhattan distance of each pair of rows, Σ|x−y|.
// A workgroup makes one 256×24 tile, columns broadcast inside subgroups of a multiple of 8 lanes.
// The tile core with another step: nothing is stored but the result.
//#import pairs_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return sum + abs(vec4(a) - b);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    return sum;
}
