// The order that trees begin with: the rows that each counts, ascending, tree after tree.
// A workgroup takes a block of 256 rows of one tree, a lane a row: the scan says how many come before the block, a bit for each
// row of the block the rest.
//#import tree_rows
@group(0) @binding(2) var<storage, read> befores: array<u32>;
// The first place of each tree.
@group(0) @binding(3) var<storage, read> firsts: array<u32>;
@group(0) @binding(4) var<storage, read_write> order: array<u32>;

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
    let tree = at / params.blocks;
    let row = 256u * (at % params.blocks) + lane;
    let is_counted = counts(tree, row);
    if (is_counted) {
        atomicOr(&bits[lane / 32u], 1u << (lane % 32u));
    }
    workgroupBarrier();
    if (is_counted) {
        var before = countOneBits(atomicLoad(&bits[lane / 32u]) & ((1u << (lane % 32u)) - 1u));
        for (var word = 0u; word < lane / 32u; word += 1u) {
            before += countOneBits(atomicLoad(&bits[word]));
        }
        order[firsts[tree] + befores[at] + before] = row;
    }
    mark_done(lane);
}
