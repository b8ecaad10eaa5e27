// Pieces of the row order and their leaves, for the passes of tree/leaf_quantiles.
// A workgroup takes a piece: neighbouring places of one leaf's rows, whose keys lie side by side.
// The shader that imports this binds what else it reads; the digits of all leaves are looked at in one pass.
//#import status
struct Params {
    pieces: u32,
    rows: u32,
    // Bits below the digit that is counted.
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A piece: its first place in the order, its rows, its output, its leaf.
@group(0) @binding(1) var<storage, read> plan: array<vec4<u32>>;
