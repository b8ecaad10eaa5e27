// How often each digit of four bits occurs in each run of 256 keys: the first half of a pass.
// A lane takes a run and counts in its own column of workgroup memory, so no barrier and no atomics are needed.
// The counts lie digit by digit, run by run: a scan of them says where each run's keys of a digit go.
//#import status
struct Params {
    count: u32,
    runs: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> column: array<u32, 1024>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = (group.y * groups.x + group.x) * 64u + lane;
    if (run < params.runs) {
        for (var digit = 0u; digit < 16u; digit += 1u) {
            column[digit * 64u + lane] = 0u;
        }
        let end = min(run * 256u + 256u, params.count);
        for (var at = run * 256u; at < end; at += 1u) {
            column[((keys[at] >> params.shift) & 15u) * 64u + lane] += 1u;
        }
        for (var digit = 0u; digit < 16u; digit += 1u) {
            counts[digit * params.runs + run] = column[digit * 64u + lane];
        }
    }
    mark_done(lane);
}
