// The digit of each leaf's key, from the counts of all digits, which are 0 again afterwards.
// A workgroup takes a leaf, a lane a digit: the one up to which more keys come than the rank says.
// After the last digit the next key is known if it is the same; else it is the largest integer, for the last pass.
//#import status
struct Params {
    leaves: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> leaves: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let leaf = group.y * groups.x + group.x;
    if (leaf < params.leaves) {
        let count = counts[256u * leaf + lane];
        let known = leaves[leaf];
        storageBarrier();
        sums[lane] = count;
        for (var step = 1u; step < 256u; step *= 2u) {
            workgroupBarrier();
            let before = select(0u, sums[max(lane, step) - step], lane >= step);
            workgroupBarrier();
            sums[lane] += before;
        }
        workgroupBarrier();
        let before = sums[lane] - count;
        counts[256u * leaf + lane] = 0u;
        if (before <= known.y && known.y < before + count) {
            let key = known.x | (lane << params.shift);
            let rank = known.y - before;
            let next = select(0xffffffffu, key, rank + 1u < count);
            leaves[leaf] = vec4(key, rank, next, 0u);
        }
    }
    mark_done(lane);
}
