// Which rows each tree counts: a bit for each row, as tree/partition writes them for those that go left.
// Without draws those whose first word is not 0, else those that were drawn.
// A lane takes a run of up to 32 rows of one tree and writes one word.
//#import status
struct Params {
    rows: u32,
    // The runs of one tree.
    runs: u32,
    trees: u32,
    // Where the counts of the first tree's draws begin in `packed`, or ONCE.
    drawn: u32,
    // Where the words of the rows begin, and how many 32-bit words a row has.
    first: u32,
    row_words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> packed: array<u32>;
@group(0) @binding(2) var<storage, read_write> flags: array<u32>;

// The tree takes every row once.
const ONCE = 0xffffffffu;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = (group.y * groups.x + group.x) * 64u + lane;
    if (number < params.runs * params.trees) {
        let run = number % params.runs;
        // Of a block of 256 rows every eighth.
        let row = 256u * (run / 8u) + run % 8u;
        let count = min(32u, (max(params.rows, row) - row + 7u) / 8u);
        let is_drawn = params.drawn != ONCE;
        let step = select(params.row_words, 1u, is_drawn);
        let first = select(params.first, params.drawn + (number / params.runs) * params.rows, is_drawn) + row * step;
        var word = 0u;
        for (var at = 0u; at < count; at += 1u) {
            word |= select(0u, 1u, packed[first + 8u * at * step] != 0u) << at;
        }
        flags[number] = word;
    }
    mark_done(lane);
}
