// Four numbers from two 64-bit words.
// For software drivers: they load lane by lane and word by word, so words twice as long are half as many loads.
// A buffer of vec4<f32> is bound as one of vec2<u64>; little-endian, as every such driver is.
fn halves(words: vec2<u64>) -> vec4<f32> {
    return bitcast<vec4<f32>>(vec4(u32(words.x), u32(words.x >> 32u), u32(words.y), u32(words.y >> 32u)));
}
