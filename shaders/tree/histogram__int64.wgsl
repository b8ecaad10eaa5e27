// Sums of gradients, Hessians and rows for each code of each column, over pieces of at most 2040 rows: for software drivers.
// A row is one 64-bit word as in the CPU's twin, gradient 27 bits, Hessian 26, count 11: three sums are one addition.
// histogram__merge_int64 adds the pieces.
//#import tree_int64
fn row_word(first: u32, row: u32) -> vec2<u32> {
    let pair = packed[first + row];
    let low = ((pair >> 16u) << 11u) | 1u;
    let high = bitcast<u32>(bitcast<i32>(pair << 16u) >> 11u);
    return vec2(low, high);
}
