// The nearest centre of each row of X and the squared distance to it, for rows of up to 128 columns.
// A lane keeps four or eight rows and meets every centre; rows and centres are read as 64-bit words.
// For software drivers, whose loads are few this way.
//#import assign_rows
//#import kept_rows
//#import int64
@group(0) @binding(1) var<storage, read> x: array<vec2<u64>>;
@group(0) @binding(2) var<storage, read> centers: array<vec2<u64>>;

var<private> best: array<vec4<f32>, 2>;
var<private> best_center: array<vec4<u32>, 2>;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return halves(x[params.x_first + min(row, params.rows - 1u) * params.vec4s + vec4_index]);
}

// Past the last centre the last one is met again, which is never nearer than itself.
fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return halves(centers[params.center_first + min(column, params.centers - 1u) * params.vec4s + vec4_index]);
}

fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    let difference = vec4(a) - b;
    return fma(difference, difference, sum);
}

fn nearer(part: u32, center: u32, distance: vec4<f32>) {
    let less = distance < best[part];
    best[part] = select(best[part], distance, less);
    best_center[part] = select(best_center[part], vec4(center), less);
}

fn kept_meet(row: u32, center: u32, sums: KeptSums) {
    nearer(0u, center, sums.first);
    if (EIGHT == 1u) {
        nearer(1u, center, sums.more);
    }
}

fn assign_four(row: u32, part: u32) -> u32 {
    return assign_row(row, best_center[part].x, best[part].x)
        + assign_row(row + KEPT_LANES, best_center[part].y, best[part].y)
        + assign_row(row + 2u * KEPT_LANES, best_center[part].z, best[part].z)
        + assign_row(row + 3u * KEPT_LANES, best_center[part].w, best[part].w);
}

@compute @workgroup_size(KEPT_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        let row = tile * kept_count() + lane;
        keep_rows(row);
        best[0] = vec4(FARTHEST);
        best[1] = vec4(FARTHEST);
        for (var column = 0u; column < params.center_tiles; column += 1u) {
            kept_pass(row, column * KEPT_COLUMNS, subgroup_lane);
        }
        var changed = assign_four(row, 0u);
        if (EIGHT == 1u) {
            changed += assign_four(row + 4u * KEPT_LANES, 1u);
        }
        count_changed(changed);
    }
    mark_done(lane);
}
