// Random numbers by counter: Philox4x32-10, number i the same whoever asks for it and in whatever order.
// A lane makes the four numbers of one counter, as bits, uniforms, integers below a bound or normals (KIND 0 to 3).
// Integers and uniforms have the same bits as the host's; normals agree to 1e-5.
//#import status
//#import elementary
//#import normals
//#import wide
struct Params {
    count: u32,
    counters: u32,
    first_low: u32,
    first_high: u32,
    skipped: u32,
    stream: u32,
    key_low: u32,
    key_high: u32,
    bound: u32,
    rejected_below: u32,
    out_first: u32,
}

override KIND: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

fn philox(counter: vec4<u32>) -> vec4<u32> {
    return philox_of(counter, vec2(params.key_low, params.key_high));
}

fn counter_of(lane: u32, draw: u32) -> vec4<u32> {
    let low = params.first_low + lane;
    return vec4(low, params.first_high + select(0u, 1u, low < lane), params.stream, draw);
}

fn uniform_of(number: u32) -> u32 {
    return bitcast<u32>(f32(number >> 8u) * (1.0 / 16777216.0));
}

// The high word of number·bound, drawn again while the low word is below 2³² mod bound, 32 times at most.
fn below(number: u32, lane: u32, word: u32) -> u32 {
    var product = multiply(number, params.bound);
    for (var draw = 1u; draw < 32u && product.y < params.rejected_below; draw += 1u) {
        product = multiply(philox(counter_of(lane, draw))[word], params.bound);
    }
    return product.x;
}

fn normals(first: u32, second: u32) -> vec2<u32> {
    return bitcast<vec2<u32>>(normal_pair(first, second));
}

fn convert(numbers: vec4<u32>, lane: u32) -> vec4<u32> {
    switch (KIND) {
        case 1u: {
            return vec4(uniform_of(numbers.x), uniform_of(numbers.y), uniform_of(numbers.z), uniform_of(numbers.w));
        }
        case 2u: {
            let low = vec2(below(numbers.x, lane, 0u), below(numbers.y, lane, 1u));
            return vec4(low, below(numbers.z, lane, 2u), below(numbers.w, lane, 3u));
        }
        case 3u: {
            return vec4(normals(numbers.x, numbers.y), normals(numbers.z, numbers.w));
        }
        default: {
            return numbers;
        }
    }
}

// The first counter may be needed from its second, third or fourth number on.
fn store(at: u32, value: u32) {
    if (at >= params.skipped && at - params.skipped < params.count) {
        out[params.out_first + at - params.skipped] = value;
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (at < params.counters) {
        let value = convert(philox(counter_of(at, 0u)), at);
        store(4u * at, value.x);
        store(4u * at + 1u, value.y);
        store(4u * at + 2u, value.z);
        store(4u * at + 3u, value.w);
    }
    mark_done(lane);
}
