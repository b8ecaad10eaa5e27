// The smallest of the runs' smallest values and its index, where the result stays on the device.
// One workgroup: a lane takes every 256th run, then the lanes halve through workgroup memory.
// The lowest index of equals, by the integers that order as the numbers do.
//#import order
//#import status
struct Params {
    runs: u32,
    value_first: u32,
    index_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read_write> value: array<u32>;
@group(0) @binding(4) var<storage, read_write> index: array<u32>;

// Key, index and run of each lane's smallest.
var<workgroup> best: array<vec3<u32>, 256>;

fn smaller(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    return select(a, b, b.x < a.x || (b.x == a.x && b.y < a.y));
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    let first = min(lane, params.runs - 1u);
    var found = vec3(order_key(values[first]), indices[first], first);
    for (var run = lane; run < params.runs; run += 256u) {
        found = smaller(found, vec3(order_key(values[run]), indices[run], run));
    }
    best[lane] = found;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            best[lane] = smaller(best[lane], best[lane + half]);
        }
    }
    if (lane == 0u) {
        value[params.value_first] = values[best[0].z];
        index[params.index_first] = best[0].y;
    }
    mark_done(lane);
}
