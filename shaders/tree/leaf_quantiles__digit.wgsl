// The digit of each leaf's key, from the counts of all digits, which are 0 again afterwards.
// A workgroup takes a leaf, a lane a digit: the one up to which more comes than the rank says.
// The first digit counts all that a leaf weighs, of which the rank is a share: in f64, made of integers, as the host has it.
//#import status
//#import wide
//#import double
struct Params {
    leaves: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> leaves: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> sums: array<vec2<u32>, 256>;

struct Rank {
    place: vec2<u32>,
    is_midway: u32,
}

// Where a share of the total lies: ⌈share·total⌉ − 1, and whether that was an integer below the total.
fn rank_of(share: vec2<u32>, total: vec2<u32>) -> Rank {
    let wanted = double_multiply(share, double_of_integer(total));
    var end = double_floor(wanted);
    if (double_less(double_of_integer(end), wanted)) {
        end = wide_add(end, vec2(1u, 0u));
    }
    if ((end.x | end.y) == 0u) {
        end = vec2(1u, 0u);
    }
    end = select(end, total, vec2(wide_less(total, end)));
    let is_exact = all(double_of_integer(end) == wanted);
    return Rank(wide_subtract(end, vec2(1u, 0u)), select(0u, 1u, is_exact && wide_less(end, total)));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let leaf = group.y * groups.x + group.x;
    if (leaf < params.leaves) {
        let place = 512u * leaf + 2u * lane;
        let count = vec2(counts[place], counts[place + 1u]);
        let known = leaves[2u * leaf];
        let rule = leaves[2u * leaf + 1u];
        storageBarrier();
        sums[lane] = count;
        for (var step = 1u; step < 256u; step *= 2u) {
            workgroupBarrier();
            let before = select(vec2<u32>(), sums[max(lane, step) - step], vec2(lane >= step));
            workgroupBarrier();
            sums[lane] = wide_add(sums[lane], before);
        }
        workgroupBarrier();
        let end = sums[lane];
        let before = wide_subtract(end, count);
        counts[place] = 0u;
        counts[place + 1u] = 0u;
        var rank = Rank(known.zw, rule.z);
        if (params.shift == 24u) {
            rank = rank_of(rule.xy, sums[255]);
        }
        if (!wide_less(rank.place, before) && wide_less(rank.place, end)) {
            let rest = wide_subtract(rank.place, before);
            let is_last = all(wide_add(rest, vec2(1u, 0u)) == count);
            leaves[2u * leaf] = vec4(known.x | (lane << params.shift), known.y, rest);
            leaves[2u * leaf + 1u].z = select(rank.is_midway, 0u, params.shift == 0u && !is_last);
        }
    }
    mark_done(lane);
}
