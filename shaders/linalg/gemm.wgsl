// C = alpha·A·B + beta·C, where A may be given by rows along the depth or across it (A_DEEP), and so may B.
// A workgroup makes one 128×128 tile through workgroup memory.
// Layers of the grid split a long depth; gemm__merge adds them in their order.
//#import pairs
override A_DEEP: u32 = 0u;
override B_DEEP: u32 = 0u;

@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;

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

// With beta = 0 the old value is not read: it may be anything.
fn pairs_finish(sums: vec4<f32>, at: u32) -> vec4<f32> {
    if (params.beta == 0.0) {
        return params.alpha * sums;
    }
    return params.alpha * sums + params.beta * out[at];
}
