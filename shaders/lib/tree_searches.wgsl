// Nodes whose best split is wanted, for the passes of tree/best_split.
// A search has sixteen words: its slot, its first task, its tasks, 0; the sums of the node; l1 and l2 in units of the
// sums, the least count and the least Hessian of a child. A task is two words: the search, the feature.
//#import status
struct Params {
    searches: u32,
    tasks: u32,
    tasks_first: u32,
    cells: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: array<u32>;

const SEARCH_WORDS = 16u;

// Less than any bound.
const NOTHING = -3.0e38;
