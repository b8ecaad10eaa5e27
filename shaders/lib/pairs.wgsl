// A kernel that makes one number of each pair (row of A, row of B), on the tile core.
// Layer z of the grid takes its own block of the depth and writes its own copy of the result; groups past the last tile
// only report that they are done.
// The importing shader defines the operands, tile_step, and pairs_finish, which turns sums into what is stored at `at`.
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
    block_vec4s: u32,
    layer_vec4s: u32,
    extra_first: u32,
    alpha: f32,
    beta: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

const TILE_AHEAD = true;

var<private> pairs_first: u32;

// Columns beyond the last are padding, which is zero in every matrix.
fn pairs_store(row: u32, column: u32, sums: vec4<f32>) {
    if (row < params.rows && column < params.columns) {
        let at = pairs_first + row * params.out_vec4s + column / 4u;
        let inside = vec4(column, column + 1u, column + 2u, column + 3u) < vec4(params.columns);
        out[at] = select(vec4<f32>(), pairs_finish(sums, at), inside);
    }
}

fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>, far: vec4<f32>) {
    pairs_store(row, column, sums);
    pairs_store(row, column + 64u, far);
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
        let begin = group.z * params.block_vec4s;
        let end = min(begin + params.block_vec4s, (params.depth + 3u) / 4u);
        tile_product(tile / params.column_tiles, tile % params.column_tiles, begin, end, lane);
    }
    mark_done(lane);
}
