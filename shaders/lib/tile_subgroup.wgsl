// The tile core, subgroup form: 4·TILE_LANES×24 results of rows of A with rows of B, 4 rows of 24 results a lane.
// All lanes share the columns: lane l of a subgroup loads columns l % 8, 8 + l % 8 and 16 + l % 8 of B and broadcasts
// them, one column at a time, so that an accumulator is touched once for four steps along the depth.
// 64 lanes, or 32 where A has so few rows that half of them would be idle. The importing shader defines tile_a, tile_b,
// tile_step and tile_store_rows, which takes four columns of the lane's four rows, TILE_LANES apart.
override TILE_LANES: u32 = 64u;
const TILE_COLUMNS = 24u;

// Four steps along the depth for one column and the lane's four rows: ax holds the rows' first values, and so on.
fn tile_steps(sum: vec4<f32>, ax: vec4<f32>, ay: vec4<f32>, az: vec4<f32>, aw: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return tile_step(tile_step(tile_step(tile_step(sum, b.x, ax), b.y, ay), b.z, az), b.w, aw);
}

// No workgroup memory and no barrier; right for any subgroup size that is a multiple of 8. Indices are constants
// throughout: one that is not would put the accumulators into memory.
fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32, subgroup_lane: u32) {
    let row = tile_row * 4u * TILE_LANES + lane;
    let column = tile_column * TILE_COLUMNS;
    let b_column = column + subgroup_lane % 8u;
    var c: array<vec4<f32>, 24>;
    for (var quad = begin; quad < end; quad += 1u) {
        let a0 = tile_a(row, quad);
        let a1 = tile_a(row + TILE_LANES, quad);
        let a2 = tile_a(row + 2u * TILE_LANES, quad);
        let a3 = tile_a(row + 3u * TILE_LANES, quad);
        let b0 = tile_b(b_column, quad);
        let b1 = tile_b(b_column + 8u, quad);
        let b2 = tile_b(b_column + 16u, quad);
        let ax = vec4(a0.x, a1.x, a2.x, a3.x);
        let ay = vec4(a0.y, a1.y, a2.y, a3.y);
        let az = vec4(a0.z, a1.z, a2.z, a3.z);
        let aw = vec4(a0.w, a1.w, a2.w, a3.w);
        c[0] = tile_steps(c[0], ax, ay, az, aw, subgroupBroadcast(b0, 0u));
        c[1] = tile_steps(c[1], ax, ay, az, aw, subgroupBroadcast(b0, 1u));
        c[2] = tile_steps(c[2], ax, ay, az, aw, subgroupBroadcast(b0, 2u));
        c[3] = tile_steps(c[3], ax, ay, az, aw, subgroupBroadcast(b0, 3u));
        c[4] = tile_steps(c[4], ax, ay, az, aw, subgroupBroadcast(b0, 4u));
        c[5] = tile_steps(c[5], ax, ay, az, aw, subgroupBroadcast(b0, 5u));
        c[6] = tile_steps(c[6], ax, ay, az, aw, subgroupBroadcast(b0, 6u));
        c[7] = tile_steps(c[7], ax, ay, az, aw, subgroupBroadcast(b0, 7u));
        c[8] = tile_steps(c[8], ax, ay, az, aw, subgroupBroadcast(b1, 0u));
        c[9] = tile_steps(c[9], ax, ay, az, aw, subgroupBroadcast(b1, 1u));
        c[10] = tile_steps(c[10], ax, ay, az, aw, subgroupBroadcast(b1, 2u));
        c[11] = tile_steps(c[11], ax, ay, az, aw, subgroupBroadcast(b1, 3u));
        c[12] = tile_steps(c[12], ax, ay, az, aw, subgroupBroadcast(b1, 4u));
        c[13] = tile_steps(c[13], ax, ay, az, aw, subgroupBroadcast(b1, 5u));
        c[14] = tile_steps(c[14], ax, ay, az, aw, subgroupBroadcast(b1, 6u));
        c[15] = tile_steps(c[15], ax, ay, az, aw, subgroupBroadcast(b1, 7u));
        c[16] = tile_steps(c[16], ax, ay, az, aw, subgroupBroadcast(b2, 0u));
        c[17] = tile_steps(c[17], ax, ay, az, aw, subgroupBroadcast(b2, 1u));
        c[18] = tile_steps(c[18], ax, ay, az, aw, subgroupBroadcast(b2, 2u));
        c[19] = tile_steps(c[19], ax, ay, az, aw, subgroupBroadcast(b2, 3u));
        c[20] = tile_steps(c[20], ax, ay, az, aw, subgroupBroadcast(b2, 4u));
        c[21] = tile_steps(c[21], ax, ay, az, aw, subgroupBroadcast(b2, 5u));
        c[22] = tile_steps(c[22], ax, ay, az, aw, subgroupBroadcast(b2, 6u));
        c[23] = tile_steps(c[23], ax, ay, az, aw, subgroupBroadcast(b2, 7u));
    }
    tile_store_rows(row, column, c[0], c[1], c[2], c[3]);
    tile_store_rows(row, column + 4u, c[4], c[5], c[6], c[7]);
    tile_store_rows(row, column + 8u, c[8], c[9], c[10], c[11]);
    tile_store_rows(row, column + 12u, c[12], c[13], c[14], c[15]);
    tile_store_rows(row, column + 16u, c[16], c[17], c[18], c[19]);
    tile_store_rows(row, column + 20u, c[20], c[21], c[22], c[23]);
}
