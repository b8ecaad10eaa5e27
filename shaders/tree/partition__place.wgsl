// Moves the rows of each node to their places: those that go left first, each side in its order.
// A lane takes a run of 32 rows; the scan says how many went left before it, and so how many went right.
// The rows go to the other order, from which they are copied back.
//#import tree_cuts
@group(0) @binding(2) var<storage, read> flags: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read> lefts: array<u32>;
@group(0) @binding(5) var<storage, read> order: array<u32>;
@group(0) @binding(6) var<storage, read_write> moved: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = (group.y * groups.x + group.x) * 64u + lane;
    if (run < params.runs) {
        let number = cut_of(run);
        let cut = CUT_WORDS * number;
        let done = 32u * (run - cuts[cut + 2u]);
        let begin = cuts[cut] + done;
        let count = min(32u, cuts[cut + 1u] - done);
        let word = flags[run];
        var left = cuts[cut] + places[run];
        var right = cuts[cut] + lefts[number] + done - places[run];
        for (var at = 0u; at < count; at += 1u) {
            let goes_left = (word >> at) & 1u;
            moved[select(right, left, goes_left == 1u)] = order[begin + at];
            left += goes_left;
            right += 1u - goes_left;
        }
    }
    mark_done(lane);
}
