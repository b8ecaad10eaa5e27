// The order that trees begin with: the rows that each counts, ascending, tree after tree.
// A workgroup takes a block of 256 rows of one tree, a lane a row: the scan says how many come before the block, a bit for each
// row of the block the rest.
//#import tree_rows
//#import row_bits
@group(0) @binding(2) var<storage, read> befores: array<u32>;
// The first place of each tree.
@group(0) @binding(3) var<storage, read> firsts: array<u32>;
@group(0) @binding(4) var<storage, read_write> order: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (mark_rows(at, lane)) {
        order[firsts[at / params.blocks] + befores[at] + rows_before(lane)] = row_of(at, lane);
    }
    mark_done(lane);
}
