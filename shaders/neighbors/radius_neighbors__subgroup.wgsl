// Which rows of B lie within a radius of which rows of A, one bit a pair.
// A workgroup makes one tile of 4·TILE_LANES×24, columns broadcast inside subgroups of a multiple of 8 lanes.
// Distances are compared before their root and never stored: bits are 32 times smaller.
//#import radius_neighbors
//#import tile_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return metric_step(sum, a, b);
}

fn near(sum: vec4<f32>, bit: u32) -> vec4<u32> {
    return select(vec4<u32>(), vec4(bit), metric_value(sum) <= vec4(params.limit));
}

fn tile_store_rows(row: u32, column: u32, c0: vec4<f32>, c1: vec4<f32>, c2: vec4<f32>, c3: vec4<f32>) {
    let nibbles = (near(c0, 1u) | near(c1, 2u)) | (near(c2, 4u) | near(c3, 8u));
    if (any(nibbles != vec4<u32>())) {
        set_bits(row, column, nibbles.x);
        set_bits(row + TILE_LANES, column, nibbles.y);
        set_bits(row + 2u * TILE_LANES, column, nibbles.z);
        set_bits(row + 3u * TILE_LANES, column, nibbles.w);
    }
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
        let tile_row = tile / params.column_tiles;
        tile_product(tile_row, tile % params.column_tiles, 0u, params.depth_vec4s, lane, subgroup_lane);
    }
    mark_done(lane);
}
