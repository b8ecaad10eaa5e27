// Collects the keys up to the k-th smallest, with their indices, in any order.
// A lane takes sixteen keys, 4096 a workgroup, and a place for each that is selected.
// Key and index together tell all apart, so exactly as many are found as there are places.
//#import selection
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> mask: array<u32>;
@group(0) @binding(3) var<storage, read_write> selection: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> selected: array<vec2<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let last = vec2(atomicLoad(&selection[0]), atomicLoad(&selection[1]));
    let places = atomicLoad(&selection[3]);
    let begin = (group.y * groups.x + group.x) * 4096u;
    let end = min(begin + 4096u, params.count);
    for (var at = begin + lane; at < end; at += 256u) {
        let key = order_key(keys[params.keys_first + at]);
        let index = params.base + at;
        let eligible = MASKED == 0u || mask[params.mask_first + at] != 0u;
        if (eligible && (key < last.x || (key == last.x && index <= last.y)) && places > 0u) {
            let place = atomicAdd(&selection[4], 1u);
            if (place < places) {
                selected[place] = vec2(key, index);
            }
        }
    }
    mark_done(lane);
}
