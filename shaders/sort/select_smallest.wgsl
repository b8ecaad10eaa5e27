// Counts one digit of the keys that may still be the k-th smallest: a radix selection, eight bits a pass.
// A lane takes sixteen keys, 4096 a workgroup; counted in workgroup memory, then added to the counts of all.
// The digits of the index follow those of the key, so that of equal keys the lowest index comes first.
//#import selection
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> mask: array<u32>;
@group(0) @binding(3) var<storage, read_write> selection: array<atomic<u32>>;

var<workgroup> counted: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    atomicStore(&counted[lane], 0u);
    let found = vec2(atomicLoad(&selection[0]), atomicLoad(&selection[1]));
    workgroupBarrier();
    let begin = (group.y * groups.x + group.x) * 4096u;
    let end = min(begin + 4096u, params.count);
    for (var at = begin + lane; at < end; at += 256u) {
        let key = order_key(keys[params.keys_first + at]);
        if ((MASKED == 0u || mask[params.mask_first + at] != 0u) && in_running(key, params.base + at, found)) {
            atomicAdd(&counted[digit(key, params.base + at)], 1u);
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&counted[lane]);
    if (count > 0u) {
        atomicAdd(&selection[COUNTS + lane], count);
    }
    mark_done(lane);
}
