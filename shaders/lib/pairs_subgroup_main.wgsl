// The entry point of a pair kernel in its subgroup variant: a workgroup makes one tile of the tile core imported with it.
// Layers of the grid split a long depth; groups past the last tile only report that they are done.
// It needs subgroups of a multiple of 8 lanes.
//#import pairs
// Four columns of four rows, turned into four columns of each row.
fn tile_store_rows(row: u32, column: u32, c0: vec4<f32>, c1: vec4<f32>, c2: vec4<f32>, c3: vec4<f32>) {
    tile_store(row, column, vec4(c0.x, c1.x, c2.x, c3.x));
    tile_store(row + TILE_LANES, column, vec4(c0.y, c1.y, c2.y, c3.y));
    tile_store(row + 2u * TILE_LANES, column, vec4(c0.z, c1.z, c2.z, c3.z));
    tile_store(row + 3u * TILE_LANES, column, vec4(c0.w, c1.w, c2.w, c3.w));
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.tiles) {
        pairs_layer = group.z;
        let begin = group.z * params.block_vec4s;
        let end = min(begin + params.block_vec4s, params.depth_vec4s);
        tile_product(tile / params.column_tiles, tile % params.column_tiles, begin, end, lane, subgroup_lane);
    }
    mark_done(lane);
}
