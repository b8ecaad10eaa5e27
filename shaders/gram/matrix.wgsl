// The kernel function of each pair of rows: a tile of sums, and a short program on each.
// A workgroup makes one 128×128 tile; of a matrix with itself only the tiles up to the diagonal, each stored twice.
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

// The last four rows of a lane, until they are stored as columns.
var<private> kept: array<vec4<f32>, 4>;
var<private> kept_far: array<vec4<f32>, 4>;

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

fn store(row: u32, column: u32, values: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        let first = params.out_first + params.slot * params.slot_vec4s;
        out[first + row * params.out_vec4s + column / 4u] = values;
    }
}

// Four rows as four columns of the other side; rows past the end are its padding.
fn store_mirrored(row: u32, column: u32, r0: vec4<f32>, r1: vec4<f32>, r2: vec4<f32>, r3: vec4<f32>) {
    let inside = vec4(row, row + 1u, row + 2u, row + 3u) < vec4(params.rows);
    store(column, row, select(vec4<f32>(), vec4(r0.x, r1.x, r2.x, r3.x), inside));
    store(column + 1u, row, select(vec4<f32>(), vec4(r0.y, r1.y, r2.y, r3.y), inside));
    store(column + 2u, row, select(vec4<f32>(), vec4(r0.z, r1.z, r2.z, r3.z), inside));
    store(column + 3u, row, select(vec4<f32>(), vec4(r0.w, r1.w, r2.w, r3.w), inside));
}

fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>, far: vec4<f32>) {
    let values = values_at(row, column, sums);
    let far_values = values_at(row, column + 64u, far);
    store(row, column, values);
    store(row, column + 64u, far_values);
    if (MIRROR == 1u) {
        let mine = place % 4u;
        if (mine == 0u) {
            kept[0] = values;
            kept_far[0] = far_values;
        } else if (mine == 1u) {
            kept[1] = values;
            kept_far[1] = far_values;
        } else if (mine == 2u) {
            kept[2] = values;
            kept_far[2] = far_values;
        } else {
            store_mirrored(row - 3u, column, kept[0], kept[1], kept[2], values);
            store_mirrored(row - 3u, column + 64u, kept_far[0], kept_far[1], kept_far[2], far_values);
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
    }
    mark_done(lane);
}
