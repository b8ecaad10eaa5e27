// Minkowski distance of each pair of rows, (Σ|x−y|ᵖ)^(1/p), with alpha = p.
// A workgroup makes one 256×16 tile, columns broadcast inside subgroups of a multiple of 8 lanes.
// Powers by our own log2 and exp2: the built-in ones are not accurate everywhere.
//#import elementary
//#import pairs_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return sum + power4(abs(vec4(a) - b), params.alpha);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    return power4(sum, 1.0 / params.alpha);
}
