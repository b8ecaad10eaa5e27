// K·V for two columns of V, where K is the kernel function of each pair of rows and is never stored.
// A workgroup keeps a tile's rows and walks over the tiles of one span of columns; a lane holds the sums of its rows, and
// at the end 16 lanes add theirs. Tiles are of 128 for Gaussians; a program leaves registers for tiles of 64. Layers of the grid are the spans; gemm__merge adds them in their order.
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
    v_vec2s: u32,
    half: u32,
    alone: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> a_square: array<f32>;
@group(0) @binding(4) var<storage, read> b_square: array<f32>;
@group(0) @binding(5) var<storage, read> v: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> partial: array<vec2<f32>>;

override TILE_AHEAD: bool = TILE == 64u;

// A lane's rows: eight of a tile of 128, four of one of 64.
var<private> totals: array<vec2<f32>, 8>;

fn kernel_load(slot: u32, at: u32) -> vec4<f32> {
    return vec4<f32>();
}

// Four kernel values times four rows of V; columns past the end count nothing.
fn weighed(row: u32, column: u32, sums: vec4<f32>) -> vec2<f32> {
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
    let values = kernel_values(sums, square, squares, 0u);
    let k = select(vec4<f32>(), values, columns < vec4(params.columns));
    return k.x * v[params.v_first + at.x * params.v_vec2s]
        + k.y * v[params.v_first + at.y * params.v_vec2s]
        + k.z * v[params.v_first + at.z * params.v_vec2s]
        + k.w * v[params.v_first + at.w * params.v_vec2s];
}

// Indices of arrays are constants: one that is not would put the totals into memory.
fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    let sum = weighed(row, column, sums);
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

// The totals of one of a lane's rows over 16 lanes, added in their order through the tile's own workgroup memory, and stored.
fn store(layer: u32, row: u32, lane: u32, total: vec2<f32>) {
    let column = lane % 16u;
    let at = lane / 16u * 4u + column / 4u;
    workgroupBarrier();
    switch (column % 4u) {
        case 0u: {
            tile_a0[at] = vec4(total, 0.0, 0.0);
        }
        case 1u: {
            tile_a1[at] = vec4(total, 0.0, 0.0);
        }
        case 2u: {
            tile_a2[at] = vec4(total, 0.0, 0.0);
        }
        default: {
            tile_a3[at] = vec4(total, 0.0, 0.0);
        }
    }
    workgroupBarrier();
    if (column == 0u && row < params.rows) {
        var sum = vec4<f32>();
        for (var i = at; i < at + 4u; i += 1u) {
            sum += (tile_a0[i] + tile_a1[i]) + (tile_a2[i] + tile_a3[i]);
        }
        // Two halves make a vec4 of the result; the second is padding where V has no columns for it.
        let to = 2u * (layer * params.rows + row);
        partial[to + params.half] = sum.xy;
        if (params.alone == 1u) {
            partial[to + 1u] = vec2<f32>();
        }
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
        totals = array<vec2<f32>, 8>();
        let tiles = (params.columns + TILE - 1u) / TILE;
        let first = group.z * params.span_tiles;
        for (var column = first; column < min(first + params.span_tiles, tiles); column += 1u) {
            tile_product(tile, column, 0u, (params.depth + 3u) / 4u, lane);
        }
        let row = tile * TILE + 4u * (lane / 16u);
        store(group.z, row, lane, totals[0]);
        store(group.z, row + 1u, lane, totals[1]);
        store(group.z, row + 2u, lane, totals[2]);
        store(group.z, row + 3u, lane, totals[3]);
        if (TILE >= 64u) {
            store(group.z, row + TILE / 2u, lane, totals[4]);
            store(group.z, row + TILE / 2u + 1u, lane, totals[5]);
            store(group.z, row + TILE / 2u + 2u, lane, totals[6]);
            store(group.z, row + TILE / 2u + 3u, lane, totals[7]);
        }
    }
    mark_done(lane);
}
