// For each row of X and each four columns of z = W·x − offset of a mixture's Gaussians: the sum of their squares.
// A workgroup makes one tile of X·Wᵀ through workgroup memory, with the offset as the factor of a column of ones.
// z itself, k·d numbers a row, is not stored; the squares lie by rows, as expectation__shares reads them.
//#import status
//#import tile
//#import pairs_operands
struct Params {
    rows: u32,
    columns: u32,
    tiles: u32,
    column_tiles: u32,
    a_first: u32,
    a_vec4s: u32,
    b_first: u32,
    b_vec4s: u32,
    depth: u32,
    out_first: u32,
    out_stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> squares: array<f32>;

const TILE_AHEAD = true;

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sums);
}

fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        squares[params.out_first + column / 4u * params.out_stride + row] = dot(sums, sums);
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
        let tile_row = tile / params.column_tiles;
        tile_product(tile_row, tile % params.column_tiles, 0u, (params.depth + 3u) / 4u, lane);
    }
    mark_done(lane);
}
