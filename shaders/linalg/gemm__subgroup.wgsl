// C = alpha·A·Bᵀ + beta·C, the rows of A and B along the depth.
// A workgroup makes one 256×16 tile, four rows a lane, columns of B broadcast inside subgroups; layers split a long depth.
// The fast form where subgroups are a multiple of 8 lanes.
//#import pairs
//#import tile_subgroup
fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sum);
}

// With beta = 0 the old value is not read: it may be anything.
fn pairs_finish(sum: vec4<f32>, at: u32) -> vec4<f32> {
    if (params.beta == 0.0) {
        return params.alpha * sum;
    }
    return params.alpha * sum + params.beta * out[at];
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
