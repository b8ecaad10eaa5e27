// K·V for up to four columns of V, where K is the kernel function of each pair of rows and is never stored.
// A workgroup keeps 128 rows and walks over the tiles of one span of columns; a lane holds the sums of its eight rows, and
// at the end 16 lanes add theirs. Layers of the grid are the spans; gemm__merge adds them in their order.
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
    row_tiles: u32,
    span_tiles: u32,
    a_first: u32,
    a_vec4s: u32,
    b_first: u32,
    b_vec4s: u32,
    a_square_first: u32,
    b_square_first: u32,
    v_first: u32,
    v_vec4s: u32,
    same: u32,
    row_first: u32,
    column_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> a_square: array<f32>;
@group(0) @binding(4) var<storage, read> b_square: array<f32>;
@group(0) @binding(5) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> partial: array<vec4<f32>>;

const TILE_AHEAD = false;

// A lane's eight rows.
var<private> totals: array<vec4<f32>, 8>;

fn kernel_load(slot: u32, at: u32) -> vec4<f32> {
    return vec4<f32>();
}

// Four kernel values times four rows of V; columns past the end count nothing.
fn weighed(row: u32, column: u32, sums: vec4<f32>) -> vec4<f32> {
    let last = params.columns - 1u;
    let columns = vec4(column, column + 1u, column + 2u, column + 3u);
    let at = min(columns, vec4(last));
    let square = a_square[params.a_square_first + min(row, params.rows - 1u)];
    let squares = vec4(
        b_square[params.b_square_first + at.x],
        b_square[params.b_square_first + at.y],
        b_square[params.b_square_first + at.z],
        b_square[params.b_square_first + at.w],
    );
    let own = (columns + params.column_first == vec4(row + params.row_first)) & vec4(params.same == 1u);
    let values = kernel_values(select(sums, vec4(own_sum(square)), own), square, squares, 0u);
    let k = select(vec4<f32>(), values, columns < vec4(params.columns));
    return k.x * v[params.v_first + at.x * params.v_vec4s]
        + k.y * v[params.v_first + at.y * params.v_vec4s]
        + k.z * v[params.v_first + at.z * params.v_vec4s]
        + k.w * v[params.v_first + at.w * params.v_vec4s];
}

// Indices of arrays are constants: one that is not would put the totals into memory.
fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>, far: vec4<f32>) {
    let sum = weighed(row, column, sums) + weighed(row, column + 64u, far);
    switch (place) {
        case 0u: {
            totals[0] += sum;
        }
        case 1u: {
            totals[1] += sum;
        }
        case 2u: {
            totals[2] += sum;
        }
        case 3u: {
            totals[3] += sum;
        }
        case 4u: {
            totals[4] += sum;
        }
        case 5u: {
            totals[5] += sum;
        }
        case 6u: {
            totals[6] += sum;
        }
        default: {
            totals[7] += sum;
        }
    }
}

// The totals of 16 lanes, half of them at a time, through the tile's own workgroup memory: [row][lane of eight].
fn fold(lane: u32) {
    let column = lane % 16u;
    let row = 4u * (lane / 16u);
    for (var half = 8u; half > 0u; half = half / 2u) {
        workgroupBarrier();
        let at = 8u * row + column % half;
        if (column >= half && column < 2u * half) {
            tile_a_block[at] = totals[0];
            tile_a_block[at + 8u] = totals[1];
            tile_a_block[at + 16u] = totals[2];
            tile_a_block[at + 24u] = totals[3];
            tile_b_block[at] = totals[4];
            tile_b_block[at + 8u] = totals[5];
            tile_b_block[at + 16u] = totals[6];
            tile_b_block[at + 24u] = totals[7];
        }
        workgroupBarrier();
        if (column < half) {
            totals[0] += tile_a_block[at];
            totals[1] += tile_a_block[at + 8u];
            totals[2] += tile_a_block[at + 16u];
            totals[3] += tile_a_block[at + 24u];
            totals[4] += tile_b_block[at];
            totals[5] += tile_b_block[at + 8u];
            totals[6] += tile_b_block[at + 16u];
            totals[7] += tile_b_block[at + 24u];
        }
    }
}

fn store(layer: u32, row: u32, total: vec4<f32>) {
    if (row < params.rows) {
        partial[layer * params.rows + row] = total;
    }
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        totals = array<vec4<f32>, 8>();
        let tiles = (params.columns + TILE_COLUMNS - 1u) / TILE_COLUMNS;
        let first = group.z * params.span_tiles;
        for (var column = first; column < min(first + params.span_tiles, tiles); column += 1u) {
            tile_product(tile, column, 0u, (params.depth + 3u) / 4u, lane);
        }
        fold(lane);
        if (lane % 16u == 0u) {
            let row = tile * TILE_ROWS + 4u * (lane / 16u);
            store(group.z, row, totals[0]);
            store(group.z, row + 1u, totals[1]);
            store(group.z, row + 2u, totals[2]);
            store(group.z, row + 3u, totals[3]);
            store(group.z, row + 64u, totals[4]);
            store(group.z, row + 65u, totals[5]);
            store(group.z, row + 66u, totals[6]);
            store(group.z, row + 67u, totals[7]);
        }
    }
    mark_done(lane);
}
