// Pieces of the row order and their leaves, for the passes of tree/leaf_quantiles.
// A workgroup takes a piece: neighbouring places of one leaf's rows, whose keys lie side by side.
// The shader that imports this binds what else it reads; the digits of all leaves are looked at in one pass.
//#import status
//#import fixed_point
struct Params {
    pieces: u32,
    // The first piece of this dispatch.
    piece_first: u32,
    rows: u32,
    // Bits below the digit that is counted.
    shift: u32,
    // The keys of output z lie z times so far behind the places of their rows, the weights `rows` behind the keys.
    key_stride: u32,
    // Whether rows weigh differently, and the largest weight, or 1.
    is_weighted: u32,
    largest_weight: f32,
    // Whether keys are those of |residuals|.
    is_size: u32,
    // Where the δ of each output is in the report, and where sums of pieces go.
    delta_first: u32,
    sums_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A piece: its first place in the order, its rows, its output, its leaf.
@group(0) @binding(1) var<storage, read> plan: array<vec4<u32>>;

// How much a row with a weight of these bits counts: thirty bits for the largest weight, 1 at least.
fn units_of(weight: u32) -> u32 {
    return max(fine_size(weight, exponent_for(bitcast<u32>(params.largest_weight))), 1u);
}
