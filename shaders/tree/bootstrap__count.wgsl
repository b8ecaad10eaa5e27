// How many of the rows of each block a tree counts.
// A workgroup takes a block of 256 rows of one tree, a lane a row: a bit each in workgroup memory.
// Neighbouring lanes read neighbouring words, and a tree of few rows still has many blocks.
//#import tree_rows
@group(0) @binding(2) var<storage, read_write> befores: array<u32>;

var<workgroup> bits: array<atomic<u32>, 8>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (lane < 8u) {
        atomicStore(&bits[lane], 0u);
    }
    workgroupBarrier();
    if (counts(at / params.blocks, 256u * (at % params.blocks) + lane)) {
        atomicOr(&bits[lane / 32u], 1u << (lane % 32u));
    }
    workgroupBarrier();
    if (lane == 0u && at < params.blocks * params.trees) {
        var sum = 0u;
        for (var word = 0u; word < 8u; word += 1u) {
            sum += countOneBits(atomicLoad(&bits[word]));
        }
        befores[at] = sum;
    }
    mark_done(lane);
}
