// Which rows of B lie within a radius of which rows of A, one bit a pair.
// A workgroup makes one 128×128 tile through workgroup memory.
// Distances are compared before their root and never stored: bits are 32 times smaller.
//#import elementary
//#import radius_neighbors
//#import tile
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    if (METRIC == METRIC_POWER) {
        return sum + power4(abs(vec4(a) - b), params.order);
    }
    return metric_step(sum, a, b);
}

fn tile_store(row: u32, column: u32, sum: vec4<f32>) {
    let near = select(vec4<u32>(), vec4(1u, 2u, 4u, 8u), metric_value(sum) <= vec4(params.limit));
    set_bits(row, column, (near.x | near.y) | (near.z | near.w));
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.tiles) {
        tile_product(tile / params.column_tiles, tile % params.column_tiles, 0u, params.depth_vec4s, lane);
    }
    mark_done(lane);
}
