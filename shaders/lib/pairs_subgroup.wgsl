// A pair kernel in its subgroup variant: a workgroup makes one 256×24 tile.
// A kernel with another tile imports pairs_subgroup_main and that tile.
// It needs subgroups of a multiple of 8 lanes.
//#import pairs_operands
//#import tile_subgroup
//#import pairs_subgroup_main
