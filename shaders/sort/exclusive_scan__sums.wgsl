// The sum of each run of 64 values, modulo 2³²: the first half of a scan.
// A lane takes a run.
// The sums are scanned in turn, until one run is left.
//#import status
struct Params {
    count: u32,
    runs: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = (group.y * groups.x + group.x) * 64u + lane;
    if (run < params.runs) {
        var sum = 0u;
        var at = run * 64u;
        let end = min(at + 64u, params.count);
        for (; at + 3u < end; at += 4u) {
            sum += (x[at] + x[at + 1u]) + (x[at + 2u] + x[at + 3u]);
        }
        for (; at < end; at += 1u) {
            sum += x[at];
        }
        out[run] = sum;
    }
    mark_done(lane);
}
