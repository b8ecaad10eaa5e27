// How many of the rows of each block a tree counts.
// A workgroup takes a block of 256 rows of one tree, a lane a row: a bit each in workgroup memory.
// Neighbouring lanes read neighbouring words, and a tree of few rows still has many blocks.
//#import tree_rows
//#import row_bits
@group(0) @binding(2) var<storage, read_write> befores: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    mark_rows(at, lane);
    if (lane == 0u && at < params.blocks * params.trees) {
        befores[at] = rows_before(256u);
    }
    mark_done(lane);
}
