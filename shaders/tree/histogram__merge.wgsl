// Adds the pieces of each node's histogram in 64 bits, and takes the result away from that of its parent, if it has one.
// A cell has gradient, then Hessian above count, each as two words; lanes share it as lib/tree_jobs says.
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

var<workgroup> shares: array<vec4<u32>, 64>;

fn plus(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return vec4(wide_add(a.xy, b.xy), wide_add(a.zw, b.zw));
}

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
    var sums = vec4<u32>();
    for (var piece = job.x + lane / ITEMS; piece < job.x + job.y; piece += SHARES) {
        sums = plus(sums, piece_sums(piece, cell));
    }
    shares[lane] = sums;
    workgroupBarrier();
    if (lane < ITEMS && wanted < params.items) {
        for (var share = 1u; share < SHARES; share += 1u) {
            sums = plus(sums, shares[ITEMS * share + lane]);
        }
        let place = (job.z & ~FRESH) * params.cells + cell;
        if (job.z < FRESH) {
            sums = plus(sums, slots[place]);
        }
        slots[place] = sums;
        if (job.w != NONE) {
            let parent = job.w * params.cells + cell;
            // a − b = a + (not b) + 1
            slots[parent] = plus(plus(slots[parent], ~sums), vec4(1u, 0u, 1u, 0u));
        }
    }
    mark_done(lane);
}
