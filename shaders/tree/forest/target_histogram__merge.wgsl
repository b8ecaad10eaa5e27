// Adds the pieces of one word of each node's cells in 64 bits, and takes the result away from that of its parent, if it has one.
// Lanes share a cell as lib/tree_jobs says.
// Whole numbers modulo 2⁶⁴: no order of the pieces and no cut changes a bit.
//#import tree_jobs
//#import wide
override WORDS: u32 = 2u;

@group(0) @binding(1) var<storage, read> partial: array<u32>;
// Cell after cell, WORDS words each.
@group(0) @binding(3) var<storage, read_write> slots: array<vec2<u32>>;

// A piece has the four quarters of its words, each for all cells.
fn piece_sum(piece: u32, cell: u32) -> vec2<u32> {
    let place = 4u * piece * params.cells + cell;
    let second = partial[place + params.cells];
    let upper = partial[place + 2u * params.cells] + (partial[place + 3u * params.cells] << 16u);
    return wide_add(wide_add(vec2(partial[place], 0u), vec2(second << 16u, second >> 16u)), vec2(0u, upper));
}

var<workgroup> shares: array<vec2<u32>, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let wanted = (group.y * groups.x + group.x) * ITEMS + lane % ITEMS;
    let item = min(wanted, params.items - 1u);
    let job = jobs[params.jobs_first + item / params.cells];
    let cell = item % params.cells;
    var sum = vec2<u32>();
    for (var piece = job.x + lane / ITEMS; piece < job.x + job.y; piece += SHARES) {
        sum = wide_add(sum, piece_sum(piece, cell));
    }
    shares[lane] = sum;
    workgroupBarrier();
    if (lane < ITEMS && wanted < params.items) {
        for (var share = 1u; share < SHARES; share += 1u) {
            sum = wide_add(sum, shares[ITEMS * share + lane]);
        }
        let place = ((job.z & ~FRESH) * params.cells + cell) * WORDS + params.word;
        if (job.z < FRESH) {
            sum = wide_add(sum, slots[place]);
        }
        slots[place] = sum;
        if (job.w != NONE) {
            let parent = (job.w * params.cells + cell) * WORDS + params.word;
            // a − b = a + (not b) + 1
            slots[parent] = wide_add(wide_add(slots[parent], ~sum), vec2(1u, 0u));
        }
    }
    mark_done(lane);
}
