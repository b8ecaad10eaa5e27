// A bit for each row of a block of 256 that a tree counts, for the passes of tree/forest/bootstrap that put rows in order.
// A workgroup takes a block of one tree, a lane a row.
// The shader that imports this imports `tree_rows`.

var<workgroup> bits: array<atomic<u32>, 8>;

// Block number `at` of all trees' blocks: whether its tree counts the lane's row. All lanes call it.
fn mark_rows(at: u32, lane: u32) -> bool {
    if (lane < 8u) {
        atomicStore(&bits[lane], 0u);
    }
    workgroupBarrier();
    let is_counted = counts(at / params.blocks, row_of(at, lane));
    if (is_counted) {
        atomicOr(&bits[lane / 32u], 1u << (lane % 32u));
    }
    workgroupBarrier();
    return is_counted;
}

fn row_of(at: u32, lane: u32) -> u32 {
    return 256u * (at % params.blocks) + lane;
}

// How many rows of the block are counted before a lane's; of all with lane 256.
fn rows_before(lane: u32) -> u32 {
    var before = 0u;
    for (var word = 0u; word < lane / 32u; word += 1u) {
        before += countOneBits(atomicLoad(&bits[word]));
    }
    if (lane % 32u > 0u) {
        before += countOneBits(atomicLoad(&bits[lane / 32u]) & ((1u << (lane % 32u)) - 1u));
    }
    return before;
}
