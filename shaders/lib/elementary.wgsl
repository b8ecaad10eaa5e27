// Logarithm, exponential and their kin in f32, right where WGSL's built-in ones are not: near 1, near 0, far out.
// The series themselves, cut where the next term is below a rounding, and stable forms around them. Arguments are reduced
// in integers: drivers that reorder float arithmetic, as Metal's do, would undo a reduction in two parts.
// tests/ops/elementary.rs states and checks each error; src/cpu/elementary.rs is the host's.
const LN_2 = 0.693147180559945;
const LOG2_E = 1.44269504088896;
// ln 2 · 2³⁰; 127 times its rounding error is 6·2⁻³⁰.
const LN_2_FIXED = 744261118i;
const FIXED_UNIT = 9.31322574615479e-10;

// 2·artanh(s) beyond its first term, for |s| ≤ 0.172.
fn artanh_series(s: f32) -> f32 {
    let z = s * s;
    return z * (0.333333333 + z * (0.2 + z * (0.142857143 + z * 0.111111111)));
}

// The logarithm to base 2 of a positive normal number.
fn logarithm2(x: f32) -> f32 {
    let exponent = (bitcast<i32>(x) - 0x3f3504f3) >> 23u;
    let mantissa = bitcast<f32>(bitcast<i32>(x) - (exponent << 23u));
    let above = mantissa - 1.0;
    let twice = 2.0 * above / (2.0 + above);
    return f32(exponent) + LOG2_E * (twice + twice * artanh_series(0.5 * twice));
}

// x·2³⁰ for |x| < 2⁷, without the bits above the 32nd: a multiple that is near is taken away, and the rest fits again.
fn fixed_point(x: f32) -> i32 {
    let bits = bitcast<u32>(x);
    let exponent = (bits >> 23u) & 0xffu;
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    let left = mantissa << min(max(exponent, 120u) - 120u, 31u);
    let right = mantissa >> min(120u - min(exponent, 120u), 31u);
    let size = bitcast<i32>(select(right, left, exponent >= 120u));
    return select(size, -size, bits >> 31u == 1u);
}

// eʸ·2ʷ for |y| a little above ½·ln 2 and −126 ≤ w ≤ 127.
fn scaled_exponential(y: f32, whole: i32) -> f32 {
    let high = 0.0416666667 + y * (0.00833333333 + y * (0.00138888889 + y * 0.000198412698));
    let fraction = 1.0 + y * (1.0 + y * (0.5 + y * (0.166666667 + y * high)));
    return fraction * bitcast<f32>((whole + 127) << 23u);
}

// 2 to the power x, held within 2⁻¹²⁶ and 2¹²⁷.
fn power_of_2(x: f32) -> f32 {
    let held = clamp(x, -126.0, 127.0);
    let whole = i32(round(held));
    let rest = fixed_point(held) - (whole << 30u);
    return scaled_exponential(f32(rest) * (FIXED_UNIT * LN_2), whole);
}

// e to the power x, held within 2⁻¹²⁶ and 2¹²⁷.
fn exponential(x: f32) -> f32 {
    let held = clamp(x, -87.33, 88.02);
    let whole = i32(round(held * LOG2_E));
    let rest = fixed_point(held) - whole * LN_2_FIXED;
    return scaled_exponential(f32(rest) * FIXED_UNIT, whole);
}

// The natural logarithm of a positive normal number.
fn logarithm(x: f32) -> f32 {
    return LN_2 * logarithm2(x);
}

// ln(1 + x) for x > −1, right also where 1 + x would round x away.
fn log1p(x: f32) -> f32 {
    if (x > -0.29 && x < 0.41) {
        let twice = 2.0 * x / (2.0 + x);
        return twice + twice * artanh_series(0.5 * twice);
    }
    return logarithm(1.0 + x);
}

// ln(1 + eˣ) without overflow.
fn softplus(x: f32) -> f32 {
    return max(x, 0.0) + log1p(exponential(-abs(x)));
}

// 1 / (1 + e⁻ˣ) without overflow.
fn logistic(x: f32) -> f32 {
    let e = exponential(-abs(x));
    return select(e, 1.0, x >= 0.0) / (1.0 + e);
}

// By Lambert's continued fraction near 0, where the built-in one loses all digits, and by e²ˣ elsewhere.
fn hyperbolic_tangent(x: f32) -> f32 {
    let size = abs(x);
    if (size < 1.0) {
        let z = x * x;
        return x / (1.0 + z / (3.0 + z / (5.0 + z / (7.0 + z / (9.0 + z / 11.0)))));
    }
    let far = 1.0 - 2.0 / (exponential(2.0 * min(size, 20.0)) + 1.0);
    return select(-far, far, x > 0.0);
}

// ln(eᵃ + eᵇ), the larger taken out first.
fn log_add_exp(a: f32, b: f32) -> f32 {
    return max(a, b) + log1p(exponential(-abs(a - b)));
}

// ln Σeˣ of four, the largest taken out first.
fn log_sum_exp(x: vec4<f32>) -> f32 {
    let largest = max(max(x.x, x.y), max(x.z, x.w));
    let y = x - largest;
    return largest + logarithm((exponential(y.x) + exponential(y.y)) + (exponential(y.z) + exponential(y.w)));
}

// Non-negative x to the power p > 0, of four. What lies below 2⁻¹²⁶ is 0, also before it is raised; what lies above 2¹²⁷
// is held there.
fn power4(x: vec4<f32>, p: f32) -> vec4<f32> {
    let y = max(x, vec4(1.1754944e-38));
    let exponent = p * vec4(logarithm2(y.x), logarithm2(y.y), logarithm2(y.z), logarithm2(y.w));
    let power = vec4(
        power_of_2(exponent.x),
        power_of_2(exponent.y),
        power_of_2(exponent.z),
        power_of_2(exponent.w),
    );
    // Whether a driver flushes denormals to zero must not show.
    let none = bitcast<vec4<u32>>(x) < vec4(0x00800000u);
    return select(power, vec4<f32>(), (exponent < vec4(-126.0)) | none);
}

// Sine and cosine of an angle within ±π/4.
fn sine_cosine(angle: f32) -> vec2<f32> {
    let z = angle * angle;
    let sine = z * (-0.166666667 + z * (0.00833333333 + z * (-0.000198412698 + z * 0.00000275573192)));
    let high = 0.0416666667 + z * (-0.00138888889 + z * (0.0000248015873 - z * 0.000000275573192));
    return vec2(angle + angle * sine, 1.0 + z * (-0.5 + z * high));
}
