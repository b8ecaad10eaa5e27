// The tile core, portable variant: 128×128 results of rows of A with rows of B, 256 lanes, 8×8 results a lane.
// Steps of 16 along the depth go through workgroup memory, laid out so that a lane reads its 8 values as two vec4.
// The importing shader defines tile_a, tile_b (four values along the depth), tile_step and tile_store (four columns).
const TILE_ROWS = 128u;
const TILE_COLUMNS = 128u;
const TILE_LANES = 256u;
const TILE_VEC4S = 4u;

// [depth][row / 4], so 16 KiB together: all that WebGPU guarantees.
var<workgroup> tile_a_block: array<vec4<f32>, 512>;
var<workgroup> tile_b_block: array<vec4<f32>, 512>;

// A lane loads four values along the depth of each of four rows, turns them, and stores whole vec4: lanes that wrote
// parts of one vec4 would race where a compiler rewrites all of it.
fn tile_turn(r0: vec4<f32>, r1: vec4<f32>, r2: vec4<f32>, r3: vec4<f32>, first: bool, slot: u32) {
    let x = vec4(r0.x, r1.x, r2.x, r3.x);
    let y = vec4(r0.y, r1.y, r2.y, r3.y);
    let z = vec4(r0.z, r1.z, r2.z, r3.z);
    let w = vec4(r0.w, r1.w, r2.w, r3.w);
    if (first) {
        tile_a_block[slot] = x;
        tile_a_block[slot + 32u] = y;
        tile_a_block[slot + 64u] = z;
        tile_a_block[slot + 96u] = w;
    } else {
        tile_b_block[slot] = x;
        tile_b_block[slot + 32u] = y;
        tile_b_block[slot + 64u] = z;
        tile_b_block[slot + 96u] = w;
    }
}

// Lanes 0 to 127 fill the block of A, the others that of B: 32 groups of four rows, four vec4s along the depth.
fn tile_fill(lane: u32, first_row: u32, first_column: u32, first_vec4: u32, end: u32) {
    let at = lane % 128u;
    let vec4_index = first_vec4 + at / 32u;
    let slot = (at / 32u) * 128u + at % 32u;
    var r0 = vec4<f32>();
    var r1 = vec4<f32>();
    var r2 = vec4<f32>();
    var r3 = vec4<f32>();
    if (vec4_index < end && lane < 128u) {
        let row = first_row + 4u * (at % 32u);
        r0 = tile_a(row, vec4_index);
        r1 = tile_a(row + 1u, vec4_index);
        r2 = tile_a(row + 2u, vec4_index);
        r3 = tile_a(row + 3u, vec4_index);
    } else if (vec4_index < end) {
        let column = first_column + 4u * (at % 32u);
        r0 = tile_b(column, vec4_index);
        r1 = tile_b(column + 1u, vec4_index);
        r2 = tile_b(column + 2u, vec4_index);
        r3 = tile_b(column + 3u, vec4_index);
    }
    tile_turn(r0, r1, r2, r3, lane < 128u, slot);
}

fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32) {
    let first_row = tile_row * TILE_ROWS;
    let first_column = tile_column * TILE_COLUMNS;
    let lane_row = lane / 16u;
    let lane_column = lane % 16u;
    var c: array<vec4<f32>, 16>;
    for (var vec4_index = begin; vec4_index < end; vec4_index += TILE_VEC4S) {
        tile_fill(lane, first_row, first_column, vec4_index, end);
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
