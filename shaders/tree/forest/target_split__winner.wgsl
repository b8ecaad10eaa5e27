// The best split of each node, of those that were found by its features: the largest gain, then the feature that comes first.
// A workgroup takes a node: each lane looks at every 64th feature, then lane 0 at what the lanes have; each lane takes a word
// of the left child along. The gain stays: the host makes it of the same sums.
//#import target_searches
//#import wide
//#import double
@group(0) @binding(2) var<storage, read> found: array<u32>;
// All 0 before. A node has, one bit behind the other, whether it has a split, whether missing values go left, the bin, how many bins
// without rows follow it, the place of the feature among those of the node; then the sums of the left child, each in as many bits
// as the node's own has: they are the same on the host.
@group(0) @binding(3) var<storage, read_write> winners: array<atomic<u32>>;

// Whether all words of a cell have a weight above a count; else the first one only, and the others have all their bits.
override BY_CLASS: u32 = 1u;

var<workgroup> lane_best: array<vec4<u32>, 64>;
var<workgroup> lane_at: array<u32, 64>;

fn found_by(task: u32) -> vec4<u32> {
    let place = found_place(task);
    return vec4(found[place], found[place + 1u], found[place + 2u], found[place + 3u]);
}

fn beats(one: vec4<u32>, one_at: u32, other: vec4<u32>, other_at: u32) -> bool {
    if (one.z < FOUND || other.z < FOUND) {
        return one.z >= FOUND;
    }
    return double_less(other.xy, one.xy) || (all(one.xy == other.xy) && one_at < other_at);
}

// Bits that hold all numbers up to one.
fn bits_of(most: u32) -> u32 {
    return 32u - countLeadingZeros(most);
}

fn bits_of_wide(most: vec2<u32>) -> u32 {
    return select(bits_of(most.x), 32u + bits_of(most.y), most.y > 0u);
}

// Bits of weight and count of a word of the node's children.
fn widths(search: u32, word: u32) -> vec2<u32> {
    if (BY_CLASS == 0u && word > 0u) {
        return vec2(64u, 0u);
    }
    let own = own_word(search, word);
    let count_bits = count_bits_of(search);
    return vec2(bits_of_wide(weight_of(own, count_bits)), bits_of(own.x & ((1u << count_bits) - 1u)));
}

// Nodes share words.
fn put(place: u32, value: u32, bits: u32) {
    if (bits > 0u) {
        let kept = value & (0xffffffffu >> (32u - bits));
        let shift = place % 32u;
        atomicOr(&winners[place / 32u], kept << shift);
        if (shift + bits > 32u) {
            atomicOr(&winners[place / 32u + 1u], kept >> (32u - shift));
        }
    }
}

fn put_wide(place: u32, value: vec2<u32>, bits: u32) {
    put(place, value.x, min(bits, 32u));
    put(place + 32u, value.y, max(bits, 32u) - 32u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.searches) {
        var best = vec4<u32>();
        var best_at = 0u;
        for (var at = lane; at < params.width; at += 64u) {
            if (feature_of(number, at) != NO_FEATURE) {
                let other = found_by(number * params.width + at);
                if (beats(other, at, best, best_at)) {
                    best = other;
                    best_at = at;
                }
            }
        }
        lane_best[lane] = best;
        lane_at[lane] = best_at;
        workgroupBarrier();
        var winner = 0u;
        for (var other = 1u; other < 64u; other += 1u) {
            if (beats(lane_best[other], lane_at[other], lane_best[winner], lane_at[winner])) {
                winner = other;
            }
        }
        best = lane_best[winner];
        best_at = lane_at[winner];
        if (best.z >= FOUND) {
            let search = search_place(number);
            let rule = plan[search + 3u];
            let of_feature = bits_of(params.width - 1u);
            if (lane == 0u) {
                let bin = best.z & 0xffu;
                let missing_left = select(0u, 2u, (best.z & MISSING_LEFT) != 0u);
                put(rule, 1u | missing_left | (bin << 2u) | ((best.w - bin - 1u) << 10u), 18u);
                put(rule + 18u, best_at, of_feature);
            }
            if (lane < WORDS) {
                var place = rule + 18u + of_feature;
                for (var word = 0u; word < lane; word += 1u) {
                    let before = widths(search, word);
                    place += before.x + before.y;
                }
                let own = widths(search, lane);
                let sums = found_place(number * params.width + best_at) + 4u + 2u * lane;
                let left = vec2(found[sums], found[sums + 1u]);
                if (own.x == 64u) {
                    put_wide(place, left, 64u);
                } else {
                    let count_bits = count_bits_of(search);
                    put_wide(place, weight_of(left, count_bits), own.x);
                    put(place + own.x, left.x & ((1u << count_bits) - 1u), own.y);
                }
            }
        }
    }
    mark_done(lane);
}
