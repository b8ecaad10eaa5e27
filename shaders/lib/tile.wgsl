// The tile core: 128×128 results of rows of A with rows of B, 256 lanes, 8×8 results a lane.
// Steps of 16 along the depth go through workgroup memory, laid out so that a lane reads its 8 values as two vec4.
// The importing shader defines tile_a and tile_b (four values along the depth), tile_step, and tile_store, which takes a
// row's sums with the columns from `column` on and with those from `column + 64` on; `place` is which of the lane's rows.
// With its TILE_AHEAD the next step is fetched into 16 registers while one is used; some kernels have none to spare.
// An operand with A_DEEP or B_DEEP = 1 lies with the depth down its columns, not along its rows: then its function gives
// four rows of the tile, from `row` / 4 · 4 on, at depth 4 · `vec4_index` + `row` % 4.
const TILE_ROWS = 128u;
const TILE_COLUMNS = 128u;
const TILE_LANES = 256u;
const TILE_VEC4S = 4u;

// [depth][row / 4], so 16 KiB together: all that WebGPU guarantees.
var<workgroup> tile_a_block: array<vec4<f32>, 512>;
var<workgroup> tile_b_block: array<vec4<f32>, 512>;

// Four values along the depth of each of four rows.
struct TileRows {
    r0: vec4<f32>,
    r1: vec4<f32>,
    r2: vec4<f32>,
    r3: vec4<f32>,
}

// Where the first of four depths of four rows lies. Neighbouring lanes hold neighbouring depths, which would meet in one
// bank: the rows are swapped within eight groups.
fn tile_slot(vec4_index: u32, group: u32) -> u32 {
    return vec4_index * 128u + (group ^ (2u * vec4_index));
}

// Which vec4 along the depth and which four rows a lane fetches: neighbours read neighbouring words, of which a row has
// 16 along the depth, or 128 across it. Lanes 0 to 127 fetch for A, the others for B.
fn tile_share(lane: u32) -> vec2<u32> {
    let deep = select(B_DEEP, A_DEEP, lane < 128u) == 1u;
    let at = lane % 128u;
    return select(vec2(at % 4u, at / 4u), vec2(at / 32u, at % 32u), deep);
}

fn tile_fetch(lane: u32, row: u32, column: u32, vec4_index: u32, end: u32) -> TileRows {
    var rows = TileRows();
    if (vec4_index < end && lane < 128u) {
        rows.r0 = tile_a(row, vec4_index);
        rows.r1 = tile_a(row + 1u, vec4_index);
        rows.r2 = tile_a(row + 2u, vec4_index);
        rows.r3 = tile_a(row + 3u, vec4_index);
    } else if (vec4_index < end) {
        rows.r0 = tile_b(column, vec4_index);
        rows.r1 = tile_b(column + 1u, vec4_index);
        rows.r2 = tile_b(column + 2u, vec4_index);
        rows.r3 = tile_b(column + 3u, vec4_index);
    }
    return rows;
}

fn tile_turn(rows: TileRows) -> TileRows {
    return TileRows(
        vec4(rows.r0.x, rows.r1.x, rows.r2.x, rows.r3.x),
        vec4(rows.r0.y, rows.r1.y, rows.r2.y, rows.r3.y),
        vec4(rows.r0.z, rows.r1.z, rows.r2.z, rows.r3.z),
        vec4(rows.r0.w, rows.r1.w, rows.r2.w, rows.r3.w),
    );
}

// Stores whole vec4: lanes that wrote parts of one would race where a compiler rewrites it.
fn tile_fill(lane: u32, slot: u32, fetched: TileRows) {
    var rows = fetched;
    if (lane < 128u) {
        if (A_DEEP == 0u) {
            rows = tile_turn(fetched);
        }
        tile_a_block[slot] = rows.r0;
        tile_a_block[slot + 32u] = rows.r1;
        tile_a_block[slot + 64u] = rows.r2;
        tile_a_block[slot + 96u] = rows.r3;
    } else {
        if (B_DEEP == 0u) {
            rows = tile_turn(fetched);
        }
        tile_b_block[slot] = rows.r0;
        tile_b_block[slot + 32u] = rows.r1;
        tile_b_block[slot + 64u] = rows.r2;
        tile_b_block[slot + 96u] = rows.r3;
    }
}

// One value along the depth. Indices of arrays are constants: one that is not would put the sums into memory.
fn tile_depth(c: ptr<function, array<vec4<f32>, 16>>, a_at: u32, b_at: u32) {
    let a0 = tile_a_block[a_at];
    let a1 = tile_a_block[a_at + 16u];
    let b0 = tile_b_block[b_at];
    let b1 = tile_b_block[b_at + 16u];
    (*c)[0] = tile_step((*c)[0], a0.x, b0);
    (*c)[1] = tile_step((*c)[1], a0.x, b1);
    (*c)[2] = tile_step((*c)[2], a0.y, b0);
    (*c)[3] = tile_step((*c)[3], a0.y, b1);
    (*c)[4] = tile_step((*c)[4], a0.z, b0);
    (*c)[5] = tile_step((*c)[5], a0.z, b1);
    (*c)[6] = tile_step((*c)[6], a0.w, b0);
    (*c)[7] = tile_step((*c)[7], a0.w, b1);
    (*c)[8] = tile_step((*c)[8], a1.x, b0);
    (*c)[9] = tile_step((*c)[9], a1.x, b1);
    (*c)[10] = tile_step((*c)[10], a1.y, b0);
    (*c)[11] = tile_step((*c)[11], a1.y, b1);
    (*c)[12] = tile_step((*c)[12], a1.z, b0);
    (*c)[13] = tile_step((*c)[13], a1.z, b1);
    (*c)[14] = tile_step((*c)[14], a1.w, b0);
    (*c)[15] = tile_step((*c)[15], a1.w, b1);
}

fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32) {
    let share = tile_share(lane);
    let fetch_row = tile_row * TILE_ROWS + 4u * share.y;
    let fetch_column = tile_column * TILE_COLUMNS + 4u * share.y;
    let slot = tile_slot(share.x, share.y);
    let lane_row = lane / 16u;
    let lane_column = lane % 16u;
    var next = TileRows();
    if (TILE_AHEAD) {
        next = tile_fetch(lane, fetch_row, fetch_column, begin + share.x, end);
    }
    var c: array<vec4<f32>, 16>;
    for (var first = begin; first < end; first += TILE_VEC4S) {
        if (!TILE_AHEAD) {
            next = tile_fetch(lane, fetch_row, fetch_column, first + share.x, end);
        }
        tile_fill(lane, slot, next);
        workgroupBarrier();
        if (TILE_AHEAD) {
            next = tile_fetch(lane, fetch_row, fetch_column, first + TILE_VEC4S + share.x, end);
        }
        for (var vec4_index = 0u; vec4_index < TILE_VEC4S; vec4_index += 1u) {
            let a_at = tile_slot(vec4_index, lane_row);
            let b_at = tile_slot(vec4_index, lane_column);
            tile_depth(&c, a_at, b_at);
            tile_depth(&c, a_at + 32u, b_at + 32u);
            tile_depth(&c, a_at + 64u, b_at + 64u);
            tile_depth(&c, a_at + 96u, b_at + 96u);
        }
        workgroupBarrier();
    }
    let row = tile_row * TILE_ROWS + 4u * lane_row;
    let column = tile_column * TILE_COLUMNS + 4u * lane_column;
    tile_store(0u, row, column, c[0], c[1]);
    tile_store(1u, row + 1u, column, c[2], c[3]);
    tile_store(2u, row + 2u, column, c[4], c[5]);
    tile_store(3u, row + 3u, column, c[6], c[7]);
    tile_store(4u, row + 64u, column, c[8], c[9]);
    tile_store(5u, row + 65u, column, c[10], c[11]);
    tile_store(6u, row + 66u, column, c[12], c[13]);
    tile_store(7u, row + 67u, column, c[14], c[15]);
}
