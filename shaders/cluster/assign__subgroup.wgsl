// The nearest centre of each row of X and the squared distance to it.
// A lane takes four rows of the subgroup tile and keeps their best over all tiles of centres.
// No lane needs another's result: a lane sees every centre for its own rows.
//#import assign_tiles
//#import tile_subgroup
var<private> best: vec4<f32>;
var<private> best_center: vec4<u32>;

fn nearer(column: u32, distance: vec4<f32>) {
    let less = distance < best;
    best = select(best, distance, less);
    best_center = select(best_center, vec4(column), less);
}

fn tile_store_rows(row: u32, column: u32, c0: vec4<f32>, c1: vec4<f32>, c2: vec4<f32>, c3: vec4<f32>) {
    nearer(column, c0);
    nearer(column + 1u, c1);
    nearer(column + 2u, c2);
    nearer(column + 3u, c3);
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        best = vec4(FARTHEST);
        best_center = vec4(0u);
        for (var column = 0u; column < params.center_tiles; column += 1u) {
            tile_product(tile, column, 0u, params.vec4s, lane, subgroup_lane);
        }
        let row = tile * 4u * TILE_LANES + lane;
        count_changed(
            assign_row(row, best_center.x, best.x)
            + assign_row(row + TILE_LANES, best_center.y, best.y)
            + assign_row(row + 2u * TILE_LANES, best_center.z, best.z)
            + assign_row(row + 3u * TILE_LANES, best_center.w, best.w)
        );
    }
    mark_done(lane);
}
