// C = activation(alpha·A·B + beta·C + bias), where A may be given by rows along the depth or across it (A_DEEP), and so
// may B. A workgroup makes one tile through workgroup memory.
// Layers of the grid split the depth where the output is small; gemm__merge adds them in their order.
//#import bias
//#import pairs
override A_DEEP: u32 = 0u;
override B_DEEP: u32 = 0u;

@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

// A row past the end is the last one again; what comes of it is not stored. A depth past the end adds nothing.
fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    let kept = min(row, params.rows - 1u);
    if (A_DEEP == 0u) {
        return a[params.a_first + kept * params.a_vec4s + vec4_index];
    }
    let depth = 4u * vec4_index + row % 4u;
    let value = a[params.a_first + min(depth, params.depth - 1u) * params.a_vec4s + kept / 4u];
    return select(vec4<f32>(), value, depth < params.depth);
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    let kept = min(column, params.columns - 1u);
    if (B_DEEP == 0u) {
        return b[params.b_first + kept * params.b_vec4s + vec4_index];
    }
    let depth = 4u * vec4_index + column % 4u;
    let value = b[params.b_first + min(depth, params.depth - 1u) * params.b_vec4s + kept / 4u];
    return select(vec4<f32>(), value, depth < params.depth);
}

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sums);
}

fn pairs_finish(row: u32, column: u32, sums: vec4<f32>) -> vec4<f32> {
    return with_bias(column, sums);
}
