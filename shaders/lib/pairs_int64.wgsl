// The operands of a pair kernel, A at 1 and B at 2, read as 64-bit words.
// For software drivers, whose loads these halve.
// The rest is as in pairs_operands.
//#import int64
@group(0) @binding(1) var<storage, read> a: array<vec2<u64>>;
@group(0) @binding(2) var<storage, read> b: array<vec2<u64>>;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return halves(a[params.a_first + min(row, params.rows - 1u) * params.a_vec4s + vec4_index]);
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return halves(b[params.b_first + min(column, params.columns - 1u) * params.b_vec4s + vec4_index]);
}
