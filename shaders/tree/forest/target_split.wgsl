// The best split of a node by a feature, from its histogram of the exact sums of its rows' targets.
// A workgroup takes a node and a feature: it adds up the cells from the left, and each lane tries four bins (lib/target_scan).
// f64 is made of integers (lib/double), so that gains, and what wins by them, are the host's to the bit.
//#import target_searches
//#import target_scan
//#import target_tasks
//#import wide
//#import double
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> slots: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> found: array<u32>;

// The sums of all bins up to each, word by word: no more than cells have, so that more groups fit a core.
// A name of its own, as naga 30 mistakes a product in its place for the next override.
override SUM_WORDS: u32 = 256u * WORDS;
var<workgroup> sums: array<vec2<u32>, SUM_WORDS>;
// The first cell of the feature in the node's slot, and the bin that has none.
var<private> cells_first: u32;
var<private> default_bin: u32;

fn cell_of(bin: u32, word: u32) -> vec2<u32> {
    return slots[cells_first + (bin - select(0u, 1u, bin > default_bin)) * WORDS + word];
}

fn sum_at(place: u32) -> vec2<u32> {
    return sums[place];
}

fn set_sum(place: u32, sum: vec2<u32>) {
    sums[place] = sum;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let task = task_of(group.y * groups.x + group.x);
    let feature = features[task.feature];
    cells_first = (plan[task.search] * params.cells + feature.x) * WORDS;
    default_bin = feature.w;
    search_feature(lane, task, feature.yzw, task.is_one);
    mark_done(lane);
}
