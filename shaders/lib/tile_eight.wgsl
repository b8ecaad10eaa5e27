// Eight columns of the subgroup tile for a lane's four rows, which lie TILE_LANES apart.
// The importing shader defines TILE_LANES, tile_step and tile_store_rows.
// Indices are constants throughout: one that is not would put the accumulators into memory.

// Four steps along the depth for one column and the lane's four rows: ax holds the rows' first values, and so on.
fn tile_steps(sum: vec4<f32>, ax: vec4<f32>, ay: vec4<f32>, az: vec4<f32>, aw: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return tile_step(tile_step(tile_step(tile_step(sum, b.x, ax), b.y, ay), b.z, az), b.w, aw);
}

// Lane l of a subgroup holds column l % 8 in b.
fn tile_eight(
    c: ptr<function, array<vec4<f32>, 8>>,
    ax: vec4<f32>,
    ay: vec4<f32>,
    az: vec4<f32>,
    aw: vec4<f32>,
    b: vec4<f32>,
) {
    (*c)[0] = tile_steps((*c)[0], ax, ay, az, aw, subgroupBroadcast(b, 0u));
    (*c)[1] = tile_steps((*c)[1], ax, ay, az, aw, subgroupBroadcast(b, 1u));
    (*c)[2] = tile_steps((*c)[2], ax, ay, az, aw, subgroupBroadcast(b, 2u));
    (*c)[3] = tile_steps((*c)[3], ax, ay, az, aw, subgroupBroadcast(b, 3u));
    (*c)[4] = tile_steps((*c)[4], ax, ay, az, aw, subgroupBroadcast(b, 4u));
    (*c)[5] = tile_steps((*c)[5], ax, ay, az, aw, subgroupBroadcast(b, 5u));
    (*c)[6] = tile_steps((*c)[6], ax, ay, az, aw, subgroupBroadcast(b, 6u));
    (*c)[7] = tile_steps((*c)[7], ax, ay, az, aw, subgroupBroadcast(b, 7u));
}

fn tile_store_eight(row: u32, column: u32, c: ptr<function, array<vec4<f32>, 8>>) {
    tile_store_rows(row, column, (*c)[0], (*c)[1], (*c)[2], (*c)[3]);
    tile_store_rows(row, column + 4u, (*c)[4], (*c)[5], (*c)[6], (*c)[7]);
}
