// The operands of a pair kernel, A at 1 and B at 2, read as 64-bit words.
// For software drivers: they load lane by lane and word by word, so words twice as long are half as many loads.
// The rest is as in pairs_operands.
@group(0) @binding(1) var<storage, read> a: array<vec2<u64>>;
@group(0) @binding(2) var<storage, read> b: array<vec2<u64>>;

fn halves(words: vec2<u64>) -> vec4<f32> {
    return bitcast<vec4<f32>>(vec4(u32(words.x), u32(words.x >> 32u), u32(words.y), u32(words.y >> 32u)));
}

fn tile_a(row: u32, quad: u32) -> vec4<f32> {
    return halves(a[params.a_first + min(row, params.rows - 1u) * params.a_quads + quad]);
}

fn tile_b(column: u32, quad: u32) -> vec4<f32> {
    return halves(b[params.b_first + min(column, params.columns - 1u) * params.b_quads + quad]);
}
