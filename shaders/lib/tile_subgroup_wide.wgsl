// The tile core, subgroup variant with 32 columns instead of 24: fewer loads for each step, more registers.
// For steps of one instruction, such as gemm's: longer ones would spill.
// The rest is as in tile_subgroup.
//#import tile_eight
override TILE_LANES: u32 = 64u;
const TILE_COLUMNS = 32u;

// No workgroup memory and no barrier; right for any subgroup size that is a multiple of 8.
fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32, subgroup_lane: u32) {
    let row = tile_row * 4u * TILE_LANES + lane;
    let column = tile_column * TILE_COLUMNS;
    let b_column = column + subgroup_lane % 8u;
    var c0: array<vec4<f32>, 8>;
    var c1: array<vec4<f32>, 8>;
    var c2: array<vec4<f32>, 8>;
    var c3: array<vec4<f32>, 8>;
    for (var vec4_index = begin; vec4_index < end; vec4_index += 1u) {
        let a0 = tile_a(row, vec4_index);
        let a1 = tile_a(row + TILE_LANES, vec4_index);
        let a2 = tile_a(row + 2u * TILE_LANES, vec4_index);
        let a3 = tile_a(row + 3u * TILE_LANES, vec4_index);
        let b0 = tile_b(b_column, vec4_index);
        let b1 = tile_b(b_column + 8u, vec4_index);
        let b2 = tile_b(b_column + 16u, vec4_index);
        let b3 = tile_b(b_column + 24u, vec4_index);
        let ax = vec4(a0.x, a1.x, a2.x, a3.x);
        let ay = vec4(a0.y, a1.y, a2.y, a3.y);
        let az = vec4(a0.z, a1.z, a2.z, a3.z);
        let aw = vec4(a0.w, a1.w, a2.w, a3.w);
        tile_eight(&c0, ax, ay, az, aw, b0);
        tile_eight(&c1, ax, ay, az, aw, b1);
        tile_eight(&c2, ax, ay, az, aw, b2);
        tile_eight(&c3, ax, ay, az, aw, b3);
    }
    tile_store_eight(row, column, &c0);
    tile_store_eight(row, column + 8u, &c1);
    tile_store_eight(row, column + 16u, &c2);
    tile_store_eight(row, column + 24u, &c3);
}
