// Moves the rows of each node to their places: those that go left first, each side in its order.
// A lane takes a run of up to 32 rows; the scan says how many went left before its block, the bits of the block the rest.
// The rows go to the other order, from which they are copied back. An order begins in the same way, from the numbers of all rows.
//#import tree_cuts
@group(0) @binding(2) var<storage, read> flags: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> befores: array<u32>;
@group(0) @binding(4) var<storage, read> lefts: array<u32>;
@group(0) @binding(5) var<storage, read> order: array<u32>;
@group(0) @binding(6) var<storage, read_write> moved: array<u32>;

// Whether an order begins: a node is all rows by their numbers, and those that go right are not wanted.
override BEGINS: u32 = 0u;

fn sum(bits: vec4<u32>) -> u32 {
    return (bits.x + bits.y) + (bits.z + bits.w);
}

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
        let places = places_of(run, cut);
        let block = run / 8u;
        let own = run % 8u;
        let low = flags[2u * block];
        let high = flags[2u * block + 1u];
        // A one for each lane of the block before this one.
        let low_before = select(vec4(0u), vec4(1u), vec4(0u, 1u, 2u, 3u) < vec4(own));
        let high_before = select(vec4(0u), vec4(1u), vec4(4u, 5u, 6u, 7u) < vec4(own));
        let before = befores[block];
        var left = cuts[cut] + before;
        // All rows of the node before the block, less those that went left.
        var right = places.x - own + lefts[number] - before;
        for (var at = 0u; at < places.y; at += 1u) {
            let low_bits = (low >> vec4(at)) & vec4(1u);
            let high_bits = (high >> vec4(at)) & vec4(1u);
            let left_before = sum(low_bits & low_before) + sum(high_bits & high_before);
            let half = select(low_bits, high_bits, own >= 4u);
            let two = select(half.xy, half.zw, (own & 2u) != 0u);
            let goes_left = select(two.x, two.y, (own & 1u) != 0u) != 0u;
            if (BEGINS == 0u) {
                moved[select(right + own - left_before, left + left_before, goes_left)] = order[places.x + 8u * at];
            } else if (goes_left) {
                moved[left + left_before] = places.x - cuts[cut] + 8u * at;
            }
            let lefts_of_eight = sum(low_bits) + sum(high_bits);
            left += lefts_of_eight;
            right += 8u - lefts_of_eight;
        }
    }
    mark_done(lane);
}
