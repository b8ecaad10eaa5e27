// Parameters and result of a kernel that makes one number of each pair (row of A, row of B), on the tile core.
// Layer z of the grid takes its own block of the depth and writes its own copy of the result.
// The importing shader defines tile_step, and pairs_finish, which turns a sum into what is stored; the operands come
// with pairs_operands or pairs_long_words.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    tiles: u32,
    column_tiles: u32,
    a_first: u32,
    a_quads: u32,
    b_first: u32,
    b_quads: u32,
    out_first: u32,
    out_quads: u32,
    depth_quads: u32,
    block_quads: u32,
    layer_quads: u32,
    alpha: f32,
    beta: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

var<private> pairs_layer: u32;

// Columns beyond the last are padding, which is zero in every matrix.
fn tile_store(row: u32, column: u32, sum: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        let at = params.out_first + pairs_layer * params.layer_quads + row * params.out_quads + column / 4u;
        let inside = vec4(column, column + 1u, column + 2u, column + 3u) < vec4(params.columns);
        out[at] = select(vec4<f32>(), pairs_finish(sum, at), inside);
    }
}
