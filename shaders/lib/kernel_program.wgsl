// A kernel function as a short program in the uniform, run on four sums at a time.
// Two instructions lie in a vec4: code and number, code and number. The stack is four named values, so that nothing is
// indexed; every lane runs the same instructions, so branches do not diverge.
// The importing shader's params have `program` and `instructions`; it defines kernel_load, what a register holds.
// src/cpu/gram/program.rs says what each code means and takes the same steps.
//#import elementary
const KERNEL_LARGEST = 3.0e38;
const KERNEL_PI = 3.14159265358979;

// The form that most users want is compiled by itself: nothing is interpreted, so it needs few registers.
override FORM: u32 = 1u;
const FORM_GAUSSIAN = 1u;

// What is summed over the columns: products, squares or absolute values of differences, or the limit of sums of cosines.
override STEP: u32 = 0u;
const STEP_PRODUCT = 0u;
const STEP_SQUARE = 1u;
const STEP_ABSOLUTE = 2u;

// sin(2πd)/d − 2π, which is 0 where the padding of both rows meets.
fn sinc_beyond(difference: f32) -> f32 {
    let size = abs(difference);
    let rest = size - round(size);
    let folded = min(abs(rest), 0.5 - abs(rest));
    let wave = sine_cosine(KERNEL_PI * folded);
    let value = select(2.0, -2.0, rest < 0.0) * wave.x * wave.y / max(size, 1e-5);
    return select(value - 2.0 * KERNEL_PI, 0.0, size < 1e-5);
}

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    if (STEP == STEP_PRODUCT) {
        return fma(vec4(a), b, sums);
    }
    let difference = vec4(a) - b;
    if (STEP == STEP_SQUARE) {
        return fma(difference, difference, sums);
    }
    if (STEP == STEP_ABSOLUTE) {
        return sums + abs(difference);
    }
    return sums + vec4(
        sinc_beyond(difference.x),
        sinc_beyond(difference.y),
        sinc_beyond(difference.z),
        sinc_beyond(difference.w),
    );
}

// The sum of a row with itself, from the square of its length.
fn own_sum(square: f32) -> f32 {
    return select(0.0, square, STEP == STEP_PRODUCT);
}

fn kernel_hold(x: vec4<f32>) -> vec4<f32> {
    return clamp(x, vec4(-KERNEL_LARGEST), vec4(KERNEL_LARGEST));
}

fn kernel_power(x: vec4<f32>, degree: u32) -> vec4<f32> {
    var result = vec4(1.0);
    var base = x;
    for (var left = degree; left > 0u; left = left >> 1u) {
        if ((left & 1u) == 1u) {
            result = kernel_hold(result * base);
        }
        base = kernel_hold(base * base);
    }
    return result;
}

// The argument is held, so that the built-in one, good to 3 + 2|x| units of the last place, meets no overflow.
fn kernel_exponential(x: vec4<f32>) -> vec4<f32> {
    return select(exp(clamp(x, vec4(-87.33), vec4(88.02))), vec4<f32>(), x < vec4(-87.33));
}

fn kernel_tangents(x: vec4<f32>) -> vec4<f32> {
    return vec4(
        hyperbolic_tangent(x.x),
        hyperbolic_tangent(x.y),
        hyperbolic_tangent(x.z),
        hyperbolic_tangent(x.w),
    );
}

// √(1−|x|) times a polynomial: the built-in one may be wrong in the fourth digit.
fn arc_cosine(x: vec4<f32>) -> vec4<f32> {
    let size = abs(x);
    let high = 0.03089188 + size * (-0.017088126 + size * (0.00667009 - size * 0.0012624911));
    let low = -0.2145988 + size * (0.08897899 + size * (-0.050174305 + size * high));
    let angle = sqrt(max(1.0 - size, vec4<f32>())) * (1.57079633 + size * low);
    return select(angle, KERNEL_PI - angle, x < vec4<f32>());
}

fn network_tangent(x: vec4<f32>, layers: u32) -> vec4<f32> {
    var rho = x;
    var theta = x;
    for (var layer = 0u; layer < layers; layer += 1u) {
        let rest = KERNEL_PI - arc_cosine(rho);
        let next = (sqrt(max(1.0 - rho * rho, vec4<f32>())) + rest * rho) / KERNEL_PI;
        theta = theta * rest / KERNEL_PI + next;
        rho = min(next, vec4(1.0));
    }
    return theta;
}

fn kernel_values(sums: vec4<f32>, square: f32, squares: vec4<f32>, at: u32) -> vec4<f32> {
    if (FORM == FORM_GAUSSIAN) {
        // Squared distance, scale, exponential.
        return kernel_exponential(params.program[0].w * max((square + squares) - 2.0 * sums, vec4<f32>()));
    }
    var total = sums;
    if (STEP > STEP_ABSOLUTE) {
        total = sums + 2.0 * KERNEL_PI * f32(params.depth);
    }
    var s0 = vec4<f32>();
    var s1 = vec4<f32>();
    var s2 = vec4<f32>();
    var s3 = vec4<f32>();
    for (var i = 0u; i < params.instructions; i += 1u) {
        let two = params.program[i / 2u];
        let instruction = select(two.xy, two.zw, (i & 1u) == 1u);
        let code = u32(instruction.x);
        let number = instruction.y;
        if (code <= 5u) {
            s3 = s2;
            s2 = s1;
            s1 = s0;
        }
        switch (code) {
            case 0u: {
                s0 = total;
            }
            case 1u: {
                s0 = max((square + squares) - 2.0 * total, vec4<f32>());
            }
            case 2u: {
                let lengths = sqrt(square) * sqrt(squares);
                // Within rounding of ±1 it is that: the angle would make much of the difference.
                let share = total / max(lengths, vec4(1e-37));
                s0 = select(share, sign(share), abs(share) > vec4(0.9999996));
                s0 = select(vec4<f32>(), s0, lengths > vec4<f32>());
            }
            case 3u: {
                s0 = sqrt(square) * sqrt(squares);
            }
            case 4u: {
                s0 = kernel_load(u32(number), at);
            }
            case 5u: {
                s0 = vec4(number);
            }
            case 6u: {
                s0 = kernel_hold(s0 * number);
            }
            case 7u: {
                s0 = kernel_hold(s0 + number);
            }
            case 8u: {
                s0 = kernel_hold(s1 + s0);
                s1 = s2;
                s2 = s3;
            }
            case 9u: {
                s0 = kernel_hold(s1 * s0);
                s1 = s2;
                s2 = s3;
            }
            case 10u: {
                s0 = kernel_power(s0, u32(number));
            }
            case 11u: {
                s0 = kernel_exponential(s0);
            }
            case 12u: {
                s0 = kernel_tangents(s0);
            }
            default: {
                s0 = network_tangent(s0, u32(number));
            }
        }
    }
    return s0;
}
