// The best split of each node, of those that were found by its features: the largest gain, then the feature that comes first.
// A workgroup takes a node: each lane looks at every 64th feature, then lane 0 at what the lanes have; each lane takes a word
// of the left child along. The gain stays: the host makes it of the same sums.
//#import target_searches
//#import wide
//#import double
@group(0) @binding(2) var<storage, read> found: array<u32>;
// A node has a word for its rule: the bin, how many bins without rows follow it, the number of the task within the node, whether
// missing values go left; or NONE. Then the sums of the left child, as narrow as the host says that they may be.
@group(0) @binding(3) var<storage, read_write> winners: array<u32>;

// Whether all words of a cell have a weight above a count; else the first one only, and the others have all their bits.
override BY_CLASS: u32 = 1u;
const NONE = 0xffffffffu;
// How words with a weight and a count are packed: as they are, in eight bits each, or in sixteen.
const QUARTER = 1u;
const HALF = 2u;

var<workgroup> lane_best: array<vec4<u32>, 64>;
var<workgroup> lane_task: array<u32, 64>;

fn found_by(task: u32) -> vec4<u32> {
    let place = found_place(task);
    return vec4(found[place], found[place + 1u], found[place + 2u], found[place + 3u]);
}

// A word of the left child, its weight above its count in so many bits each.
fn narrowed(task: u32, word: u32, bits: u32, count_bits: u32) -> u32 {
    let place = found_place(task) + 4u + 2u * word;
    let weight = (found[place] >> count_bits) | (found[place + 1u] << (32u - count_bits));
    return (weight << bits) | (found[place] & ((1u << count_bits) - 1u));
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
        let to = plan[search + 15u] & 0x3fffffffu;
        let width = plan[search + 15u] >> 30u;
        if (lane == 0u) {
            let bin = best.z & 0xffu;
            let left = select(0u, 0x80000000u, (best.z & MISSING_LEFT) != 0u);
            let rule = left | ((best_task - first) << 16u) | ((best.w - bin - 1u) << 8u) | bin;
            winners[to] = select(NONE, rule, best.z >= FOUND);
        }
        let counts = select(1u, WORDS, BY_CLASS == 1u);
        let count_bits = plan[search + 5u];
        let numbers = found_place(best_task) + 4u;
        // Words of 32 bits that have the counts, and those behind them.
        var narrow = 2u * counts;
        if (width == HALF) {
            narrow = counts;
        } else if (width == QUARTER) {
            narrow = (counts + 1u) / 2u;
        }
        if (lane < narrow) {
            var word = found[numbers + lane];
            if (width == HALF) {
                word = narrowed(best_task, lane, 16u, count_bits);
            } else if (width == QUARTER) {
                word = narrowed(best_task, 2u * lane, 8u, count_bits);
                if (2u * lane + 1u < counts) {
                    word |= narrowed(best_task, 2u * lane + 1u, 8u, count_bits) << 16u;
                }
            }
            winners[to + 1u + lane] = word;
        } else if (lane < narrow + 2u * (WORDS - counts)) {
            winners[to + 1u + lane] = found[numbers + 2u * counts + lane - narrow];
        }
    }
    mark_done(lane);
}
