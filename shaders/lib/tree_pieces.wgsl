// Pieces of the rows of nodes, for histograms: what the variants of tree/histogram and tree/forest/target_histogram read.
// The codes of eight columns are two words of a row, group of eight after group. In tree/histogram a row's gradient is
// the lower half of its packed word, the Hessian the upper.
//#import status
struct Params {
    // Of this dispatch, from `piece_first` on.
    pieces: u32,
    groups_of_8: u32,
    group_first: u32,
    columns: u32,
    rows: u32,
    cells: u32,
    codes_first: u32,
    // Which word of a cell is counted, where a row has more than one.
    word: u32,
    piece_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read> packed: array<u32>;
// A piece: its first place in the order, its rows, the first packed word of its tree, where the counts of its draws begin.
@group(0) @binding(4) var<uniform> plan: array<vec4<u32>, 4096>;
// starts[c] is the first cell of column c; one more entry has the number of cells.
@group(0) @binding(5) var<storage, read> starts: array<u32>;
