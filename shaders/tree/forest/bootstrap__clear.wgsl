// Sets counts to 0: of the rows that trees draw, before tree/forest/bootstrap counts, and of digits for tree/leaf_quantiles.
// A lane takes one word.
// A pass of its own, as a buffer that lives from batch to batch holds the counts of other trees.
//#import status
struct Params {
    first: u32,
    count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> packed: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 256u + lane;
    if (at < params.count) {
        packed[params.first + at] = 0u;
    }
    mark_done(lane);
}
