// The sum of powers of each pair of rows, Σ|x−y|ᵖ with alpha = p: a Minkowski distance before its root.
// A workgroup makes one 128×128 tile through workgroup memory.
// Roots would make ties of sums that differ; a sum beyond 2¹²⁷ becomes the largest number, which the read-back refuses.
//#import elementary
//#import pairs_portable
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return sum + power4(abs(vec4(a) - b), params.alpha);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    return select(sum, vec4(3.4028234e38), sum >= vec4(1.7014118e38));
}
