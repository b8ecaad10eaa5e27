// A kernel that makes one number of each pair (row of A, row of B), on the tile core: finish(beta·C + alpha·sum).
// The depth is summed in blocks, added to C in their order. One workgroup takes all blocks; or each layer z of the grid
// takes one and writes its own copy, and gemm__merge adds them in the same order: the same bits.
// The importing shader defines the operands, tile_step, and pairs_finish, which makes of four sums of a row, from a column
// on, what is stored. It may read a vector along the rows (from row_first on), one along the columns, and eight numbers.
//#import status
//#import tile
struct Params {
    rows: u32,
    columns: u32,
    tiles: u32,
    column_tiles: u32,
    a_first: u32,
    a_vec4s: u32,
    b_first: u32,
    b_vec4s: u32,
    out_first: u32,
    out_vec4s: u32,
    depth: u32,
    span_vec4s: u32,
    block_vec4s: u32,
    layer_vec4s: u32,
    extra_first: u32,
    row_first: u32,
    column_first: u32,
    finish: u32,
    alpha: f32,
    beta: f32,
    low: vec4<f32>,
    high: vec4<f32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

const TILE_AHEAD = true;

var<private> pairs_first: u32;
// Whether earlier blocks of the depth are in C, and whether this is the last of them.
var<private> pairs_later: bool;
var<private> pairs_last: bool;

// Columns beyond the last are padding, which is zero in every matrix. With beta = 0 the old value is not read.
fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        let at = pairs_first + row * params.out_vec4s + column / 4u;
        var total = vec4<f32>();
        if (pairs_later) {
            total = out[at];
        } else if (params.beta != 0.0) {
            total = params.beta * out[at];
        }
        total = fma(vec4(params.alpha), sums, total);
        if (pairs_last && params.finish == 1u) {
            total = pairs_finish(row, column, total);
        }
        let inside = vec4(column, column + 1u, column + 2u, column + 3u) < vec4(params.columns);
        out[at] = select(vec4<f32>(), total, inside);
    }
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.tiles) {
        pairs_first = params.out_first + group.z * params.layer_vec4s;
        let depth_end = min((group.z + 1u) * params.span_vec4s, (params.depth + 3u) / 4u);
        var begin = group.z * params.span_vec4s;
        pairs_later = false;
        // Also without any depth there is a result.
        loop {
            let end = min(begin + params.block_vec4s, depth_end);
            pairs_last = end >= depth_end;
            tile_product(tile / params.column_tiles, tile % params.column_tiles, begin, end, lane);
            pairs_later = true;
            begin = end;
            if (begin >= depth_end) {
                break;
            }
        }
    }
    mark_done(lane);
}
