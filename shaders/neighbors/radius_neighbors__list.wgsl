// The pairs whose bits are set, row by row in the order of columns.
// A lane takes a row, whose pairs begin where the host has counted them to begin, and walks its words.
// A word without bits costs one read, so a search that finds little writes little.
//#import status
struct Params {
    items: u32,
    first_row: u32,
    bits_first: u32,
    row_words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> found: array<u32>;
@group(0) @binding(2) var<storage, read> place: array<u32>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let row = params.first_row + item;
        let first = params.bits_first + row * params.row_words;
        var to = place[item];
        for (var word = 0u; word < params.row_words; word += 1u) {
            var bits = found[first + word];
            while (bits != 0u) {
                pairs[to] = vec2(row, word * 32u + countTrailingZeros(bits));
                to += 1u;
                bits &= bits - 1u;
            }
        }
    }
    mark_done(lane);
}
