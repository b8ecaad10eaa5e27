// Whole numbers of 64 bits as two words, the lower one first, modulo 2⁶⁴.
// WGSL has no such type that every device knows.
// a − b is a + (not b) + 1.
fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}
