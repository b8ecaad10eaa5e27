// Nodes whose best split is wanted, for the passes of tree/best_split.
// A search has 32 words: its slot, its first task, its tasks, flags; the sums of the node; l1 and l2 in units of the sums,
// the least count and Hessian of a child; in f64 the units, l1 and l2, the bounds of values, the least gain.
// A task has two: the search, and the feature with its direction in the two highest bits. Where all searches have the same
// features there is one list of them instead, of `list_length` words.
//#import status
struct Params {
    searches: u32,
    tasks: u32,
    tasks_first: u32,
    cells: u32,
    list_length: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: array<u32>;

const SEARCH_WORDS = 32u;
// What a task found has eight words: the gain in f64, whether there is one and the bin and whether missing values go left,
// the feature; then the sums of the left child.
const FOUND = 0x80000000u;
const MISSING_LEFT = 0x40000000u;
