// Which rows a tree counts, for the passes of tree/forest/bootstrap that put them in order.
// Without draws those whose first word is not 0, else those that were drawn.
// Where a workgroup takes a block, it is of 256 rows of one tree.
//#import status
struct Params {
    rows: u32,
    blocks: u32,
    trees: u32,
    // Where the counts of the first tree's draws begin in `packed`, or ONCE.
    drawn: u32,
    // Where the words of the rows begin, and how many 32-bit words a row has.
    first: u32,
    row_words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> packed: array<u32>;

// The tree takes every row once.
const ONCE = 0xffffffffu;

fn counts(tree: u32, row: u32) -> bool {
    if (tree >= params.trees || row >= params.rows) {
        return false;
    }
    let place = select(params.drawn + tree * params.rows + row, params.first + row * params.row_words, params.drawn == ONCE);
    return packed[place] != 0u;
}
