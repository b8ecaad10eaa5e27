// The best split of a node by a feature, from its rows: no histogram is kept of it.
// A workgroup takes a node and a feature: it counts the node's rows by their bins in workgroup memory, 64 bits by atomics on two
// words, and goes on as tree/forest/target_split does. Only the features that a node drew are counted.
//#import target_searches
//#import target_scan
//#import target_tasks
//#import target_words
//#import wide
//#import double
// Of each feature the bins, with 65,536 for one of missing values; its column; the code of its first bin; the bin without one.
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> codes: array<u32>;
@group(0) @binding(4) var<storage, read> order: array<u32>;
@group(0) @binding(5) var<storage, read> packed: array<u32>;
@group(0) @binding(6) var<storage, read_write> found: array<u32>;

// The cells of all bins, then the sums of all bins up to each, the lower half of a word first.
override SUM_WORDS: u32 = 512u * WORDS;
var<workgroup> sums: array<atomic<u32>, SUM_WORDS>;

fn sum_at(place: u32) -> vec2<u32> {
    return vec2(atomicLoad(&sums[2u * place]), atomicLoad(&sums[2u * place + 1u]));
}

fn set_sum(place: u32, sum: vec2<u32>) {
    atomicStore(&sums[2u * place], sum.x);
    atomicStore(&sums[2u * place + 1u], sum.y);
}

fn cell_of(bin: u32, word: u32) -> vec2<u32> {
    return sum_at(bin * WORDS + word);
}

// Whoever makes the lower half overflow carries.
fn add_to_cell(place: u32, word: vec2<u32>) {
    let before = atomicAdd(&sums[2u * place], word.x);
    let upper = word.y + select(0u, 1u, before + word.x < before);
    if (upper != 0u) {
        atomicAdd(&sums[2u * place + 1u], upper);
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let task = task_of(group.y * groups.x + group.x);
    let search = task.search;
    let feature = features[task.feature];
    let bins = feature.x & 0xffffu;
    let missing_bins = feature.x >> 16u;
    let all = bins + missing_bins;
    let group_of_8 = feature.y / 8u - params.group_first;
    // Columns in other buffers have a dispatch of their own.
    let is_here = task.is_one && group_of_8 < params.groups_of_8;
    for (var place = lane; place < 2u * WORDS * all; place += 64u) {
        atomicStore(&sums[place], 0u);
    }
    workgroupBarrier();
    let first = params.codes_first + 2u * group_of_8 * params.rows + (feature.y / 4u) % 2u;
    let shift = 8u * (feature.y % 4u);
    let rows = select(0u, plan[search + 1u], is_here);
    let tree = plan[search + 2u] & ((1u << TREE_BITS) - 1u);
    let words_first = params.words_first + tree * params.words_step;
    let drawn = select(params.drawn_first + tree * params.rows, ONCE, params.drawn_first == ONCE);
    for (var at = lane; at < rows; at += 64u) {
        let row = order[plan[search] + at];
        let own = ((codes[first + 2u * row] >> shift) & 255u) - feature.z;
        // Codes of other features in the column stand for the default, which is not counted.
        let bin = select(own, own + 1u, own >= feature.w);
        if (own < all && bin < all) {
            if (BY_CLASS == 1u) {
                add_to_cell(bin * WORDS + packed[row], row_word(words_first, drawn, row, 0u));
            } else {
                for (var word = 0u; word < WORDS; word += 1u) {
                    add_to_cell(bin * WORDS + word, row_word(words_first, drawn, row, word));
                }
            }
        }
    }
    workgroupBarrier();
    search_feature(lane, task, vec3(bins, missing_bins, feature.w), is_here);
    mark_done(lane);
}
