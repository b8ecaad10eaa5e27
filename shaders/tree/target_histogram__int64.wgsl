// Sums of one 64-bit word of the rows' targets for each code of each column, over pieces of rows: for software drivers.
// How rows are counted is tree_int64', what a row adds tree_target's.
// target_histogram__merge adds the pieces.
//#import tree_target
//#import tree_int64
