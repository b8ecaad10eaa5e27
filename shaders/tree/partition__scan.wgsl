// How many rows of a node go left before each block of 256, and in all.
// A workgroup takes a node: each lane adds a stretch of blocks, hears of the others' through workgroup memory, and adds it
// again from there.
//#import tree_cuts
@group(0) @binding(2) var<storage, read> flags: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> befores: array<u32>;
@group(0) @binding(4) var<storage, read_write> lefts: array<u32>;

var<workgroup> sums: array<u32, 64>;

fn lefts_of(block: u32) -> u32 {
    let bits = countOneBits(flags[2u * block]) + countOneBits(flags[2u * block + 1u]);
    return (bits.x + bits.y) + (bits.z + bits.w);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let wanted = group.y * groups.x + group.x;
    let cut = CUT_WORDS * min(wanted, params.cuts - 1u);
    let blocks = (cuts[cut + 1u] + 255u) / 256u;
    let stretch = (blocks + 63u) / 64u;
    let first = cuts[cut + 2u] / 8u;
    let begin = first + min(lane * stretch, blocks);
    let end = first + min((lane + 1u) * stretch, blocks);
    var before = 0u;
    var own = 0u;
    for (var block = begin; block < end; block += 1u) {
        own += lefts_of(block);
    }
    sums[lane] = own;
    workgroupBarrier();
    for (var other = 0u; other < lane; other += 1u) {
        before += sums[other];
    }
    if (wanted < params.cuts) {
        for (var block = begin; block < end; block += 1u) {
            befores[block] = before;
            before += lefts_of(block);
        }
        if (lane == 63u) {
            lefts[wanted] = before;
        }
    }
    mark_done(lane);
}
