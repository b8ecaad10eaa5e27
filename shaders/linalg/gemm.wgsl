// C = alpha·A·Bᵀ + beta·C, the rows of A and B along the depth.
// A workgroup makes one 128×128 tile through workgroup memory.
// Layers of the grid split a long depth; gemm__merge adds them in their order.
//#import pairs
fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sums);
}

// With beta = 0 the old value is not read: it may be anything.
fn pairs_finish(sums: vec4<f32>, at: u32) -> vec4<f32> {
    if (params.beta == 0.0) {
        return params.alpha * sums;
    }
    return params.alpha * sums + params.beta * out[at];
}
