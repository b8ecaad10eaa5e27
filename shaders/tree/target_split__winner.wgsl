// The best split of each node, of those that were found by its features: the largest gain, then the feature that comes first.
// A workgroup takes a node: each lane looks at every 64th feature, then lane 0 at what the lanes have; each lane takes a word
// of the left child along. The gain stays: the host makes it of the same sums.
//#import target_searches
//#import wide
//#import double
@group(0) @binding(2) var<storage, read> found: array<u32>;
// A node has 2 + 2·WORDS words: whether there is a split and its bin, the next bin with rows above the number of the task within
// the node; then the sums of the left child.
@group(0) @binding(3) var<storage, read_write> winners: array<u32>;

var<workgroup> lane_best: array<vec4<u32>, 64>;
var<workgroup> lane_task: array<u32, 64>;

fn found_by(task: u32) -> vec4<u32> {
    let place = found_place(task);
    return vec4(found[place], found[place + 1u], found[place + 2u], found[place + 3u]);
}

fn beats(one: vec4<u32>, one_task: u32, other: vec4<u32>, other_task: u32) -> bool {
    if (one.z < FOUND || other.z < FOUND) {
        return one.z >= FOUND;
    }
    return double_less(other.xy, one.xy) || (all(one.xy == other.xy) && one_task < other_task);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.searches) {
        let search = search_place(number);
        let first = plan[search + 1u];
        let end = first + plan[search + 2u];
        var best = vec4<u32>();
        var best_task = first;
        for (var task = first + lane; task < end; task += 64u) {
            let other = found_by(task);
            if (beats(other, task, best, best_task)) {
                best = other;
                best_task = task;
            }
        }
        lane_best[lane] = best;
        lane_task[lane] = best_task;
        workgroupBarrier();
        var winner = 0u;
        for (var other = 1u; other < 64u; other += 1u) {
            if (beats(lane_best[other], lane_task[other], lane_best[winner], lane_task[winner])) {
                winner = other;
            }
        }
        best = lane_best[winner];
        best_task = lane_task[winner];
        let to = (2u + 2u * WORDS) * number;
        if (lane == 0u) {
            winners[to] = best.z;
            winners[to + 1u] = best.w | ((best_task - first) << 16u);
        }
        if (lane < 2u * WORDS) {
            winners[to + 2u + lane] = found[found_place(best_task) + 4u + lane];
        }
    }
    mark_done(lane);
}
