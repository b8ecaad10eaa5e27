// C = alpha·A·Bᵀ + beta·C, the rows of A and B along the depth.
// As gemm__subgroup, for software drivers: operands are read as 64-bit words, columns broadcast inside subgroups of a multiple of 8 lanes.
// Layers of the grid split a long depth; gemm__merge adds them in their order.
//#import pairs_int64
//#import tile_subgroup_wide
//#import pairs_subgroup_main
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sum);
}

// With beta = 0 the old value is not read: it may be anything.
fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    if (params.beta == 0.0) {
        return params.alpha * sum;
    }
    return params.alpha * sum + params.beta * out[at];
}
