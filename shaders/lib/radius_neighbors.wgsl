// Operands and bits of a search within a radius: one bit for each pair (row of A, row of B), on the tile core.
// Before the bits stands how many are set in each row; lanes set four at a time, and seldom any.
// The limit is the radius before the root is taken.
//#import metric
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
    depth_vec4s: u32,
    row_words: u32,
    limit: f32,
    order: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> found: array<atomic<u32>>;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return a[params.a_first + min(row, params.rows - 1u) * params.a_vec4s + vec4_index];
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return b[params.b_first + min(column, params.columns - 1u) * params.b_vec4s + vec4_index];
}

// Four bits from a column on that is a multiple of four.
fn set_bits(row: u32, column: u32, nibble: u32) {
    if (nibble != 0u && row < params.rows && column < params.columns) {
        let inside = nibble & ((1u << min(params.columns - column, 4u)) - 1u);
        atomicAdd(&found[row], countOneBits(inside));
        atomicOr(&found[params.rows + row * params.row_words + column / 32u], inside << (column % 32u));
    }
}
