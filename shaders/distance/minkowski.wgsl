// Minkowski distance of each pair of rows, (Σ|x−y|ᵖ)^(1/p), with alpha = p.
// A workgroup makes one 128×128 tile through workgroup memory.
// Powers by our own log2 and exp2: the built-in ones are not accurate everywhere.
//#import elementary
//#import pairs_portable
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return sum + power4(abs(vec4(a) - b), params.alpha);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    // A power that was held at 2¹²⁷ is no longer a distance: the product overflows, and the read-back says so.
    return select(power4(sum, 1.0 / params.alpha), sum * 3e38, sum >= vec4(1.7014118e38));
}
