// Nodes whose best split is wanted, for the passes of tree/target_split.
// A search has 16 + 4·WORDS words: its slot, its first task, its tasks, the least rows of a child; its rows, the bits of a count;
// from word 8 on in f64 its weight and purity; from word 16 on the node's own cell, then in f64 the parts of it.
// A task has two: the search, and the feature. Behind the tasks, in f64, 1/1, 1/3, 1/5 and so on.
//#import status
struct Params {
    searches: u32,
    tasks: u32,
    tasks_first: u32,
    reciprocals_first: u32,
    cells: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: array<u32>;

// 64-bit words of a cell.
override WORDS: u32 = 2u;

// What a task found has four words: the gain in f64, whether there is a split and its bin and whether missing values go
// left, the next bin that has rows.
const FOUND = 0x80000000u;
const MISSING_LEFT = 0x40000000u;
const NO_DEFAULT = 0xffffffffu;

fn search_place(number: u32) -> u32 {
    return (16u + 4u * WORDS) * number;
}

fn pair(place: u32) -> vec2<u32> {
    return vec2(plan[place], plan[place + 1u]);
}
