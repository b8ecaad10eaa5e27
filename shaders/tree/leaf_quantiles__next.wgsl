// The smallest key of each leaf above the one that was found, or the largest integer.
// A workgroup takes a piece of a leaf; its smallest is found in its own memory first.
// For quantiles that lie midway between two rows, and for a δ that must not be 0.
//#import leaf_quantiles
@group(0) @binding(2) var<storage, read> keys: array<u32>;
// Eight words a leaf: the key, the key above, and others.
@group(0) @binding(3) var<storage, read_write> leaves: array<atomic<u32>>;

var<workgroup> smallest: atomic<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = params.piece_first + group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        let found = atomicLoad(&leaves[8u * piece.w]);
        if (lane == 0u) {
            atomicStore(&smallest, 0xffffffffu);
        }
        workgroupBarrier();
        var own = 0xffffffffu;
        let first = piece.x + piece.z * params.key_stride;
        for (var next = lane; next < piece.y; next += 256u) {
            let key = keys[first + next];
            own = select(own, min(own, key), key > found);
        }
        atomicMin(&smallest, own);
        workgroupBarrier();
        if (lane == 0u) {
            atomicMin(&leaves[8u * piece.w + 1u], atomicLoad(&smallest));
        }
    }
    mark_done(lane);
}
