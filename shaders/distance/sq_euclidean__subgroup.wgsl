// Squared Euclidean distance of each pair of rows, by the direct form Σ(x−y)²: right however far off-centre.
// A workgroup makes one 256×16 tile, four rows a lane, columns broadcast inside subgroups.
// The fast form where subgroups are a multiple of 8 lanes.
//#import pairs
//#import tile_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    let difference = vec4(a) - b;
    return fma(difference, difference, sum);
}

fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    return sum;
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
        let begin = group.z * params.block_quads;
        let end = min(begin + params.block_quads, params.depth_quads);
        tile_product(tile / params.column_tiles, tile % params.column_tiles, begin, end, lane, subgroup_lane);
    }
    mark_done(lane);
}
