// The tile core: TILE×TILE results of rows of A with rows of B; 8×8 results a lane at 128, 4×4 at 64 and 32.
// Steps of 16 along the depth (32 at 64) go through workgroup memory, laid out so that a lane reads four values as a vec4.
// The importing shader defines tile_a and tile_b (four values along the depth), tile_step, and tile_store, which takes
// four sums of a row, from `column` on; `place` is which of the lane's rows. Every size adds up in the same order.
// With its TILE_AHEAD the next step is fetched into 16 registers while one is used; some kernels have none to spare.
// An operand with A_DEEP or B_DEEP = 1 lies with the depth down its columns, not along its rows: then its function gives
// four rows of the tile, from `row` / 4 · 4 on, at depth 4 · `vec4_index` + `row` % 4.
override TILE: u32 = 128u;
override TILE_LANES: u32 = min(TILE * TILE / 16u, 256u);
override TILE_VEC4S: u32 = 2u * TILE_LANES / TILE;
override TILE_BLOCK: u32 = 2u * TILE_LANES;

// [depth][row / 4], so 16 KiB together at most: all that WebGPU guarantees.
var<workgroup> tile_a_block: array<vec4<f32>, TILE_BLOCK>;
var<workgroup> tile_b_block: array<vec4<f32>, TILE_BLOCK>;

// Four values along the depth of each of four rows.
struct TileRows {
    r0: vec4<f32>,
    r1: vec4<f32>,
    r2: vec4<f32>,
    r3: vec4<f32>,
}

// Where the first of four depths of four rows lies. Neighbouring lanes hold neighbouring depths, which would meet in one
// bank: the rows are swapped within sixteen groups.
fn tile_slot(vec4_index: u32, group: u32) -> u32 {
    return vec4_index * TILE + (group ^ (2u * vec4_index));
}

// Which vec4 along the depth and which four rows a lane fetches: neighbours read neighbouring words, along the depth or
// across it. The first half of the lanes fetches for A, the others for B.
fn tile_share(lane: u32) -> vec2<u32> {
    let deep = select(B_DEEP, A_DEEP, lane < TILE_LANES / 2u) == 1u;
    let at = lane % (TILE_LANES / 2u);
    return select(vec2(at % TILE_VEC4S, at / TILE_VEC4S), vec2(at / (TILE / 4u), at % (TILE / 4u)), deep);
}

fn tile_fetch(lane: u32, row: u32, column: u32, vec4_index: u32, end: u32) -> TileRows {
    var rows = TileRows();
    if (vec4_index < end && lane < TILE_LANES / 2u) {
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
    if (lane < TILE_LANES / 2u) {
        if (A_DEEP == 0u) {
            rows = tile_turn(fetched);
        }
        tile_a_block[slot] = rows.r0;
        tile_a_block[slot + TILE / 4u] = rows.r1;
        tile_a_block[slot + TILE / 2u] = rows.r2;
        tile_a_block[slot + 3u * TILE / 4u] = rows.r3;
    } else {
        if (B_DEEP == 0u) {
            rows = tile_turn(fetched);
        }
        tile_b_block[slot] = rows.r0;
        tile_b_block[slot + TILE / 4u] = rows.r1;
        tile_b_block[slot + TILE / 2u] = rows.r2;
        tile_b_block[slot + 3u * TILE / 4u] = rows.r3;
    }
}

// One value along the depth. Indices of arrays are constants: one that is not would put the sums into memory.
fn tile_depth(c: ptr<function, array<vec4<f32>, 16>>, a_at: u32, b_at: u32) {
    let a0 = tile_a_block[a_at];
    let b0 = tile_b_block[b_at];
    (*c)[0] = tile_step((*c)[0], a0.x, b0);
    (*c)[2] = tile_step((*c)[2], a0.y, b0);
    (*c)[4] = tile_step((*c)[4], a0.z, b0);
    (*c)[6] = tile_step((*c)[6], a0.w, b0);
    if (TILE == 128u) {
        let a1 = tile_a_block[a_at + 16u];
        let b1 = tile_b_block[b_at + 16u];
        (*c)[1] = tile_step((*c)[1], a0.x, b1);
        (*c)[3] = tile_step((*c)[3], a0.y, b1);
        (*c)[5] = tile_step((*c)[5], a0.z, b1);
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
}

fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32) {
    let share = tile_share(lane);
    let fetch_row = tile_row * TILE + 4u * share.y;
    let fetch_column = tile_column * TILE + 4u * share.y;
    let slot = tile_slot(share.x, share.y);
    // Lanes along a side.
    let side = select(TILE / 4u, 16u, TILE == 128u);
    let lane_row = lane / side;
    let lane_column = lane % side;
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
            tile_depth(&c, a_at + TILE / 4u, b_at + TILE / 4u);
            tile_depth(&c, a_at + TILE / 2u, b_at + TILE / 2u);
            tile_depth(&c, a_at + 3u * TILE / 4u, b_at + 3u * TILE / 4u);
        }
        workgroupBarrier();
    }
    let row = tile_row * TILE + 4u * lane_row;
    let column = tile_column * TILE + 4u * lane_column;
    tile_store_two(0u, row, column, c[0], c[1]);
    tile_store_two(1u, row + 1u, column, c[2], c[3]);
    tile_store_two(2u, row + 2u, column, c[4], c[5]);
    tile_store_two(3u, row + 3u, column, c[6], c[7]);
    if (TILE == 128u) {
        tile_store_two(4u, row + 64u, column, c[8], c[9]);
        tile_store_two(5u, row + 65u, column, c[10], c[11]);
        tile_store_two(6u, row + 66u, column, c[12], c[13]);
        tile_store_two(7u, row + 67u, column, c[14], c[15]);
    }
}

fn tile_store_two(place: u32, row: u32, column: u32, sums: vec4<f32>, far: vec4<f32>) {
    tile_store(place, row, column, sums);
    if (TILE == 128u) {
        tile_store(place, row, column + 64u, far);
    }
}
