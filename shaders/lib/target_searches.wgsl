// Nodes whose best split is wanted, for the passes of tree/forest/target_split.
// A search has 16 + 4·WORDS words: its slot, or the first place of its rows; its first task, its tasks, the least rows of a child;
// its rows, the bits of a count, its path from the root; from word 8 on in f64 its weight and purity, then its tree, where the
// words of its rows begin and the counts of its draws, and where what is found goes, below two bits of its width; from word 16 on the node's own cell, then in f64 the parts of it.
// A task has two: the search, and the feature. Behind the tasks, in f64, 1/1, 1/3, 1/5 and so on.
//#import status
struct Params {
    searches: u32,
    // The first task of this dispatch, and the end of its tasks.
    task_begin: u32,
    tasks: u32,
    tasks_first: u32,
    reciprocals_first: u32,
    cells: u32,
    // Of the random numbers of thresholds.
    key_low: u32,
    key_high: u32,
    // Of the codes, where rows are counted.
    rows: u32,
    group_first: u32,
    groups_of_8: u32,
    codes_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: array<u32>;

// 64-bit words of a cell.
override WORDS: u32 = 2u;

// What a task found has 4 + 2·WORDS words: the gain in f64, whether there is a split and its bin and whether missing values go
// left, the next bin that has rows; then the sums of the left child.
const FOUND = 0x80000000u;
const MISSING_LEFT = 0x40000000u;
const NO_DEFAULT = 0xffffffffu;

fn search_place(number: u32) -> u32 {
    return (16u + 4u * WORDS) * number;
}

fn found_place(task: u32) -> u32 {
    return (4u + 2u * WORDS) * task;
}

fn pair(place: u32) -> vec2<u32> {
    return vec2(plan[place], plan[place + 1u]);
}
