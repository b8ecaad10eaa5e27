// Sums of the rows of each cluster in each run of rows, as weighted differences from the cluster's present centre.
// A lane takes four columns of one cluster's rows in one run, in their order; the first of them adds up the weights too.
// Neighbouring lanes read neighbouring columns of the same row.
//#import cluster_runs
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let segment = segment_of(item / params.vec4s);
        let vec4_index = item % params.vec4s;
        let rows = segment_rows(segment);
        let center = centers[params.center_first + (segment / params.runs) * params.vec4s + vec4_index];
        var sum = vec4<f32>();
        var total = 0.0;
        for (var at = rows.x; at < rows.y; at += 1u) {
            let row = order[at];
            sum += weight(row) * (x[params.x_first + row * params.vec4s + vec4_index] - center);
            total += weight(row);
        }
        partial[segment * (params.vec4s + 1u) + vec4_index] = sum;
        if (vec4_index == 0u) {
            store_weight(segment, total);
        }
    }
    mark_done(lane);
}
