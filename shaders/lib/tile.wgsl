// The tile core: TILE×TILE results of rows of A with rows of B; 8×8 results a lane at 128, 8×4 at 64, 4×4 at 32.
// Steps of 16 along the depth go through workgroup memory, laid out so that a lane reads four values as a vec4.
// The importing shader defines tile_a and tile_b (four values along the depth), tile_step, and tile_store, which takes
// four sums of a row, from `column` on; `place` is which of the lane's rows. Every size adds up in the same order.
// With its TILE_AHEAD the next step is fetched into 16 registers while one is used; some kernels have none to spare.
// An operand with A_DEEP or B_DEEP = 1 lies with the depth down its columns, not along its rows: then its function gives
// four rows of the tile, from `row` / 4 · 4 on, at depth 4 · `vec4_index` + `row` % 4.
const TILE_VEC4S = 4u;
override TILE: u32 = 128u;
override TILE_LANES: u32 = TILE * 2u;
// Rows of A and of B whose sums one lane's nearer places take: half of them at 128, for A at 64 too.
override TILE_A_NEAR: u32 = max(TILE / 2u, 32u);
override TILE_B_NEAR: u32 = min(TILE, 64u);
// How many vec4s of the depth a round of the loop takes: two at 32, where the farther arrays hold the odd ones instead of
// farther rows, so that counting rounds and finding places does not take as long as the few products of a lane.
override TILE_ROUND: u32 = 3u - min(TILE / 32u, 2u);
// Sizes of the arrays; at 32 one more than is used, so that even and odd vec4s do not meet in one bank.
override TILE_A_SIZE: u32 = TILE / 2u + TILE_ROUND - 1u;
override TILE_B_SIZE: u32 = 64u - 47u * (TILE_ROUND - 1u);
override TILE_B_FAR_SIZE: u32 = max(TILE - TILE_B_NEAR, 1u) + 16u * (TILE_ROUND - 1u);

// [depth / 4][row / 4] for each depth % 4, nearer and farther rows apart; 16 KiB together at 128: all that WebGPU
// guarantees. Many arrays, so that one index, checked once, serves all that a lane reads of an operand in a round.
var<workgroup> tile_a0: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_a1: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_a2: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_a3: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_a4: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_a5: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_a6: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_a7: array<vec4<f32>, TILE_A_SIZE>;
var<workgroup> tile_b0: array<vec4<f32>, TILE_B_SIZE>;
var<workgroup> tile_b1: array<vec4<f32>, TILE_B_SIZE>;
var<workgroup> tile_b2: array<vec4<f32>, TILE_B_SIZE>;
var<workgroup> tile_b3: array<vec4<f32>, TILE_B_SIZE>;
var<workgroup> tile_b4: array<vec4<f32>, TILE_B_FAR_SIZE>;
var<workgroup> tile_b5: array<vec4<f32>, TILE_B_FAR_SIZE>;
var<workgroup> tile_b6: array<vec4<f32>, TILE_B_FAR_SIZE>;
var<workgroup> tile_b7: array<vec4<f32>, TILE_B_FAR_SIZE>;

// Four values along the depth of each of four rows.
struct TileRows {
    r0: vec4<f32>,
    r1: vec4<f32>,
    r2: vec4<f32>,
    r3: vec4<f32>,
}

// Where four rows of a round lie, of which `near` are in an array. Neighbouring lanes fill neighbouring depths, which
// would meet in one bank: the rows are swapped within eight groups.
fn tile_slot(round: u32, group: u32, near: u32) -> u32 {
    return round * (near / 4u) + (group ^ (2u * round));
}

// Which vec4 along the depth and which four rows a lane fetches: neighbours read neighbouring words, along the depth or
// across it. The first half of the lanes fetches for A, the others for B.
fn tile_share(lane: u32) -> vec2<u32> {
    let deep = select(B_DEEP, A_DEEP, lane < TILE_LANES / 2u) == 1u;
    let at = lane % (TILE_LANES / 2u);
    return select(vec2(at % TILE_VEC4S, at / TILE_VEC4S), vec2(at / (TILE / 4u), at % (TILE / 4u)), deep);
}

// `first` is a row of A for the lanes that fetch for it, one of B for the others.
fn tile_fetch(lane: u32, first: u32, vec4_index: u32, end: u32) -> TileRows {
    var rows = TileRows();
    if (vec4_index < end && lane < TILE_LANES / 2u) {
        rows.r0 = tile_a(first, vec4_index);
        rows.r1 = tile_a(first + 1u, vec4_index);
        rows.r2 = tile_a(first + 2u, vec4_index);
        rows.r3 = tile_a(first + 3u, vec4_index);
    } else if (vec4_index < end) {
        rows.r0 = tile_b(first, vec4_index);
        rows.r1 = tile_b(first + 1u, vec4_index);
        rows.r2 = tile_b(first + 2u, vec4_index);
        rows.r3 = tile_b(first + 3u, vec4_index);
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
fn tile_fill(lane: u32, far: bool, slot: u32, fetched: TileRows) {
    var rows = fetched;
    if (lane < TILE_LANES / 2u) {
        if (A_DEEP == 0u) {
            rows = tile_turn(fetched);
        }
        if (far) {
            tile_a4[slot] = rows.r0;
            tile_a5[slot] = rows.r1;
            tile_a6[slot] = rows.r2;
            tile_a7[slot] = rows.r3;
        } else {
            tile_a0[slot] = rows.r0;
            tile_a1[slot] = rows.r1;
            tile_a2[slot] = rows.r2;
            tile_a3[slot] = rows.r3;
        }
    } else {
        if (B_DEEP == 0u) {
            rows = tile_turn(fetched);
        }
        if (TILE != 64u && far) {
            tile_b4[slot] = rows.r0;
            tile_b5[slot] = rows.r1;
            tile_b6[slot] = rows.r2;
            tile_b7[slot] = rows.r3;
        } else {
            tile_b0[slot] = rows.r0;
            tile_b1[slot] = rows.r1;
            tile_b2[slot] = rows.r2;
            tile_b3[slot] = rows.r3;
        }
    }
}

// One value along the depth. Indices of arrays are constants: one that is not would put the sums into memory.
fn tile_four(c: ptr<function, array<vec4<f32>, 16>>, a0: vec4<f32>, b0: vec4<f32>) {
    (*c)[0] = tile_step((*c)[0], a0.x, b0);
    (*c)[2] = tile_step((*c)[2], a0.y, b0);
    (*c)[4] = tile_step((*c)[4], a0.z, b0);
    (*c)[6] = tile_step((*c)[6], a0.w, b0);
}

fn tile_eight_by_four(c: ptr<function, array<vec4<f32>, 16>>, a0: vec4<f32>, a1: vec4<f32>, b0: vec4<f32>) {
    tile_four(c, a0, b0);
    (*c)[8] = tile_step((*c)[8], a1.x, b0);
    (*c)[10] = tile_step((*c)[10], a1.y, b0);
    (*c)[12] = tile_step((*c)[12], a1.z, b0);
    (*c)[14] = tile_step((*c)[14], a1.w, b0);
}

fn tile_eight(c: ptr<function, array<vec4<f32>, 16>>, a0: vec4<f32>, a1: vec4<f32>, b0: vec4<f32>, b1: vec4<f32>) {
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

// A round: four values along the depth, or eight.
fn tile_depths(c: ptr<function, array<vec4<f32>, 16>>, a: u32, b: u32) {
    if (TILE == 128u) {
        tile_eight(c, tile_a0[a], tile_a4[a], tile_b0[b], tile_b4[b]);
        tile_eight(c, tile_a1[a], tile_a5[a], tile_b1[b], tile_b5[b]);
        tile_eight(c, tile_a2[a], tile_a6[a], tile_b2[b], tile_b6[b]);
        tile_eight(c, tile_a3[a], tile_a7[a], tile_b3[b], tile_b7[b]);
    } else if (TILE == 64u) {
        tile_eight_by_four(c, tile_a0[a], tile_a4[a], tile_b0[b]);
        tile_eight_by_four(c, tile_a1[a], tile_a5[a], tile_b1[b]);
        tile_eight_by_four(c, tile_a2[a], tile_a6[a], tile_b2[b]);
        tile_eight_by_four(c, tile_a3[a], tile_a7[a], tile_b3[b]);
    } else {
        tile_four(c, tile_a0[a], tile_b0[b]);
        tile_four(c, tile_a1[a], tile_b1[b]);
        tile_four(c, tile_a2[a], tile_b2[b]);
        tile_four(c, tile_a3[a], tile_b3[b]);
        tile_four(c, tile_a4[a], tile_b4[b]);
        tile_four(c, tile_a5[a], tile_b5[b]);
        tile_four(c, tile_a6[a], tile_b6[b]);
        tile_four(c, tile_a7[a], tile_b7[b]);
    }
}

fn tile_product(tile_row: u32, tile_column: u32, begin: u32, end: u32, lane: u32) {
    let share = tile_share(lane);
    let fetched = select(tile_column, tile_row, lane < TILE_LANES / 2u) * TILE + 4u * share.y;
    let near = select(TILE_B_NEAR, TILE_A_NEAR, lane < TILE_LANES / 2u);
    let slot = tile_slot(share.x / TILE_ROUND, share.y % (near / 4u), near);
    // At 128 there is no register for it on some GPUs, so each step asks again.
    let far = TILE < 128u && select(fetched & near, share.x & 1u, TILE_ROUND == 2u) != 0u;
    let lane_row = lane / (TILE_B_NEAR / 4u);
    let lane_column = lane % (TILE_B_NEAR / 4u);
    var next = TileRows();
    if (TILE_AHEAD) {
        next = tile_fetch(lane, fetched, begin + share.x, end);
    }
    var c: array<vec4<f32>, 16>;
    for (var first = begin; first < end; first += TILE_VEC4S) {
        if (!TILE_AHEAD) {
            next = tile_fetch(lane, fetched, first + share.x, end);
        }
        tile_fill(lane, far || (TILE == 128u && (fetched & near) != 0u), slot, next);
        workgroupBarrier();
        if (TILE_AHEAD) {
            next = tile_fetch(lane, fetched, first + TILE_VEC4S + share.x, end);
        }
        // What a round takes beyond the end is zero.
        let rounds = (min(TILE_VEC4S, end - first) + TILE_ROUND - 1u) / TILE_ROUND;
        for (var round = 0u; round < rounds; round += 1u) {
            let at_row = tile_slot(round, lane_row, TILE_A_NEAR);
            tile_depths(&c, at_row, tile_slot(round, lane_column, TILE_B_NEAR));
        }
        workgroupBarrier();
    }
    let row = tile_row * TILE + 4u * lane_row;
    let column = tile_column * TILE + 4u * lane_column;
    // By columns: what belongs to a column is read once and given up before the next.
    tile_store(0u, row, column, c[0]);
    tile_store(1u, row + 1u, column, c[2]);
    tile_store(2u, row + 2u, column, c[4]);
    tile_store(3u, row + 3u, column, c[6]);
    if (TILE >= 64u) {
        tile_store(4u, row + TILE_A_NEAR, column, c[8]);
        tile_store(5u, row + TILE_A_NEAR + 1u, column, c[10]);
        tile_store(6u, row + TILE_A_NEAR + 2u, column, c[12]);
        tile_store(7u, row + TILE_A_NEAR + 3u, column, c[14]);
    }
    if (TILE == 128u) {
        tile_store(0u, row, column + 64u, c[1]);
        tile_store(1u, row + 1u, column + 64u, c[3]);
        tile_store(2u, row + 2u, column + 64u, c[5]);
        tile_store(3u, row + 3u, column + 64u, c[7]);
        tile_store(4u, row + 64u, column + 64u, c[9]);
        tile_store(5u, row + 65u, column + 64u, c[11]);
        tile_store(6u, row + 66u, column + 64u, c[13]);
        tile_store(7u, row + 67u, column + 64u, c[15]);
    }
}
