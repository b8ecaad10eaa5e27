// Sums down the columns of blocks of 512 rows, of what the importing shader's `column_term` makes of four columns.
// A lane takes four columns of one block, row after row, four rows at a time; the host adds the blocks in f64.
// Blocks begin at fixed rows, so the result does not depend on how the rows were split.
//#import status
struct Params {
    rows: u32,
    items: u32,
    quads: u32,
    x_first: u32,
    factor_first: u32,
    factor_step: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;

const COLUMN_BLOCK = 512u;

fn column_sum(item: u32) -> vec4<f32> {
    let quad = item % params.quads;
    var row = (item / params.quads) * COLUMN_BLOCK;
    let end = min(row + COLUMN_BLOCK, params.rows);
    var sum = vec4<f32>();
    for (; row + 3u < end; row += 4u) {
        let at = params.x_first + row * params.quads + quad;
        let first = column_term(x[at], row, quad) + column_term(x[at + params.quads], row + 1u, quad);
        let second = column_term(x[at + 2u * params.quads], row + 2u, quad) + column_term(x[at + 3u * params.quads], row + 3u, quad);
        sum += first + second;
    }
    for (; row < end; row += 1u) {
        sum += column_term(x[params.x_first + row * params.quads + quad], row, quad);
    }
    return sum;
}
