// Cosine distance of each pair of unit rows, 1 − x·y, kept within 0 and 2.
// A workgroup makes one 256×24 tile, columns broadcast inside subgroups of a multiple of 8 lanes.
// cosine__unit makes the rows unit rows first, so each norm is computed once.
//#import pairs_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sum);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    return clamp(1.0 - sum, vec4(0.0), vec4(2.0));
}
