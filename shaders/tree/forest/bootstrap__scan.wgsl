// How many rows a tree counts before each of its blocks.
// A workgroup takes a tree: each lane adds a stretch of blocks, hears of the others' through workgroup memory, and adds it again
// from there.
//#import tree_rows
@group(0) @binding(2) var<storage, read_write> befores: array<u32>;

var<workgroup> sums: array<u32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tree = group.y * groups.x + group.x;
    let stretch = (params.blocks + 63u) / 64u;
    let first = min(tree, params.trees - 1u) * params.blocks;
    let begin = first + min(lane * stretch, params.blocks);
    let end = first + min((lane + 1u) * stretch, params.blocks);
    var own = 0u;
    for (var block = begin; block < end; block += 1u) {
        own += befores[block];
    }
    sums[lane] = own;
    workgroupBarrier();
    var before = 0u;
    for (var other = 0u; other < lane; other += 1u) {
        before += sums[other];
    }
    if (tree < params.trees) {
        for (var block = begin; block < end; block += 1u) {
            let rows = befores[block];
            befores[block] = before;
            before += rows;
        }
    }
    mark_done(lane);
}
