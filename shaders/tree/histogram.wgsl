// Sums of gradients, Hessians and rows for each code of each column, over pieces of the rows of many nodes.
// A workgroup takes a piece of at most 65,536 rows and four columns, and counts by atomics in workgroup memory.
// So 32 bits hold the sums of a piece; histogram__merge adds the pieces in 64 bits, exactly.
//#import tree_pieces
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(6) var<storage, read_write> partial: array<u32>;

// Gradients, then Hessians, then counts: 256 codes of four columns each.
var<workgroup> sums: array<atomic<u32>, 3072>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    let groups_of_4 = 2u * params.groups_of_8;
    if (at < params.pieces * groups_of_4) {
        let group_of_4 = at % groups_of_4;
        let number = params.piece_first + at / groups_of_4;
        let piece = plan[number];
        for (var cell = lane; cell < 3072u; cell += 256u) {
            atomicStore(&sums[cell], 0u);
        }
        workgroupBarrier();
        let first = params.codes_first + (group_of_4 / 2u) * 2u * params.rows + group_of_4 % 2u;
        for (var next = lane; next < piece.y; next += 256u) {
            let row = order[piece.x + next];
            let four = codes[first + 2u * row];
            let pair = packed[piece.z + row];
            let gradient = bitcast<u32>(bitcast<i32>(pair << 16u) >> 16u);
            for (var column = 0u; column < 4u; column += 1u) {
                let cell = column * 256u + ((four >> (8u * column)) & 255u);
                atomicAdd(&sums[cell], gradient);
                atomicAdd(&sums[1024u + cell], pair >> 16u);
                atomicAdd(&sums[2048u + cell], 1u);
            }
        }
        workgroupBarrier();
        for (var own = 0u; own < 4u; own += 1u) {
            let column = min(8u * params.group_first + 4u * group_of_4 + own, params.columns);
            let cell = starts[column] + lane;
            if (cell < starts[min(column + 1u, params.columns)]) {
                let place = 3u * number * params.cells + cell;
                partial[place] = atomicLoad(&sums[own * 256u + lane]);
                partial[place + params.cells] = atomicLoad(&sums[1024u + own * 256u + lane]);
                partial[place + 2u * params.cells] = atomicLoad(&sums[2048u + own * 256u + lane]);
            }
        }
    }
    mark_done(lane);
}
