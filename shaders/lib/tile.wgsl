// The tile core, portable form: 128×128 results of rows of A with rows of B, 256 lanes, 8×8 results a lane.
// Steps of 16 along the depth go through workgroup memory, laid out so that a lane reads its 8 values as two vec4.
// The importing shader defines tile_a, tile_b (four values along the depth), tile_step and tile_store (four columns).
const TILE_ROWS = 128u;
const TILE_COLUMNS = 128u;
const TILE_LANES = 256u;
const TILE_QUADS = 4u;

// [depth][row / 4], so 16 KiB together: all that WebGPU guarantees.
var<workgroup> tile_a_block: array<vec4<f32>, 512>;
var<workgroup> tile_b_block: array<vec4<f32>, 512>;

fn tile_fill(at: u32, row: u32, column: u32, quad: u32, end: u32) {
    let slot = (at / 128u) * 128u + (at % 128u) / 4u;
    let part = at % 4u;
    var a = vec4<f32>();
    var b = vec4<f32>();
    if (quad < end) {
        a = tile_a(row, quad);
        b = tile_b(column, quad);
    }
    tile_a_block[slot][part] = a.x;
    tile_a_block[slot + 32u][part] = a.y;
    tile_a_block[slot + 64u][part] = a.z;
    tile_a_block[slot + 96u][part] = a.w;
    tile_b_block[slot][part] = b.x;
    tile_b_block[slot + 32u][part] = b.y;
    tile_b_block[slot + 64u][part] = b.z;
    tile_b_block[slot + 96u][part] = b.w;
}

fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32) {
    let first_row = tile_row * TILE_ROWS;
    let first_column = tile_column * TILE_COLUMNS;
    let lane_row = lane / 16u;
    let lane_column = lane % 16u;
    var c: array<vec4<f32>, 16>;
    for (var quad = begin; quad < end; quad += TILE_QUADS) {
        for (var at = lane; at < 512u; at += TILE_LANES) {
            tile_fill(at, first_row + at % 128u, first_column + at % 128u, quad + at / 128u, end);
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k += 1u) {
            let a0 = tile_a_block[k * 32u + lane_row];
            let a1 = tile_a_block[k * 32u + 16u + lane_row];
            let b0 = tile_b_block[k * 32u + lane_column];
            let b1 = tile_b_block[k * 32u + 16u + lane_column];
            c[0] = tile_step(c[0], a0.x, b0);
            c[1] = tile_step(c[1], a0.x, b1);
            c[2] = tile_step(c[2], a0.y, b0);
            c[3] = tile_step(c[3], a0.y, b1);
            c[4] = tile_step(c[4], a0.z, b0);
            c[5] = tile_step(c[5], a0.z, b1);
            c[6] = tile_step(c[6], a0.w, b0);
            c[7] = tile_step(c[7], a0.w, b1);
            c[8] = tile_step(c[8], a1.x, b0);
            c[9] = tile_step(c[9], a1.x, b1);
            c[10] = tile_step(c[10], a1.y, b0);
            c[11] = tile_step(c[11], a1.y, b1);
            c[12] = tile_step(c[12], a1.z, b0);
            c[13] = tile_step(c[13], a1.z, b1);
            c[14] = tile_step(c[14], a1.w, b0);
            c[15] = tile_step(c[15], a1.w, b1);
        }
        workgroupBarrier();
    }
    let row = first_row + 4u * lane_row;
    let column = first_column + 4u * lane_column;
    for (var i = 0u; i < 4u; i += 1u) {
        tile_store(row + i, column, c[2u * i]);
        tile_store(row + i, column + 64u, c[2u * i + 1u]);
        tile_store(row + 64u + i, column, c[8u + 2u * i]);
        tile_store(row + 64u + i, column + 64u, c[8u + 2u * i + 1u]);
    }
}
