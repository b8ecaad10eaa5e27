// Numbers of f32 as integers of thirty bits, by a power of two that is the same for all that are added up, as in
// FixedPoint::new of the host. Cut off, not rounded; numbers below the normal ones are 0, as some drivers make them.
// Sums of such integers are the same in any order.

// The power of two that brings a number with these bits, the largest, to thirty bits.
fn exponent_for(largest: u32) -> i32 {
    return select(min(29 - (i32(largest >> 23u) - 127), 125), 0, largest == 0u);
}

// The integer part of |value|·2^exponent.
fn fine_size(bits: u32, exponent: i32) -> u32 {
    let biased = i32((bits >> 23u) & 255u);
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    let down = 150 - biased - exponent;
    if (biased == 0 || down > 23) {
        return 0u;
    }
    return select(mantissa << u32(clamp(-down, 0, 7)), mantissa >> u32(max(down, 0)), down > 0);
}

// The same with the sign of the value, in 64 bits.
fn fine(bits: u32, exponent: i32) -> vec2<u32> {
    let size = fine_size(bits, exponent);
    if (bits >= 0x80000000u && size > 0u) {
        return vec2(0u - size, 0xffffffffu);
    }
    return vec2(size, 0u);
}
