// Puts the rows in the order of their clusters: the second half of a counting sort.
// A lane takes a run of rows in order; its column of the table says where the next row of a cluster goes.
// Afterwards each entry of the table is the end of its run's rows of a cluster, and the entry before it their beginning.
//#import label_runs
@group(0) @binding(2) var<storage, read_write> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> order: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = (group.y * groups.x + group.x) * 64u + lane;
    if (run < params.runs) {
        let end = min(run * params.run_rows + params.run_rows, params.rows);
        for (var row = run * params.run_rows; row < end; row += 1u) {
            let cluster = min(labels[params.label_first + row], params.clusters - 1u);
            let place = places[cluster * params.runs + run];
            places[cluster * params.runs + run] = place + 1u;
            order[place] = row;
        }
    }
    mark_done(lane);
}
