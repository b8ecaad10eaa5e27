// The nearest centre of each row of X and the squared distance to it, for few centres and short rows.
// A lane keeps its two rows in registers and walks over the centres, which lie in a uniform buffer.
// No tile, no subgroups: what all lanes read at once costs one load.
//#import assign_rows
//#import uniform_rows
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> operand: array<vec4<f32>, 4096>;

fn row_vec4(row: u32, vec4_index: u32) -> vec4<f32> {
    return x[params.x_first + min(row, params.rows - 1u) * params.vec4s + vec4_index];
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        let row = tile * 128u + lane;
        keep_rows(row, row + 64u);
        var best = vec2(FARTHEST);
        var best_center = vec2(0u);
        for (var center = 0u; center < params.centers; center += 1u) {
            let distance = distances_to(center);
            let less = distance < best;
            best = select(best, distance, less);
            best_center = select(best_center, vec2(center), less);
        }
        count_changed(assign_row(row, best_center.x, best.x) + assign_row(row + 64u, best_center.y, best.y));
    }
    mark_done(lane);
}
