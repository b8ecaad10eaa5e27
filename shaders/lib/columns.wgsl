// Sums down the columns of blocks of 512 rows, of what the importing shader's `column_term` makes of four columns.
// A lane takes four columns of one block, row after row, four rows at a time; the host adds the blocks in f64.
// Blocks begin at fixed rows, so the result does not depend on how the rows were split.
//#import status
struct Params {
    rows: u32,
    items: u32,
    vec4s: u32,
    x_first: u32,
    factor_first: u32,
    factor_step: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;

const COLUMN_BLOCK = 512u;

fn column_sum(item: u32) -> vec4<f32> {
    let vec4_index = item % params.vec4s;
    var row = (item / params.vec4s) * COLUMN_BLOCK;
    let end = min(row + COLUMN_BLOCK, params.rows);
    var sum = vec4<f32>();
    for (; row + 3u < end; row += 4u) {
        let at = params.x_first + row * params.vec4s + vec4_index;
        let first = column_term(x[at], row, vec4_index) + column_term(x[at + params.vec4s], row + 1u, vec4_index);
        let second = column_term(x[at + 2u * params.vec4s], row + 2u, vec4_index) + column_term(x[at + 3u * params.vec4s], row + 3u, vec4_index);
        sum += first + second;
    }
    for (; row < end; row += 1u) {
        sum += column_term(x[params.x_first + row * params.vec4s + vec4_index], row, vec4_index);
    }
    return sum;
}
