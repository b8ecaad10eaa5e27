// Histograms of pieces of rows by 64-bit words, for software drivers: a word of a row is one plain addition.
// Eight lanes take a piece and eight columns: they load eight rows, then pass them round, and each counts its own column.
// The shader that imports this says what a row adds, by row_word; the cells of a group stay in the first cache.
//#import tree_pieces
@group(0) @binding(1) var<storage, read> codes: array<u64>;
@group(0) @binding(6) var<storage, read_write> partial: array<u64>;

// 256 cells for each lane, which no other lane touches: hence no barriers.
var<workgroup> cells: array<u64, 2048>;

// The lane's column: its first cell, and where its code is in the two words of a row. A lane without a column counts too:
// to leave it out would cost every lane a look.
struct Column {
    first: u32,
    is_high: bool,
    shift: u32,
}

fn count(column: Column, codes: vec2<u32>, word: vec2<u32>) {
    let cell = column.first + ((select(codes.x, codes.y, column.is_high) >> column.shift) & 255u);
    cells[cell] = cells[cell] + (u64(word.x) | (u64(word.y) << 32u));
}

@compute @workgroup_size(8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.pieces * params.groups_of_8) {
        let group_of_8 = at % params.groups_of_8;
        let number = at / params.groups_of_8;
        let piece = plan[number];
        let number_of_column = min(8u * (params.group_first + group_of_8) + lane, params.columns);
        let first = starts[number_of_column];
        let own_cells = starts[min(number_of_column + 1u, params.columns)] - first;
        let column = Column(lane * 256u, (lane >= 4u), 8u * (lane % 4u));
        for (var cell = 0u; cell < 256u; cell += 1u) {
            cells[column.first + cell] = 0lu;
        }
        let codes_first = params.codes_first / 2u + group_of_8 * params.rows;
        for (var next = 0u; next < piece.y; next += 8u) {
            let row = order[piece.x + min(next + lane, piece.y - 1u)];
            let eight = codes[codes_first + row];
            let c = vec2(u32(eight), u32(eight >> 32u));
            let w = select(vec2(0u), row_word(piece.z, row), next + lane < piece.y);
            count(column, subgroupBroadcast(c, 0u), subgroupBroadcast(w, 0u));
            count(column, subgroupBroadcast(c, 1u), subgroupBroadcast(w, 1u));
            count(column, subgroupBroadcast(c, 2u), subgroupBroadcast(w, 2u));
            count(column, subgroupBroadcast(c, 3u), subgroupBroadcast(w, 3u));
            count(column, subgroupBroadcast(c, 4u), subgroupBroadcast(w, 4u));
            count(column, subgroupBroadcast(c, 5u), subgroupBroadcast(w, 5u));
            count(column, subgroupBroadcast(c, 6u), subgroupBroadcast(w, 6u));
            count(column, subgroupBroadcast(c, 7u), subgroupBroadcast(w, 7u));
        }
        let place = number * params.cells + first;
        for (var cell = 0u; cell < own_cells; cell += 1u) {
            partial[place + cell] = cells[column.first + cell];
        }
    }
    mark_done(lane);
}
