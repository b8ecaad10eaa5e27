// How often each tree draws each row of its bootstrap sample: rows with replacement, by Philox, as the host draws them.
// A lane takes one counter of one tree, which makes four numbers, and adds one for each of the four rows.
// Sums of integers: the order of the lanes changes nothing. The counts were cleared before.
//#import status
//#import wide
struct Params {
    rows: u32,
    draws: u32,
    // Counters of a tree, four draws each.
    counters: u32,
    trees: u32,
    first_tree: u32,
    stream: u32,
    key_low: u32,
    key_high: u32,
    bound: u32,
    rejected_below: u32,
    // Where the counts of the first tree begin.
    drawn: u32,
}

// Whether only some rows can be drawn, which are listed.
override LISTED: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> listed: array<u32>;
@group(0) @binding(2) var<storage, read_write> packed: array<atomic<u32>>;

// The counter of a tree's numbers: each tree has 2³² of them.
fn numbers_of(tree: u32, block: u32, draw: u32) -> vec4<u32> {
    let number = params.first_tree + tree;
    let counter = vec4((number << 30u) + block, number >> 2u, params.stream, draw);
    return philox_of(counter, vec2(params.key_low, params.key_high));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    let tree = item / params.counters;
    if (tree < params.trees) {
        let block = item % params.counters;
        let numbers = numbers_of(tree, block, 0u);
        for (var word = 0u; word < 4u; word += 1u) {
            if (4u * block + word < params.draws) {
                // The high word of number·bound, drawn again while the low word is below 2³² mod bound, 32 times at most.
                var product = multiply(numbers[word], params.bound);
                for (var draw = 1u; draw < 32u && product.y < params.rejected_below; draw += 1u) {
                    product = multiply(numbers_of(tree, block, draw)[word], params.bound);
                }
                var row = product.x;
                if (LISTED == 1u) {
                    row = listed[row];
                }
                atomicAdd(&packed[params.drawn + tree * params.rows + row], 1u);
            }
        }
    }
    mark_done(lane);
}
