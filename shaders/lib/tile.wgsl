// The tile core: 128×128 results of rows of A with rows of B, 256 lanes, 8×8 results a lane.
// Steps of 16 along the depth go through workgroup memory; the next step is fetched into registers while one is used.
// The importing shader defines tile_a and tile_b (four values along the depth), tile_step (what four values of a pair add
// to its sum), tile_open (fetches what belongs to the rows `row`, + 16, + 32, + 48) and tile_store (takes the sums of these
// rows with one column; `half` is 0 for the tile's first 64 rows, 1 for the others).
const TILE_ROWS = 128u;
const TILE_COLUMNS = 128u;
const TILE_LANES = 256u;
const TILE_VEC4S = 4u;

// [vec4 along the depth][row], so 16 KiB together: all that WebGPU guarantees.
var<workgroup> tile_a_block: array<vec4<f32>, 512>;
var<workgroup> tile_b_block: array<vec4<f32>, 512>;

// Four lanes load the 64 bytes of a row and would store them into one bank: the row is swapped within eight by the vec4.
fn tile_slot(vec4_index: u32, row: u32) -> u32 {
    return vec4_index * 128u + (row ^ (2u * vec4_index));
}

fn tile_four(sums: vec4<f32>, b: vec4<f32>, a0: vec4<f32>, a1: vec4<f32>, a2: vec4<f32>, a3: vec4<f32>) -> vec4<f32> {
    return vec4(tile_step(sums.x, a0, b), tile_step(sums.y, a1, b), tile_step(sums.z, a2, b), tile_step(sums.w, a3, b));
}

// Indices of arrays are constants throughout: one that is not would put the sums into memory.
fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32) {
    let load_row = tile_row * TILE_ROWS + lane / 4u;
    let load_column = tile_column * TILE_COLUMNS + lane / 4u;
    let slot = tile_slot(lane % 4u, lane / 4u);
    let lane_row = lane / 16u;
    let lane_column = lane % 16u;
    var next_a0 = vec4<f32>();
    var next_a1 = vec4<f32>();
    var next_b0 = vec4<f32>();
    var next_b1 = vec4<f32>();
    if (begin + lane % 4u < end) {
        next_a0 = tile_a(load_row, begin + lane % 4u);
        next_a1 = tile_a(load_row + 64u, begin + lane % 4u);
        next_b0 = tile_b(load_column, begin + lane % 4u);
        next_b1 = tile_b(load_column + 64u, begin + lane % 4u);
    }
    var c: array<vec4<f32>, 16>;
    for (var first = begin; first < end; first += TILE_VEC4S) {
        tile_a_block[slot] = next_a0;
        tile_a_block[slot + 64u] = next_a1;
        tile_b_block[slot] = next_b0;
        tile_b_block[slot + 64u] = next_b1;
        workgroupBarrier();
        let next = first + TILE_VEC4S + lane % 4u;
        next_a0 = vec4<f32>();
        next_a1 = vec4<f32>();
        next_b0 = vec4<f32>();
        next_b1 = vec4<f32>();
        if (next < end) {
            next_a0 = tile_a(load_row, next);
            next_a1 = tile_a(load_row + 64u, next);
            next_b0 = tile_b(load_column, next);
            next_b1 = tile_b(load_column + 64u, next);
        }
        for (var k = 0u; k < TILE_VEC4S; k += 1u) {
            let a_at = tile_slot(k, lane_row);
            let b_at = tile_slot(k, lane_column);
            let a0 = tile_a_block[a_at];
            let a1 = tile_a_block[a_at + 16u];
            let a2 = tile_a_block[a_at + 32u];
            let a3 = tile_a_block[a_at + 48u];
            let a4 = tile_a_block[a_at + 64u];
            let a5 = tile_a_block[a_at + 80u];
            let a6 = tile_a_block[a_at + 96u];
            let a7 = tile_a_block[a_at + 112u];
            let b0 = tile_b_block[b_at];
            c[0] = tile_four(c[0], b0, a0, a1, a2, a3);
            c[8] = tile_four(c[8], b0, a4, a5, a6, a7);
            let b1 = tile_b_block[b_at + 16u];
            c[1] = tile_four(c[1], b1, a0, a1, a2, a3);
            c[9] = tile_four(c[9], b1, a4, a5, a6, a7);
            let b2 = tile_b_block[b_at + 32u];
            c[2] = tile_four(c[2], b2, a0, a1, a2, a3);
            c[10] = tile_four(c[10], b2, a4, a5, a6, a7);
            let b3 = tile_b_block[b_at + 48u];
            c[3] = tile_four(c[3], b3, a0, a1, a2, a3);
            c[11] = tile_four(c[11], b3, a4, a5, a6, a7);
            let b4 = tile_b_block[b_at + 64u];
            c[4] = tile_four(c[4], b4, a0, a1, a2, a3);
            c[12] = tile_four(c[12], b4, a4, a5, a6, a7);
            let b5 = tile_b_block[b_at + 80u];
            c[5] = tile_four(c[5], b5, a0, a1, a2, a3);
            c[13] = tile_four(c[13], b5, a4, a5, a6, a7);
            let b6 = tile_b_block[b_at + 96u];
            c[6] = tile_four(c[6], b6, a0, a1, a2, a3);
            c[14] = tile_four(c[14], b6, a4, a5, a6, a7);
            let b7 = tile_b_block[b_at + 112u];
            c[7] = tile_four(c[7], b7, a0, a1, a2, a3);
            c[15] = tile_four(c[15], b7, a4, a5, a6, a7);
        }
        workgroupBarrier();
    }
    let row = tile_row * TILE_ROWS + lane_row;
    let column = tile_column * TILE_COLUMNS + lane_column;
    tile_open(row);
    tile_store(0u, row, column, c[0]);
    tile_store(0u, row, column + 16u, c[1]);
    tile_store(0u, row, column + 32u, c[2]);
    tile_store(0u, row, column + 48u, c[3]);
    tile_store(0u, row, column + 64u, c[4]);
    tile_store(0u, row, column + 80u, c[5]);
    tile_store(0u, row, column + 96u, c[6]);
    tile_store(0u, row, column + 112u, c[7]);
    tile_open(row + 64u);
    tile_store(1u, row + 64u, column, c[8]);
    tile_store(1u, row + 64u, column + 16u, c[9]);
    tile_store(1u, row + 64u, column + 32u, c[10]);
    tile_store(1u, row + 64u, column + 48u, c[11]);
    tile_store(1u, row + 64u, column + 64u, c[12]);
    tile_store(1u, row + 64u, column + 80u, c[13]);
    tile_store(1u, row + 64u, column + 96u, c[14]);
    tile_store(1u, row + 64u, column + 112u, c[15]);
}
