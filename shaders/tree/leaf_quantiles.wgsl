// How many keys of each leaf have each value of a digit of eight bits, among those whose higher digits are the ones found.
// A workgroup takes a piece of a leaf and counts it in its own memory, then adds what it found to the leaf's.
// Four rounds of this and of `leaf_quantiles__digit` find the key of a rank: a radix selection in every leaf at once.
//#import leaf_quantiles
@group(0) @binding(2) var<storage, read> keys: array<u32>;
// For each leaf the key as far as it is known, the rank among the keys that agree with it, the next key, 0.
@group(0) @binding(3) var<storage, read> leaves: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> own: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        let found = leaves[piece.w].x;
        atomicStore(&own[lane], 0u);
        workgroupBarrier();
        for (var next = lane; next < piece.y; next += 256u) {
            let key = keys[piece.x + next];
            // A shift by 32 bits would be one by none.
            if (params.shift == 24u || (key >> ((params.shift + 8u) & 31u)) == (found >> ((params.shift + 8u) & 31u))) {
                atomicAdd(&own[(key >> params.shift) & 255u], 1u);
            }
        }
        workgroupBarrier();
        let count = atomicLoad(&own[lane]);
        if (count > 0u) {
            atomicAdd(&counts[256u * piece.w + lane], count);
        }
    }
    mark_done(lane);
}
