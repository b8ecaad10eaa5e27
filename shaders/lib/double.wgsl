// Numbers of f64 as two words, the low one first: WGSL has none. Sums, products and quotients are rounded to the nearest,
// ties to even, as the host rounds them, so that a device finds the very numbers that the host would.
// Neither NaN nor numbers below the normal ones occur: those become 0. Needs lib/wide.
const DOUBLE_SIGN = 0x80000000u;
const DOUBLE_INFINITY = 0x7ff00000u;

fn double_is_zero(a: vec2<u32>) -> bool {
    return ((a.y & ~DOUBLE_SIGN) | a.x) == 0u;
}

fn double_negative(a: vec2<u32>) -> vec2<u32> {
    return vec2(a.x, a.y ^ DOUBLE_SIGN);
}

fn double_abs(a: vec2<u32>) -> vec2<u32> {
    return vec2(a.x, a.y & ~DOUBLE_SIGN);
}

// Whether a < b.
fn double_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    if (double_is_zero(a) && double_is_zero(b)) {
        return false;
    }
    let a_negative = a.y >= DOUBLE_SIGN;
    let b_negative = b.y >= DOUBLE_SIGN;
    if (a_negative != b_negative) {
        return a_negative;
    }
    return select(wide_less(a, b), wide_less(b, a), a_negative);
}

fn double_mantissa(a: vec2<u32>) -> vec2<u32> {
    return vec2(a.x, (a.y & 0xfffffu) | 0x100000u);
}

fn double_exponent(a: vec2<u32>) -> i32 {
    return i32((a.y >> 20u) & 0x7ffu) - 1023;
}

fn wide_shift_left(a: vec2<u32>, shift: u32) -> vec2<u32> {
    if (shift >= 32u) {
        return vec2(0u, a.x << (shift - 32u));
    }
    return vec2(a.x << shift, (a.y << shift) | select(0u, a.x >> (32u - max(shift, 1u)), shift > 0u));
}

// Shifted right; the lowest bit is also set where a one was shifted out.
fn wide_shift_right_sticky(a: vec2<u32>, shift: u32) -> vec2<u32> {
    if (shift == 0u) {
        return a;
    }
    if (shift >= 64u) {
        return vec2(select(0u, 1u, (a.x | a.y) != 0u), 0u);
    }
    var kept = vec2((a.x >> shift) | (a.y << (32u - shift)), a.y >> shift);
    var lost = a.x << (32u - shift);
    if (shift >= 32u) {
        kept = vec2(a.y >> (shift - 32u), 0u);
        lost = a.x | select(0u, a.y << (64u - shift), shift > 32u);
    }
    if (shift == 32u) {
        kept = vec2(a.y, 0u);
    }
    return vec2(kept.x | select(0u, 1u, lost != 0u), kept.y);
}

fn wide_leading_zeros(a: vec2<u32>) -> u32 {
    return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}

// ±mantissa·2^(exponent − 63), the mantissa with its highest bit set; its lowest says whether anything lies below.
fn double_rounded(sign: u32, exponent: i32, mantissa: vec2<u32>) -> vec2<u32> {
    if (exponent < -1022) {
        return vec2(0u, sign);
    }
    if (exponent > 1023) {
        return vec2(0u, DOUBLE_INFINITY | sign);
    }
    var kept = vec2((mantissa.x >> 11u) | (mantissa.y << 21u), mantissa.y >> 11u);
    let rest = mantissa.x & 0x7ffu;
    if (rest > 0x400u || (rest == 0x400u && (kept.x & 1u) == 1u)) {
        kept = wide_add(kept, vec2(1u, 0u));
    }
    // The highest bit of `kept` adds one to the exponent.
    return wide_add(kept, vec2(0u, u32(exponent + 1022) << 20u)) | vec2(0u, sign);
}

fn double_of_integer(a: vec2<u32>) -> vec2<u32> {
    if ((a.x | a.y) == 0u) {
        return vec2<u32>();
    }
    let zeros = wide_leading_zeros(a);
    return double_rounded(0u, 63 - i32(zeros), wide_shift_left(a, zeros));
}

fn double_multiply(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = (a.y ^ b.y) & DOUBLE_SIGN;
    if (double_is_zero(a) || double_is_zero(b)) {
        return vec2(0u, sign);
    }
    if (max(double_abs(a).y, double_abs(b).y) >= DOUBLE_INFINITY) {
        return vec2(0u, DOUBLE_INFINITY | sign);
    }
    let first = wide_shift_left(double_mantissa(a), 11u);
    let second = wide_shift_left(double_mantissa(b), 11u);
    let low = multiply(first.x, second.x);
    let middle = low.x + first.x * second.y + first.y * second.x;
    var product = wide_multiply_high(first, second);
    var exponent = double_exponent(a) + double_exponent(b) + 1;
    if (product.y < DOUBLE_SIGN) {
        product = vec2((product.x << 1u) | (middle >> 31u), (product.y << 1u) | (product.x >> 31u));
        exponent -= 1;
    }
    return double_rounded(sign, exponent, vec2(product.x | select(0u, 1u, (low.y | middle) != 0u), product.y));
}

fn double_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if (double_is_zero(a)) {
        return b;
    }
    if (double_is_zero(b)) {
        return a;
    }
    let swapped = wide_less(double_abs(a), double_abs(b));
    let large = select(a, b, vec2(swapped));
    let small = select(b, a, vec2(swapped));
    let distance = u32(double_exponent(large) - double_exponent(small));
    let first = wide_shift_left(double_mantissa(large), 10u);
    let second = wide_shift_right_sticky(wide_shift_left(double_mantissa(small), 10u), distance);
    var sum = vec2<u32>();
    if (((large.y ^ small.y) & DOUBLE_SIGN) == 0u) {
        sum = wide_add(first, second);
    } else {
        sum = wide_subtract(first, second);
    }
    if ((sum.x | sum.y) == 0u) {
        return vec2<u32>();
    }
    let zeros = wide_leading_zeros(sum);
    return double_rounded(large.y & DOUBLE_SIGN, double_exponent(large) + 1 - i32(zeros), wide_shift_left(sum, zeros));
}

fn double_subtract(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return double_add(a, double_negative(b));
}

// a / b, where b is not 0: a bit of the quotient at a time.
fn double_divide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = (a.y ^ b.y) & DOUBLE_SIGN;
    if (double_is_zero(a)) {
        return vec2(0u, sign);
    }
    var rest = double_mantissa(a);
    let divisor = double_mantissa(b);
    var exponent = double_exponent(a) - double_exponent(b);
    if (wide_less(rest, divisor)) {
        rest = wide_add(rest, rest);
        exponent -= 1;
    }
    var quotient = vec2<u32>();
    for (var bit = 0u; bit < 55u; bit += 1u) {
        quotient = wide_add(quotient, quotient);
        if (!wide_less(rest, divisor)) {
            rest = wide_subtract(rest, divisor);
            quotient.x |= 1u;
        }
        rest = wide_add(rest, rest);
    }
    quotient = wide_shift_left(quotient, 9u);
    return double_rounded(sign, exponent, vec2(quotient.x | select(0u, 1u, (rest.x | rest.y) != 0u), quotient.y));
}

// The nearest f32, ties to even; what is below its normal numbers is 0.
fn double_to_single(a: vec2<u32>) -> f32 {
    let sign = a.y & DOUBLE_SIGN;
    let exponent = double_exponent(a);
    if (exponent < -126) {
        return bitcast<f32>(sign);
    }
    if (exponent > 127) {
        return bitcast<f32>(sign | 0x7f800000u);
    }
    let mantissa = double_mantissa(a);
    // 53 bits become 24: 29 are dropped.
    let kept = (mantissa.y << 3u) | (mantissa.x >> 29u);
    let rest = mantissa.x & 0x1fffffffu;
    let up = rest > 0x10000000u || (rest == 0x10000000u && (kept & 1u) == 1u);
    return bitcast<f32>(sign | ((u32(exponent + 126) << 23u) + kept + select(0u, 1u, up)));
}

// A number of f32 that is 0 or not below its normal numbers.
fn double_of_single(bits: u32) -> vec2<u32> {
    if ((bits & 0x7fffffffu) == 0u) {
        return vec2<u32>();
    }
    return vec2(bits << 29u, (bits & DOUBLE_SIGN) | (((bits & 0x7fffffffu) >> 3u) + (896u << 20u)));
}

// The integer part of a number of at least 0 and below 2⁶³.
fn double_floor(a: vec2<u32>) -> vec2<u32> {
    let exponent = double_exponent(a);
    if (exponent < 0) {
        return vec2<u32>();
    }
    let first = wide_shift_left(double_mantissa(a), 11u);
    let shift = u32(63 - exponent);
    if (shift >= 32u) {
        return vec2(first.y >> (shift - 32u), 0u);
    }
    return vec2((first.x >> shift) | select(0u, first.y << (32u - max(shift, 1u)), shift > 0u), first.y >> shift);
}
