// How many rows of each run belong to each cluster: the first half of a counting sort of the rows by cluster.
// A lane takes a run of rows and counts in its own column of the table, so no barrier and no atomics are needed.
// The table lies cluster by cluster, run by run: a scan of it says where each run's rows of a cluster go.
//#import label_runs
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = (group.y * groups.x + group.x) * 64u + lane;
    if (run < params.runs) {
        for (var cluster = 0u; cluster < params.clusters; cluster += 1u) {
            counts[cluster * params.runs + run] = 0u;
        }
        let end = min(run * params.run_rows + params.run_rows, params.rows);
        for (var row = run * params.run_rows; row < end; row += 1u) {
            let cluster = labels[params.label_first + row];
            if (cluster >= params.clusters) {
                report_fault(cluster);
            }
            counts[min(cluster, params.clusters - 1u) * params.runs + run] += 1u;
        }
    }
    mark_done(lane);
}
