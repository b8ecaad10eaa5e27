// The three products of a dense layer: values tail(X·W + bias), slopes by its inputs tail'(S·Wᵀ), slopes by its weights Xᵀ·S.
// A workgroup makes one tile on the tile core; PRODUCT says which of the three, and the tail is applied before the store.
// Xᵀ has one row more, of ones, so that the slopes by the biases are the last row of the third product.
//#import layer_tail
//#import pairs
override A_DEEP: u32 = 0u;
override B_DEEP: u32 = 0u;
override PRODUCT: u32 = 0u;
const VALUES = 0u;
const INPUT_SLOPES = 1u;
const WEIGHT_SLOPES = 2u;

@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> saved: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> bias: array<vec4<f32>>;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    let kept = min(row, params.rows - 1u);
    if (A_DEEP == 0u) {
        return a[params.a_first + kept * params.a_vec4s + vec4_index];
    }
    let depth = 4u * vec4_index + row % 4u;
    let column = min(kept / 4u, params.a_vec4s - 1u);
    let value = a[params.a_first + min(depth, params.depth - 1u) * params.a_vec4s + column];
    let ones = vec4(4u * (kept / 4u)) + vec4(0u, 1u, 2u, 3u) == vec4(params.rows - 1u);
    return select(vec4<f32>(), select(value, vec4(1.0), ones), depth < params.depth);
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
    let item = row * params.out_vec4s + column / 4u;
    if (PRODUCT == VALUES) {
        return tail_forward(drop_of(params.low, params.high), item, sums + bias[params.column_first / 4u + column / 4u]);
    }
    if (PRODUCT == INPUT_SLOPES) {
        return tail_backward(drop_of(params.low, params.high), item, sums, saved[params.row_first / 4u + item]);
    }
    return sums;
}
