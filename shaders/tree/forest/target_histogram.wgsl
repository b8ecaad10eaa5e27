// Sums of one 64-bit word of the rows' targets for each code of each column, over pieces of the rows of many nodes.
// A workgroup takes a piece of at most 65,536 rows and four columns, and counts each quarter of a word by atomics: 16
// bits a row, so 32 bits hold the sums of a piece; target_histogram__merge puts the quarters together, exactly.
//#import tree_pieces
//#import wide
//#import target_words
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(6) var<storage, read_write> partial: array<u32>;

// For each quarter, 256 codes of four columns.
var<workgroup> sums: array<atomic<u32>, 4096>;

override WORDS: u32 = 2u;

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
        for (var cell = lane; cell < 4096u; cell += 256u) {
            atomicStore(&sums[cell], 0u);
        }
        workgroupBarrier();
        let first = params.codes_first + (group_of_4 / 2u) * 2u * params.rows + group_of_4 % 2u;
        for (var next = lane; next < piece.y; next += 256u) {
            let row = order[piece.x + next];
            var word = vec2<u32>();
            if (BY_CLASS == 0u || packed[row] == params.word) {
                word = row_word(piece.z, piece.w, row, params.word);
            }
            let quarters = vec4(word.x & 0xffffu, word.x >> 16u, word.y & 0xffffu, word.y >> 16u);
            if (any(quarters != vec4(0u))) {
                let four = codes[first + 2u * row];
                for (var quarter = 0u; quarter < 4u; quarter += 1u) {
                    // Small weights have only zeros above.
                    if (quarters[quarter] != 0u) {
                        for (var column = 0u; column < 4u; column += 1u) {
                            let cell = column * 256u + ((four >> (8u * column)) & 255u);
                            atomicAdd(&sums[1024u * quarter + cell], quarters[quarter]);
                        }
                    }
                }
            }
        }
        workgroupBarrier();
        for (var own = 0u; own < 4u; own += 1u) {
            let column = min(8u * params.group_first + 4u * group_of_4 + own, params.columns);
            let cell = starts[column] + lane;
            if (cell < starts[min(column + 1u, params.columns)]) {
                for (var quarter = 0u; quarter < 4u; quarter += 1u) {
                    let place = (4u * number + quarter) * params.cells + cell;
                    partial[place] = atomicLoad(&sums[1024u * quarter + own * 256u + lane]);
                }
            }
        }
    }
    mark_done(lane);
}
