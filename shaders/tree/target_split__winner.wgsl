// The best split of each node, of those that were found by its features: the largest gain, then the feature that comes first.
// A workgroup takes a node: each lane looks at every 64th feature, then lane 0 at what the lanes have, then each lane adds
// one word of the left child.
//#import target_searches
//#import wide
//#import double
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> slots: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> found: array<vec4<u32>>;
// A node has 4 + 2·WORDS words: the gain in f64, whether there is a split and its bin, the next bin with rows above the
// number of the task within the node; then the sums of the left child.
@group(0) @binding(5) var<storage, read_write> winners: array<u32>;

var<workgroup> lane_best: array<vec4<u32>, 64>;
var<workgroup> lane_task: array<u32, 64>;

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
            if (beats(found[task], task, best, best_task)) {
                best = found[task];
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
        let to = (4u + 2u * WORDS) * number;
        if (lane == 0u) {
            winners[to] = best.x;
            winners[to + 1u] = best.y;
            winners[to + 2u] = best.z;
            winners[to + 3u] = best.w | ((best_task - first) << 16u);
        }
        let feature = features[plan[params.tasks_first + 2u * best_task + 1u]];
        let cells = (plan[search] * params.cells + feature.x) * WORDS;
        let bin = best.z & 0xffffu;
        for (var word = lane; word < WORDS; word += 64u) {
            var left = vec2<u32>();
            var missing = vec2<u32>();
            var together = vec2<u32>();
            for (var at = 0u; at < feature.y + feature.z; at += 1u) {
                if (best.z >= FOUND && at != feature.w) {
                    let cell = slots[cells + (at - select(0u, 1u, at > feature.w)) * WORDS + word];
                    together = wide_add(together, cell);
                    if (at <= bin) {
                        left = wide_add(left, cell);
                    }
                    if (at == feature.y) {
                        missing = cell;
                    }
                }
            }
            let rest = wide_subtract(pair(search + 16u + 2u * word), together);
            if (feature.w <= bin) {
                left = wide_add(left, rest);
            }
            if (feature.w == feature.y) {
                missing = rest;
            }
            if ((best.z & MISSING_LEFT) != 0u) {
                left = wide_add(left, missing);
            }
            winners[to + 4u + 2u * word] = left.x;
            winners[to + 5u + 2u * word] = left.y;
        }
    }
    mark_done(lane);
}
