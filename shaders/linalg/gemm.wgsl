// C = alpha·A·Bᵀ + beta·C, the rows of A and B along the depth.
// A workgroup makes one 128×128 tile through workgroup memory.
// Layers of the grid split a long depth; gemm__merge adds them in their order.
//#import pairs
fn tile_step(sum: f32, a: vec4<f32>, b: vec4<f32>) -> f32 {
    return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

// With beta = 0 the old value is not read: it may be anything.
fn pairs_finish(sum: f32, at: u32) -> f32 {
    if (params.beta == 0.0) {
        return params.alpha * sum;
    }
    return params.alpha * sum + params.beta * out[at];
}
