// The entry point of a pair kernel in its portable variant: a workgroup makes one 128×128 tile.
// Layers of the grid split a long depth; groups past the last tile only report that they are done.
// It needs nothing beyond WebGPU's minimum.
//#import pairs
//#import pairs_operands
//#import tile
@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.tiles) {
        pairs_layer = group.z;
        let begin = group.z * params.block_vec4s;
        let end = min(begin + params.block_vec4s, params.depth_vec4s);
        tile_product(tile / params.column_tiles, tile % params.column_tiles, begin, end, lane);
    }
    mark_done(lane);
}
