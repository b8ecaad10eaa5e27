// Adds the pieces of each node's histogram, and takes the result away from that of its parent: for software drivers.
// A piece has one 64-bit word of 27, 26 and 11 bits for each cell. A lane takes one cell of one node.
// Integers: no order of the pieces and no cut changes a bit.
//#import tree_jobs
@group(0) @binding(1) var<storage, read> partial: array<u64>;
// For each cell the gradient, then the Hessian above the count.
@group(0) @binding(3) var<storage, read_write> slots: array<u64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let job = jobs[params.jobs_first + item / params.cells];
        let cell = item % params.cells;
        let place = 2u * ((job.z & ~FRESH) * params.cells + cell);
        var gradient = 0lu;
        var weight = 0lu;
        if (job.z < FRESH) {
            gradient = slots[place];
            weight = slots[place + 1u];
        }
        for (var piece = job.x; piece < job.x + job.y; piece += 1u) {
            let word = partial[piece * params.cells + cell];
            // 27 bits in two's complement.
            gradient += ((word >> 37u) ^ 0x4000000lu) - 0x4000000lu;
            // The Hessian above 26 bits of the count.
            weight += (((word >> 11u) & 0x3fffffflu) << 26u) | (word & 2047lu);
        }
        slots[place] = gradient;
        slots[place + 1u] = weight;
        if (job.w != NONE) {
            let parent = 2u * (job.w * params.cells + cell);
            slots[parent] = slots[parent] - gradient;
            slots[parent + 1u] = slots[parent + 1u] - weight;
        }
    }
    mark_done(lane);
}
