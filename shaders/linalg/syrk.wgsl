// Σw·(x−c)(x−c)ᵀ over the rows of X: a product whose operands are centred, and one of them weighted, as they are read.
// A workgroup makes one tile through workgroup memory.
// Layers of the grid split the rows; gemm__merge adds them in their order.
//#import pairs
override WEIGHTED: u32 = 0u;

const A_DEEP = 1u;
const B_DEEP = 1u;

@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> center: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> weight: array<f32>;

// Rows beyond the last become zeros, not −c, so that they add nothing.
fn centred(depth: u32, vec4_index: u32) -> vec4<f32> {
    let at = min(vec4_index, params.a_vec4s - 1u);
    let value = x[params.a_first + min(depth, params.depth - 1u) * params.a_vec4s + at] - center[params.b_first + at];
    return select(vec4<f32>(), value, depth < params.depth);
}

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return centred(4u * vec4_index + row % 4u, row / 4u);
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    let depth = 4u * vec4_index + column % 4u;
    if (WEIGHTED == 0u) {
        return centred(depth, column / 4u);
    }
    return centred(depth, column / 4u) * weight[params.extra_first + min(depth, params.depth - 1u)];
}

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sums);
}

fn pairs_finish(row: u32, column: u32, sums: vec4<f32>) -> vec4<f32> {
    return sums;
}
