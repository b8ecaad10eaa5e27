// What the other kernels rely on, each shown by integers that the host can work out: atomics, both barriers, and
// what becomes of denormals. A workgroup of 64; the groups meet in the atomics alone.
// Lanes exchange words with their neighbours many times, so that a barrier that does not hold shows.
//#import status
struct Params {
    groups: u32,
    turns: u32,
    tiny: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 4>;
@group(0) @binding(2) var<storage, read_write> exchanged: array<u32>;
@group(0) @binding(3) var<storage, read_write> results: array<u32>;

const LANES = 64u;

var<workgroup> passed: array<u32, 64>;
var<workgroup> counted: array<atomic<u32>, 4>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let own = group.x * LANES + lane;
    if (lane < 4u) {
        atomicStore(&counted[lane], select(0u, 0xffffffffu, lane == 1u));
    }
    workgroupBarrier();
    // Sum, minimum, maximum and exclusive or, of lanes and then of groups.
    atomicAdd(&counted[0], own);
    atomicMin(&counted[1], own ^ 0x5au);
    atomicMax(&counted[2], own ^ 0x5au);
    atomicXor(&counted[3], own * 0x9e3779b9u);
    workgroupBarrier();
    if (lane == 0u) {
        atomicAdd(&counts[0], atomicLoad(&counted[0]));
        atomicMax(&counts[1], ~atomicLoad(&counted[1]));
        atomicMax(&counts[2], atomicLoad(&counted[2]));
        atomicXor(&counts[3], atomicLoad(&counted[3]));
    }
    // Each word wanders once around the workgroup for every 64 turns.
    var word = own * 0x9e3779b9u;
    for (var turn = 0u; turn < params.turns; turn += 1u) {
        passed[lane] = word;
        workgroupBarrier();
        word = passed[(lane + 1u) % LANES] + turn;
        workgroupBarrier();
    }
    results[own] = word;
    word = own * 0x85ebca6bu;
    for (var turn = 0u; turn < params.turns; turn += 1u) {
        exchanged[own] = word;
        storageBarrier();
        word = exchanged[group.x * LANES + (lane + 1u) % LANES] + turn;
        storageBarrier();
    }
    results[params.groups * LANES + own] = word;
    // The product of a normal and a half is denormal, or zero where they are flushed.
    if (own == 0u) {
        results[2u * params.groups * LANES] = bitcast<u32>(params.tiny * 0.5);
    }
    mark_done(lane);
}
