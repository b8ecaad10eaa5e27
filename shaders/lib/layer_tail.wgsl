// What a layer does to four of its values in the end, activation and dropout, and the way back from slopes by its values to
// slopes by its sums. `saved` are the values as they were stored, with dropout in them.
// Dropout draws by counter: (four values' place in the batch, step), so the way back leaves out the same values.
//#import elementary
//#import wide
override TAIL: u32 = 0u;
override DROPOUT: u32 = 0u;
const TAIL_RELU = 1u;
const TAIL_LEAKY_RELU = 2u;
const TAIL_LOGISTIC = 3u;
const TAIL_TANH = 4u;
const TAIL_SIGN = 5u;
const TAIL_LEAK = 0.01;
const DROPOUT_STREAM = 0x4e440001u;

// The numbers of dropout: 1 over what is kept, what is kept, the threshold; the step, then the key in halves of 16 bits.
struct Drop {
    scale: f32,
    kept: f32,
    threshold: u32,
    step: u32,
    key: vec2<u32>,
}

// From the numbers that a product is given.
fn drop_of(low: vec4<f32>, high: vec4<f32>) -> Drop {
    let key = vec4<u32>(high);
    return Drop(low.x, low.y, u32(low.z), u32(low.w), vec2(key.x | (key.y << 16u), key.z | (key.w << 16u)));
}

fn tail_values(x: vec4<f32>) -> vec4<f32> {
    switch (TAIL) {
        case TAIL_RELU: {
            return max(x, vec4<f32>());
        }
        case TAIL_LEAKY_RELU: {
            return max(x, TAIL_LEAK * x);
        }
        case TAIL_LOGISTIC: {
            return vec4(logistic(x.x), logistic(x.y), logistic(x.z), logistic(x.w));
        }
        case TAIL_TANH: {
            return vec4(
                hyperbolic_tangent(x.x),
                hyperbolic_tangent(x.y),
                hyperbolic_tangent(x.z),
                hyperbolic_tangent(x.w),
            );
        }
        case TAIL_SIGN: {
            return select(vec4(1.0), vec4(-1.0), x < vec4<f32>());
        }
        default: {
            return x;
        }
    }
}

fn tail_slopes(value: vec4<f32>) -> vec4<f32> {
    switch (TAIL) {
        case TAIL_RELU: {
            return select(vec4<f32>(), vec4(1.0), value > vec4<f32>());
        }
        case TAIL_LEAKY_RELU: {
            return select(vec4(TAIL_LEAK), vec4(1.0), value > vec4<f32>());
        }
        case TAIL_LOGISTIC: {
            return value * (1.0 - value);
        }
        case TAIL_TANH: {
            return 1.0 - value * value;
        }
        case TAIL_SIGN: {
            return vec4<f32>();
        }
        default: {
            return vec4(1.0);
        }
    }
}

fn drop_factors(drop: Drop, item: u32) -> vec4<f32> {
    let numbers = philox_of(vec4(item, drop.step, DROPOUT_STREAM, 0u), drop.key) >> vec4(8u);
    return select(vec4(drop.scale), vec4<f32>(), numbers < vec4(drop.threshold));
}

// `item` is the number of these four values in the batch.
fn tail_forward(drop: Drop, item: u32, sums: vec4<f32>) -> vec4<f32> {
    let values = tail_values(sums);
    if (DROPOUT == 1u) {
        return values * drop_factors(drop, item);
    }
    return values;
}

fn tail_backward(drop: Drop, item: u32, slopes: vec4<f32>, saved: vec4<f32>) -> vec4<f32> {
    if (DROPOUT == 1u) {
        return slopes * tail_slopes(saved * drop.kept) * drop_factors(drop, item);
    }
    return slopes * tail_slopes(saved);
}
