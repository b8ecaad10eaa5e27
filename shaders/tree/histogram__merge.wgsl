// Adds the pieces of each node's histogram in 64 bits, and takes the result away from that of its parent, if it has one.
// A lane takes one cell of one node: gradient, then Hessian above count, each as two words.
// Integers: no order of the pieces and no cut changes a bit, and what remains of the parent is the sibling, exactly.
//#import tree_jobs
//#import wide
@group(0) @binding(1) var<storage, read> partial: array<u32>;
@group(0) @binding(3) var<storage, read_write> slots: array<vec4<u32>>;

// Bits of the count below the Hessian.
const COUNT_BITS = 26u;

fn signed(value: i32) -> vec2<u32> {
    return vec2(bitcast<u32>(value), bitcast<u32>(value >> 31u));
}

fn piece_sums(piece: u32, cell: u32) -> vec4<u32> {
    let place = 3u * piece * params.cells + cell;
    let hessian = partial[place + params.cells];
    let count = partial[place + 2u * params.cells];
    let gradient = signed(bitcast<i32>(partial[place]));
    return vec4(gradient, (hessian << COUNT_BITS) | count, hessian >> (32u - COUNT_BITS));
}

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
        let place = (job.z & ~FRESH) * params.cells + cell;
        var sums = vec4<u32>();
        if (job.z < FRESH) {
            sums = slots[place];
        }
        for (var piece = job.x; piece < job.x + job.y; piece += 1u) {
            let more = piece_sums(piece, cell);
            sums = vec4(wide_add(sums.xy, more.xy), wide_add(sums.zw, more.zw));
        }
        slots[place] = sums;
        if (job.w != NONE) {
            let parent = job.w * params.cells + cell;
            let whole = slots[parent];
            // a − b = a + (not b) + 1
            let gradient = wide_add(wide_add(whole.xy, ~sums.xy), vec2(1u, 0u));
            slots[parent] = vec4(gradient, wide_add(wide_add(whole.zw, ~sums.zw), vec2(1u, 0u)));
        }
    }
    mark_done(lane);
}
