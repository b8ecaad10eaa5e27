// The kernel function of each pair of rows: a tile of sums, and a short program on each.
// A workgroup makes one 128×128 tile; of a matrix with itself only the tiles up to the diagonal, each stored twice.
// Gaussians are finished in registers. Other programs run on the stored sums, in a loop: sixteen copies of them, one for
// each four sums of a lane, would not fit into registers.
// A pass of a kernel with several sums leaves its values in a register, a whole copy of the result, for the next one.
//#import status
//#import tile
//#import kernel_program
//#import pairs_operands
struct Params {
    program: array<vec4<f32>, 10>,
    instructions: u32,
    rows: u32,
    columns: u32,
    depth: u32,
    tiles: u32,
    column_tiles: u32,
    a_first: u32,
    a_vec4s: u32,
    b_first: u32,
    b_vec4s: u32,
    a_square_first: u32,
    b_square_first: u32,
    out_first: u32,
    out_vec4s: u32,
    slot_vec4s: u32,
    slot: u32,
    sum_slot: u32,
    same: u32,
    row_first: u32,
    column_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> a_square: array<f32>;
@group(0) @binding(4) var<storage, read> b_square: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;

// Whether only tiles up to the diagonal are made, and what they hold is stored on both sides of it.
override MIRROR: u32 = 0u;
const TILE_AHEAD = true;

fn kernel_load(slot: u32, at: u32) -> vec4<f32> {
    return out[params.out_first + slot * params.slot_vec4s + at];
}

fn squares_from(column: u32) -> vec4<f32> {
    let last = params.columns - 1u;
    return vec4(
        b_square[params.b_square_first + min(column, last)],
        b_square[params.b_square_first + min(column + 1u, last)],
        b_square[params.b_square_first + min(column + 2u, last)],
        b_square[params.b_square_first + min(column + 3u, last)],
    );
}

// Padding is zero in every matrix.
fn values_at(row: u32, column: u32, sums: vec4<f32>) -> vec4<f32> {
    let square = a_square[params.a_square_first + min(row, params.rows - 1u)];
    let columns = vec4(column, column + 1u, column + 2u, column + 3u);
    let own = (columns + params.column_first == vec4(row + params.row_first)) & vec4(params.same == 1u);
    let at = min(row, params.rows - 1u) * params.out_vec4s + min(column, params.columns - 1u) / 4u;
    let values = kernel_values(select(sums, vec4(own_sum(square)), own), square, squares_from(column), at);
    return select(vec4<f32>(), values, columns < vec4(params.columns));
}

fn place_of(slot: u32, row: u32, column: u32) -> u32 {
    return params.out_first + slot * params.slot_vec4s + row * params.out_vec4s + column / 4u;
}

fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        if (FORM == FORM_GAUSSIAN) {
            out[place_of(params.slot, row, column)] = values_at(row, column, sums);
        } else {
            out[place_of(params.sum_slot, row, column)] = sums;
        }
    }
}

fn finish(row: u32, column: u32) {
    if (row < params.rows && column < params.columns) {
        out[place_of(params.slot, row, column)] = values_at(row, column, out[place_of(params.sum_slot, row, column)]);
    }
}

fn stored(row: u32, column: u32) -> vec4<f32> {
    let value = out[place_of(params.slot, min(row, params.rows - 1u), min(column, params.columns - 1u))];
    return select(vec4<f32>(), value, row < params.rows);
}

fn mirror(row: u32, column: u32, values: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        out[place_of(params.slot, row, column)] = values;
    }
}

// The four rows that a lane has just stored become four columns on the other side; rows past the end are its padding.
fn mirror_four(row: u32, column: u32) {
    let r0 = stored(row, column);
    let r1 = stored(row + 1u, column);
    let r2 = stored(row + 2u, column);
    let r3 = stored(row + 3u, column);
    mirror(column, row, vec4(r0.x, r1.x, r2.x, r3.x));
    mirror(column + 1u, row, vec4(r0.y, r1.y, r2.y, r3.y));
    mirror(column + 2u, row, vec4(r0.z, r1.z, r2.z, r3.z));
    mirror(column + 3u, row, vec4(r0.w, r1.w, r2.w, r3.w));
}

// What is left to do with the sums that this lane has stored.
fn finish_tile(tile_row: u32, tile_column: u32, lane: u32) {
    let side = select(TILE / 4u, 16u, TILE == 128u);
    for (var part = 0u; part < select(1u, 4u, TILE == 128u); part += 1u) {
        let row = tile_row * TILE + 4u * (lane / side) + 64u * (part / 2u);
        let column = tile_column * TILE + 4u * (lane % side) + 64u * (part % 2u);
        if (FORM != FORM_GAUSSIAN) {
            for (var i = 0u; i < 4u; i += 1u) {
                finish(row + i, column);
            }
        }
        if (MIRROR == 1u && tile_row != tile_column) {
            mirror_four(row, column);
        }
    }
}

// Row and column of tile number `tile` of a triangle: rows of 1, 2, 3, … tiles.
fn triangle_place(tile: u32) -> vec2<u32> {
    var row = u32((sqrt(8.0 * f32(tile) + 1.0) - 1.0) * 0.5);
    // The root may be off by one either way.
    if (row * (row + 1u) / 2u > tile) {
        row -= 1u;
    }
    if ((row + 1u) * (row + 2u) / 2u <= tile) {
        row += 1u;
    }
    return vec2(row, tile - row * (row + 1u) / 2u);
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.tiles) {
        var place = vec2(tile / params.column_tiles, tile % params.column_tiles);
        if (MIRROR == 1u) {
            place = triangle_place(tile);
        }
        tile_product(place.x, place.y, 0u, (params.depth + 3u) / 4u, lane);
        if (FORM != FORM_GAUSSIAN || MIRROR == 1u) {
            finish_tile(place.x, place.y, lane);
        }
    }
    mark_done(lane);
}
