// Nodes whose pieces are added, for the merges of tree/histogram and tree/forest/target_histogram.
// Four lanes of a workgroup share one cell of one node, each every fourth piece, and the first adds what they have: items are cells
// times nodes, of which a workgroup takes sixteen.
// Integers: no order of the pieces and no cut changes a bit, and what remains of the parent is the sibling, exactly.
//#import status
struct Params {
    items: u32,
    cells: u32,
    jobs_first: u32,
    // Which word of a cell is added, where a cell has more than one and each has a dispatch.
    word: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A node: its first piece, its pieces, its slot (the highest bit: to be made anew), its parent's slot or none.
@group(0) @binding(2) var<storage, read> jobs: array<vec4<u32>>;

const NONE = 0xffffffffu;
const FRESH = 0x80000000u;
const ITEMS = 16u;
const SHARES = 4u;
