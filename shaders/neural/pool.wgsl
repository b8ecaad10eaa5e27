// Pooling: the largest or the mean of each channel in a window, and the way back. Equal ones: the first is the largest.
// Values: a lane makes four numbers of the output, and keeps where in its window the largest is.
// Slopes: a lane makes four of the input and looks at the windows that see them, so that nothing is added by two lanes.
//#import layer_tail
//#import status
struct Params {
    images: u32,
    in_vec4s: u32,
    out_vec4s: u32,
    drop_scale: f32,
    drop_kept: f32,
    drop_threshold: u32,
    drop_step: u32,
    key_low: u32,
    key_high: u32,
}

// 0 values, 1 slopes.
override BACK: u32 = 0u;
// 0 the largest, 1 the mean.
override MEAN: u32 = 0u;
override HEIGHT: u32 = 1u;
override WIDTH: u32 = 1u;
override CHANNELS: u32 = 1u;
override WINDOW_HEIGHT: u32 = 1u;
override WINDOW_WIDTH: u32 = 1u;
override STEP: u32 = 1u;
override PADDING: u32 = 0u;
override OUT_HEIGHT: u32 = 1u;
override OUT_WIDTH: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> saved: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> winners: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

fn dropped() -> Drop {
    let key = vec2(params.key_low, params.key_high);
    return Drop(params.drop_scale, params.drop_kept, params.drop_threshold, params.drop_step, key);
}

// Pixels of the image in a window along one side.
fn inside(window: u32, size: u32, pixels: u32) -> u32 {
    let first = max(window * STEP, PADDING);
    return min(window * STEP + size, pixels + PADDING) - first;
}

fn pooled(image: u32, at: u32) -> f32 {
    if (at >= OUT_HEIGHT * OUT_WIDTH * CHANNELS) {
        return 0.0;
    }
    let window = at / CHANNELS;
    let down = window / OUT_WIDTH;
    let right = window % OUT_WIDTH;
    var best = -3.4028234e38;
    var winner = 0u;
    var sum = 0.0;
    for (var row = 0u; row < WINDOW_HEIGHT; row += 1u) {
        let y = down * STEP + row;
        for (var column = 0u; column < WINDOW_WIDTH; column += 1u) {
            let z = right * STEP + column;
            if (y >= PADDING && y < HEIGHT + PADDING && z >= PADDING && z < WIDTH + PADDING) {
                let pixel = (y - PADDING) * WIDTH + z - PADDING;
                let value = x[image * 4u * params.in_vec4s + pixel * CHANNELS + at % CHANNELS];
                sum += value;
                if (value > best) {
                    best = value;
                    winner = row * WINDOW_WIDTH + column;
                }
            }
        }
    }
    if (MEAN == 1u) {
        return sum * (1.0 / f32(inside(down, WINDOW_HEIGHT, HEIGHT) * inside(right, WINDOW_WIDTH, WIDTH)));
    }
    winners[image * 4u * params.out_vec4s + at] = f32(winner);
    return best;
}

fn slope_at(image: u32, at: u32) -> f32 {
    if (at >= HEIGHT * WIDTH * CHANNELS) {
        return 0.0;
    }
    let pixel = at / CHANNELS;
    let y = pixel / WIDTH + PADDING;
    let z = pixel % WIDTH + PADDING;
    var sum = 0.0;
    for (var row = 0u; row < WINDOW_HEIGHT; row += 1u) {
        for (var column = 0u; column < WINDOW_WIDTH; column += 1u) {
            // Of the windows' rows the last first, so that windows are added from the first on.
            let up = WINDOW_HEIGHT - 1u - row;
            let left = WINDOW_WIDTH - 1u - column;
            if (y >= up && z >= left && (y - up) % STEP == 0u && (z - left) % STEP == 0u) {
                let down = (y - up) / STEP;
                let right = (z - left) / STEP;
                if (down < OUT_HEIGHT && right < OUT_WIDTH) {
                    let window = (down * OUT_WIDTH + right) * CHANNELS + at % CHANNELS;
                    let place = image * 4u * params.out_vec4s + window;
                    if (MEAN == 1u) {
                        let pixels = inside(down, WINDOW_HEIGHT, HEIGHT) * inside(right, WINDOW_WIDTH, WIDTH);
                        sum += 1.0 / f32(pixels) * x[place];
                    } else if (winners[place] == f32(up * WINDOW_WIDTH + left)) {
                        sum += x[place];
                    }
                }
            }
        }
    }
    return sum;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (BACK == 0u && at < params.images * params.out_vec4s) {
        let image = at / params.out_vec4s;
        let first = 4u * (at % params.out_vec4s);
        let values = vec4(
            pooled(image, first),
            pooled(image, first + 1u),
            pooled(image, first + 2u),
            pooled(image, first + 3u),
        );
        let inside = vec4(first) + vec4(0u, 1u, 2u, 3u) < vec4(OUT_HEIGHT * OUT_WIDTH * CHANNELS);
        out[at] = select(vec4<f32>(), tail_forward(dropped(), at, values), inside);
    }
    if (BACK == 1u && at < params.images * params.in_vec4s) {
        let image = at / params.in_vec4s;
        let first = 4u * (at % params.in_vec4s);
        let slopes = vec4(
            slope_at(image, first),
            slope_at(image, first + 1u),
            slope_at(image, first + 2u),
            slope_at(image, first + 3u),
        );
        out[at] = tail_backward(dropped(), at, slopes, saved[at]);
    }
    mark_done(lane);
}
