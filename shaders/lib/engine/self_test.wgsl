// Turns a linear congruence many times, so that leaving the loop early shows in the result.
// One lane a state. Some software drivers stop loops after 65,535 turns without an error.
// The engine opens no software adapter whose states differ from the host's.
//#import status
struct Params {
    turns: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var state = lane;
    for (var turn = 0u; turn < params.turns; turn += 1u) {
        state = state * 1664525u + 1013904223u;
    }
    output[lane] = state;
    mark_done(lane);
}
