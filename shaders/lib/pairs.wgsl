// Parameters and result of a kernel that makes one number of each pair (row of A, row of B), on the tile core.
// Layer z of the grid takes its own block of the depth and writes its own copy of the result.
// The importing shader defines tile_step, and pairs_finish, which turns a sum into what is stored; the operands come
// with pairs_operands or pairs_int64.
//#import status
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
    depth_vec4s: u32,
    block_vec4s: u32,
    layer_vec4s: u32,
    alpha: f32,
    beta: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

var<private> pairs_layer: u32;

// Columns beyond the last are padding, which is zero in every matrix.
fn tile_store(row: u32, column: u32, sum: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        let at = params.out_first + pairs_layer * params.layer_vec4s + row * params.out_vec4s + column / 4u;
        let inside = vec4(column, column + 1u, column + 2u, column + 3u) < vec4(params.columns);
        out[at] = select(vec4<f32>(), pairs_finish(sum, at), inside);
    }
}
