// The three products of a convolution on the tile core, without a layout of its windows: an operand is read where it lies.
// PRODUCT: values tail(windows·W + bias), slopes by inputs tail'(…), slopes by weights, whose last row is that of biases.
// The geometry is override constants, so that compilers divide by multiplying. Filters are a multiple of 4.
//#import layer_tail
//#import pairs
override A_DEEP: u32 = 0u;
override B_DEEP: u32 = 0u;
override PRODUCT: u32 = 0u;
override HEIGHT: u32 = 1u;
override WIDTH: u32 = 1u;
override CHANNELS: u32 = 1u;
override WINDOW_HEIGHT: u32 = 1u;
override WINDOW_WIDTH: u32 = 1u;
override STEP: u32 = 1u;
override PADDING: u32 = 0u;
override OUT_HEIGHT: u32 = 1u;
override OUT_WIDTH: u32 = 1u;
override FILTERS: u32 = 4u;
override IMAGE_VEC4S: u32 = (HEIGHT * WIDTH * CHANNELS + 3u) / 4u;
override DEPTH: u32 = WINDOW_HEIGHT * WINDOW_WIDTH * CHANNELS;
const VALUES = 0u;
const INPUT_SLOPES = 1u;
const WEIGHT_SLOPES = 2u;

@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> saved: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> bias: array<vec4<f32>>;

// Where number `at` of a window lies in its image, and whether it is inside.
fn window_place(window: u32, at: u32) -> vec2<u32> {
    let tap = at / CHANNELS;
    let y = window / OUT_WIDTH * STEP + tap / WINDOW_WIDTH;
    let x = window % OUT_WIDTH * STEP + tap % WINDOW_WIDTH;
    let inside = at < DEPTH && y >= PADDING && y < HEIGHT + PADDING && x >= PADDING && x < WIDTH + PADDING;
    let place = ((y - PADDING) * WIDTH + x - PADDING) * CHANNELS + at % CHANNELS;
    return vec2(select(0u, place, inside), select(0u, 1u, inside));
}

fn window_number(first: u32, window: u32, at: u32) -> f32 {
    let place = window_place(window, at);
    return select(0.0, a[first + place.x / 4u][place.x % 4u], place.y == 1u);
}

// Four numbers of a window of the batch, from 4·`vec4_index` on.
fn window_numbers(first: u32, pixel: u32, vec4_index: u32) -> vec4<f32> {
    let image = first + pixel / (OUT_HEIGHT * OUT_WIDTH) * IMAGE_VEC4S;
    let window = pixel % (OUT_HEIGHT * OUT_WIDTH);
    let at = 4u * vec4_index;
    if (CHANNELS % 4u == 0u) {
        let place = window_place(window, at);
        return select(vec4<f32>(), a[image + place.x / 4u], place.y == 1u);
    }
    return vec4(
        window_number(image, window, at),
        window_number(image, window, at + 1u),
        window_number(image, window, at + 2u),
        window_number(image, window, at + 3u),
    );
}

// Four slopes of the window that sees a pixel of the batch at this place.
fn slope_numbers(pixel: u32, vec4_index: u32) -> vec4<f32> {
    let image = pixel / (HEIGHT * WIDTH);
    let tap = 4u * vec4_index / FILTERS;
    let filter_vec4 = vec4_index % (FILTERS / 4u);
    let y = pixel / WIDTH % HEIGHT + PADDING;
    let x = pixel % WIDTH + PADDING;
    let down = y - min(tap / WINDOW_WIDTH, y);
    let right = x - min(tap % WINDOW_WIDTH, x);
    let inside = tap / WINDOW_WIDTH <= y && tap % WINDOW_WIDTH <= x && down % STEP == 0u && right % STEP == 0u &&
        down / STEP < OUT_HEIGHT && right / STEP < OUT_WIDTH;
    let window = (image * OUT_HEIGHT + down / STEP) * OUT_WIDTH + right / STEP;
    let place = select(0u, window * (FILTERS / 4u) + filter_vec4, inside);
    return select(vec4<f32>(), a[params.a_first + place], inside);
}

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    let kept = min(row, params.rows - 1u);
    if (PRODUCT == VALUES) {
        return window_numbers(params.a_first, kept, vec4_index);
    }
    if (PRODUCT == INPUT_SLOPES) {
        return slope_numbers(kept, vec4_index);
    }
    // Rows of weights from row_first on, windows from a_first − row_first / 4 on: the batch lies from word 0 on.
    let depth = 4u * vec4_index + row % 4u;
    let group = params.row_first / 4u + kept / 4u;
    let window = params.a_first - params.row_first / 4u + min(depth, params.depth - 1u);
    let value = window_numbers(0u, window, group);
    let ones = vec4(4u * group) + vec4(0u, 1u, 2u, 3u) == vec4(DEPTH);
    return select(vec4<f32>(), select(value, vec4(1.0), ones), depth < params.depth);
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    let kept = min(column, params.columns - 1u);
    if (PRODUCT == INPUT_SLOPES) {
        let tap = 4u * vec4_index / FILTERS;
        return b[params.b_first + (tap * CHANNELS + kept) * (FILTERS / 4u) + vec4_index % (FILTERS / 4u)];
    }
    let depth = 4u * vec4_index + column % 4u;
    let value = b[params.b_first + min(depth, params.depth - 1u) * params.b_vec4s + kept / 4u];
    return select(vec4<f32>(), value, depth < params.depth);
}

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sums);
}

fn pairs_finish(row: u32, column: u32, sums: vec4<f32>) -> vec4<f32> {
    let item = params.out_first + row * params.out_vec4s + column / 4u;
    if (PRODUCT == VALUES) {
        return tail_forward(drop_of(params.low, params.high), item, sums + bias[params.column_first / 4u + column / 4u]);
    }
    if (PRODUCT == INPUT_SLOPES) {
        return tail_backward(drop_of(params.low, params.high), item, sums, saved[item]);
    }
    return sums;
}
