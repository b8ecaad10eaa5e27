// Which rows of B lie within a radius of which rows of A, one bit a pair.
// A workgroup makes one 128×128 tile through workgroup memory. Before the bits stands how many are set in each row.
// Distances are compared before their root (so is the limit) and never stored: bits are 32 times smaller.
//#import metric
//#import pairs_operands
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
    depth_vec4s: u32,
    row_words: u32,
    limit: f32,
    order: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> found: array<atomic<u32>>;

fn tile_step(sum: f32, a: vec4<f32>, b: vec4<f32>) -> f32 {
    return metric_step(sum, a, b, params.order);
}

fn tile_open(row: u32) {}

fn set_bit(row: u32, column: u32, near: bool) {
    if (near && row < params.rows) {
        atomicAdd(&found[row], 1u);
        atomicOr(&found[params.rows + row * params.row_words + column / 32u], 1u << (column % 32u));
    }
}

fn tile_store(half: u32, row: u32, column: u32, sums: vec4<f32>) {
    let near = metric_value4(sums) <= vec4(params.limit);
    if (column < params.columns && any(near)) {
        set_bit(row, column, near.x);
        set_bit(row + 16u, column, near.y);
        set_bit(row + 32u, column, near.z);
        set_bit(row + 48u, column, near.w);
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
        tile_product(tile / params.column_tiles, tile % params.column_tiles, 0u, params.depth_vec4s, lane);
    }
    mark_done(lane);
}
