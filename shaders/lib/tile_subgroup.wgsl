// The tile core, subgroup form: 256×16 results of rows of A with rows of B, 64 lanes, 4 rows of 16 results a lane.
// All lanes share the columns: lane l of a subgroup loads columns l % 8 and 8 + l % 8 of B and broadcasts them.
// No workgroup memory and no barrier; right for any subgroup size that is a multiple of 8.
const TILE_ROWS = 256u;
const TILE_COLUMNS = 16u;
const TILE_LANES = 64u;

// One step along the depth: `a` holds the lane's four rows, b0 and b1 what this lane loaded of B.
fn tile_steps(c: ptr<function, array<vec4<f32>, 16>>, a: vec4<f32>, b0: f32, b1: f32) {
    let q0 = vec4(subgroupBroadcast(b0, 0u), subgroupBroadcast(b0, 1u), subgroupBroadcast(b0, 2u), subgroupBroadcast(b0, 3u));
    let q1 = vec4(subgroupBroadcast(b0, 4u), subgroupBroadcast(b0, 5u), subgroupBroadcast(b0, 6u), subgroupBroadcast(b0, 7u));
    let q2 = vec4(subgroupBroadcast(b1, 0u), subgroupBroadcast(b1, 1u), subgroupBroadcast(b1, 2u), subgroupBroadcast(b1, 3u));
    let q3 = vec4(subgroupBroadcast(b1, 4u), subgroupBroadcast(b1, 5u), subgroupBroadcast(b1, 6u), subgroupBroadcast(b1, 7u));
    (*c)[0] = tile_step((*c)[0], a.x, q0);
    (*c)[1] = tile_step((*c)[1], a.x, q1);
    (*c)[2] = tile_step((*c)[2], a.x, q2);
    (*c)[3] = tile_step((*c)[3], a.x, q3);
    (*c)[4] = tile_step((*c)[4], a.y, q0);
    (*c)[5] = tile_step((*c)[5], a.y, q1);
    (*c)[6] = tile_step((*c)[6], a.y, q2);
    (*c)[7] = tile_step((*c)[7], a.y, q3);
    (*c)[8] = tile_step((*c)[8], a.z, q0);
    (*c)[9] = tile_step((*c)[9], a.z, q1);
    (*c)[10] = tile_step((*c)[10], a.z, q2);
    (*c)[11] = tile_step((*c)[11], a.z, q3);
    (*c)[12] = tile_step((*c)[12], a.w, q0);
    (*c)[13] = tile_step((*c)[13], a.w, q1);
    (*c)[14] = tile_step((*c)[14], a.w, q2);
    (*c)[15] = tile_step((*c)[15], a.w, q3);
}

fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32, subgroup_lane: u32) {
    let row = tile_row * TILE_ROWS + lane;
    let column = tile_column * TILE_COLUMNS;
    let b_column = column + subgroup_lane % 8u;
    var c: array<vec4<f32>, 16>;
    for (var quad = begin; quad < end; quad += 1u) {
        let a0 = tile_a(row, quad);
        let a1 = tile_a(row + 64u, quad);
        let a2 = tile_a(row + 128u, quad);
        let a3 = tile_a(row + 192u, quad);
        let b0 = tile_b(b_column, quad);
        let b1 = tile_b(b_column + 8u, quad);
        tile_steps(&c, vec4(a0.x, a1.x, a2.x, a3.x), b0.x, b1.x);
        tile_steps(&c, vec4(a0.y, a1.y, a2.y, a3.y), b0.y, b1.y);
        tile_steps(&c, vec4(a0.z, a1.z, a2.z, a3.z), b0.z, b1.z);
        tile_steps(&c, vec4(a0.w, a1.w, a2.w, a3.w), b0.w, b1.w);
    }
    for (var q = 0u; q < 4u; q += 1u) {
        tile_store(row, column + 4u * q, c[q]);
        tile_store(row + 64u, column + 4u * q, c[4u + q]);
        tile_store(row + 128u, column + 4u * q, c[8u + q]);
        tile_store(row + 192u, column + 4u * q, c[12u + q]);
    }
}
