// Sorts the entries of each row by distance, then index, and writes out distances and indices.
// A workgroup of 64 lanes takes a row and sorts in place by a bitonic network that only ever moves the lesser entry down.
// Such a network may end anywhere: what lies past the last entry counts as farthest and stays where it is.
//#import metric
//#import k_nearest_list
//#import status
struct Params {
    rows: u32,
    entries_stride: u32,
    neighbors: u32,
    half_power: u32,
    index_first: u32,
    distance_first: u32,
    distance_stride: u32,
    order: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> list: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> index: array<u32>;
@group(0) @binding(3) var<storage, read_write> distance: array<f32>;

fn compare(first: u32, low: u32, high: u32) {
    if (high < params.neighbors) {
        let a = list[first + low];
        let b = list[first + high];
        if (entry_less(b, a)) {
            list[first + low] = b;
            list[first + high] = a;
        }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.y * groups.x + group.x;
    if (row < params.rows) {
        let first = row * params.entries_stride;
        // Sorted stretches of `half` become sorted stretches of twice that: first against the mirror image, then by halves.
        for (var half = 1u; half <= params.half_power; half *= 2u) {
            for (var at = lane; at < params.half_power; at += 64u) {
                let stretch = (at / half) * 2u * half;
                compare(first, stretch + at % half, stretch + 2u * half - 1u - at % half);
            }
            storageBarrier();
            for (var apart = half / 2u; apart > 0u; apart /= 2u) {
                for (var at = lane; at < params.half_power; at += 64u) {
                    let low = (at / apart) * 2u * apart + at % apart;
                    compare(first, low, low + apart);
                }
                storageBarrier();
            }
        }
        for (var slot = lane; slot < params.distance_stride; slot += 64u) {
            let to = params.distance_first + row * params.distance_stride + slot;
            if (slot < params.neighbors) {
                let entry = list[first + slot];
                index[params.index_first + row * params.neighbors + slot] = entry.y;
                distance[to] = metric_root(bitcast<f32>(entry.x), params.order);
            } else {
                distance[to] = 0.0;
            }
        }
    }
    mark_done(lane);
}
