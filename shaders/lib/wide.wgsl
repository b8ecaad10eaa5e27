// Integers of 64 bits as two words, the low one first, modulo 2⁶⁴: WGSL has none. And Philox, which is made of products.
// What decides at random is counted in them, so that every device decides alike.
// a − b is a + (not b) + 1. A product's high word comes first in `multiply`, as Philox takes it.

// High and low word of a product, by halves.
fn multiply(a: u32, b: u32) -> vec2<u32> {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let middle = a_high * b_low + ((a_low * b_low) >> 16u);
    let carried = a_low * b_high + (middle & 0xffffu);
    return vec2(a_high * b_high + (middle >> 16u) + (carried >> 16u), a * b);
}

fn wide_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn wide_subtract(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn wide_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// ⌊a·b / 2⁶⁴⌋.
fn wide_multiply_high(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = multiply(a.x, b.x);
    let first = multiply(a.x, b.y);
    let second = multiply(a.y, b.x);
    let high = multiply(a.y, b.y);
    let middle = wide_add(vec2(low.x, 0u), wide_add(vec2(first.y, 0u), vec2(second.y, 0u)));
    let sum = wide_add(vec2(first.x, 0u), wide_add(vec2(second.x, 0u), vec2(middle.y, 0u)));
    return wide_add(vec2(high.y, high.x), sum);
}

// ⌊a·2⁶⁴ / b⌋ for a < b < 2⁶³.
fn wide_fraction(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    var left = a;
    var fraction = vec2<u32>();
    for (var bit = 0u; bit < 64u; bit += 1u) {
        left = wide_add(left, left);
        fraction = wide_add(fraction, fraction);
        if (!wide_less(left, b)) {
            left = wide_subtract(left, b);
            fraction.x |= 1u;
        }
    }
    return fraction;
}

fn exponent_of(value: f32) -> u32 {
    return bitcast<u32>(value) >> 23u;
}

// A non-negative number in units of 2⁻³⁹ of the power of two at exponent `largest`, rounded down: below 2⁴⁰.
fn wide_scaled(value: f32, largest: u32) -> vec2<u32> {
    let bits = bitcast<u32>(value);
    let exponent = bits >> 23u;
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    if (exponent == 0u || exponent + 40u <= largest) {
        return vec2<u32>();
    }
    if (exponent + 16u < largest) {
        return vec2(mantissa >> (largest - exponent - 16u), 0u);
    }
    let shift = exponent + 16u - largest;
    return vec2(mantissa << shift, select(0u, mantissa >> (32u - max(shift, 1u)), shift > 0u));
}

// Philox4x32-10: four random numbers from a counter and a key, the same whoever asks, and the same as the host's.
fn philox_of(counter: vec4<u32>, first_key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var key = first_key;
    for (var round = 0u; round < 10u; round += 1u) {
        let first = multiply(c.x, 0xd2511f53u);
        let second = multiply(c.z, 0xcd9e8d57u);
        c = vec4(second.x ^ c.y ^ key.x, second.y, first.x ^ c.w ^ key.y, first.y);
        key += vec2(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}
