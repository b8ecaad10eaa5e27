// The sum of all values before each one, modulo 2³².
// A lane takes a run of 64 values and begins at the sum of the runs before, which a scan of the runs' sums gave.
// Runs instead of a look-back: nothing here waits for another workgroup.
//#import status
struct Params {
    count: u32,
    runs: u32,
    has_base: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read> base: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = (group.y * groups.x + group.x) * 64u + lane;
    if (run < params.runs) {
        var sum = 0u;
        if (params.has_base != 0u) {
            sum = base[run];
        }
        let end = min(run * 64u + 64u, params.count);
        for (var at = run * 64u; at < end; at += 1u) {
            out[at] = sum;
            sum += x[at];
        }
    }
    mark_done(lane);
}
