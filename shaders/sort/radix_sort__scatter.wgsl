// Moves keys and payload to their place by one digit of four bits: the second half of a pass.
// A lane takes a run of 256 keys in order, and its column of workgroup memory says where the next key of a digit goes.
// Runs and keys keep their order, so equal digits do too: the sort is stable.
//#import status
struct Params {
    count: u32,
    runs: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> payload: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_payload: array<u32>;

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
            column[digit * 64u + lane] = places[digit * params.runs + run];
        }
        let end = min(run * 256u + 256u, params.count);
        for (var at = run * 256u; at < end; at += 1u) {
            let key = keys[at];
            let slot = ((key >> params.shift) & 15u) * 64u + lane;
            let place = column[slot];
            column[slot] = place + 1u;
            sorted_keys[place] = key;
            sorted_payload[place] = payload[at];
        }
    }
    mark_done(lane);
}
