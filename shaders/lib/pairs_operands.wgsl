// The operands of a pair kernel: A at 1, B at 2.
// A row past the end is the last one again; what comes of it is not stored.
// Four values along the depth at a time.
const A_DEEP = 0u;
const B_DEEP = 0u;

@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return a[params.a_first + min(row, params.rows - 1u) * params.a_vec4s + vec4_index];
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return b[params.b_first + min(column, params.columns - 1u) * params.b_vec4s + vec4_index];
}
