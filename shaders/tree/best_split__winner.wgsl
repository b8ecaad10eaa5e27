// The best split of each node, of those that were found by its features: the largest gain, then the lowest feature.
// A workgroup takes a node: each lane looks at every 64th feature, then lane 0 at what the lanes have.
// Eight words of a node are all that the host reads back.
//#import tree_searches
//#import wide
//#import double
@group(0) @binding(2) var<storage, read> found: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> winners: array<vec4<u32>>;

var<workgroup> lane_best: array<vec4<u32>, 64>;
var<workgroup> lane_task: array<u32, 64>;

fn beats(one: vec4<u32>, other: vec4<u32>) -> bool {
    if (one.z < FOUND || other.z < FOUND) {
        return one.z >= FOUND;
    }
    return double_less(other.xy, one.xy) || (all(one.xy == other.xy) && one.w < other.w);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.searches) {
        let first = plan[SEARCH_WORDS * number + 1u];
        let end = first + plan[SEARCH_WORDS * number + 2u];
        var best = vec4<u32>();
        var best_task = first;
        for (var task = first + lane; task < end; task += 64u) {
            let own = found[2u * task];
            if (beats(own, best)) {
                best = own;
                best_task = task;
            }
        }
        lane_best[lane] = best;
        lane_task[lane] = best_task;
        workgroupBarrier();
        if (lane == 0u) {
            var winner = 0u;
            for (var other = 1u; other < 64u; other += 1u) {
                if (beats(lane_best[other], lane_best[winner])) {
                    winner = other;
                }
            }
            winners[2u * number] = lane_best[winner];
            winners[2u * number + 1u] = select(vec4<u32>(), found[2u * lane_task[winner] + 1u], vec4(lane_best[winner].z >= FOUND));
        }
    }
    mark_done(lane);
}
