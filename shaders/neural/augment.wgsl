// Images flipped and shifted at random: flip and shift of an image are drawn by counter (image, step).
// A lane makes four numbers of an image; what comes in from outside is 0.
// Every device draws the same, so a fit is the same on each.
//#import status
//#import wide
struct Params {
    images: u32,
    height: u32,
    width: u32,
    channels: u32,
    vec4s: u32,
    flip: u32,
    shift: u32,
    step: u32,
    key_low: u32,
    key_high: u32,
}

const AUGMENT_STREAM = 0x4e440004u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

// From a random number to −shift … shift, by the high word of a product.
fn moved(number: u32) -> i32 {
    return i32(multiply(number, 2u * params.shift + 1u).x) - i32(params.shift);
}

fn number_at(image: u32, at: u32, flipped: bool, down: i32, right: i32) -> f32 {
    let pixel = at / params.channels;
    let width = i32(params.width);
    var column = i32(pixel % params.width);
    column = select(column, width - 1 - column, flipped) - right;
    let row = i32(pixel / params.width) - down;
    let inside = row >= 0 && row < i32(params.height) && column >= 0 && column < width &&
        at < params.height * params.width * params.channels;
    let place = u32(select(0, row * width + column, inside)) * params.channels + at % params.channels;
    return select(0.0, x[image * 4u * params.vec4s + place], inside);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (at < params.images * params.vec4s) {
        let image = at / params.vec4s;
        let first = 4u * (at % params.vec4s);
        let key = vec2(params.key_low, params.key_high);
        let numbers = philox_of(vec4(image, params.step, AUGMENT_STREAM, 0u), key);
        let flipped = params.flip == 1u && numbers.x >> 31u == 1u;
        let down = moved(numbers.y);
        let right = moved(numbers.z);
        out[at] = vec4(
            number_at(image, first, flipped, down, right),
            number_at(image, first + 1u, flipped, down, right),
            number_at(image, first + 2u, flipped, down, right),
            number_at(image, first + 3u, flipped, down, right),
        );
    }
    mark_done(lane);
}
