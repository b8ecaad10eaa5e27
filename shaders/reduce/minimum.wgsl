// The smallest value of each run of 256 and its index; the host picks among the runs.
// A lane takes a run, neighbouring lanes reading neighbouring values; the lowest index of equals.
// Exact, so the same on every device.
//#import order
//#import status
struct Params {
    count: u32,
    first: u32,
    groups: u32,
    value_first: u32,
    index_first: u32,
    base: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> value: array<u32>;
@group(0) @binding(3) var<storage, read_write> index: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if (block < params.groups) {
        let begin = block * 16384u + lane;
        let end = min(block * 16384u + 16384u, params.count);
        var smallest = order_key(x[params.first + min(begin, params.count - 1u)]);
        var found = min(begin, params.count - 1u);
        var at = begin;
        // Four at a time while there are four: the loop costs as much as the comparison.
        for (; at + 192u < end; at += 256u) {
            let first = params.first + at;
            let k0 = order_key(x[first]);
            let k1 = order_key(x[first + 64u]);
            let k2 = order_key(x[first + 128u]);
            let k3 = order_key(x[first + 192u]);
            let least = min(min(k0, k1), min(k2, k3));
            if (least < smallest) {
                smallest = least;
                found = at + select(select(0u, 64u, k1 < k0), select(128u, 192u, k3 < k2), min(k2, k3) < min(k0, k1));
            }
        }
        for (; at < end; at += 64u) {
            let candidate = order_key(x[params.first + at]);
            if (candidate < smallest) {
                smallest = candidate;
                found = at;
            }
        }
        value[params.value_first + block * 64u + lane] = x[params.first + found];
        index[params.index_first + block * 64u + lane] = params.base + found;
    }
    mark_done(lane);
}
