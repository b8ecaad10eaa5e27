// What the leaves of a row's trees add up to, tree after tree in f64 made of integers (lib/double): the very sums of the host.
// A lane takes an output of a row; neighbouring lanes take neighbouring rows, whose leaf numbers lie side by side.
// Eight bytes an output come back instead of a leaf number a tree.
//#import status
//#import wide
//#import double
struct Params {
    rows: u32,
    // The trees of this dispatch, and those before them.
    trees: u32,
    trees_before: u32,
    outputs: u32,
    // From one tree of an output to the next: 1 where each has values of all outputs.
    step: u32,
}

// Bits of a leaf number: 8, 16 or 32.
override BITS: u32 = 32u;

@group(0) @binding(0) var<uniform> params: Params;
// As tree/predict writes them: word after word, in each all rows.
@group(0) @binding(1) var<storage, read> leaves: array<u32>;
// The first node of each tree, and the length of its longest way.
@group(0) @binding(2) var<storage, read> trees: array<vec2<u32>>;
// What each output begins with, then the values of all nodes.
@group(0) @binding(3) var<storage, read> values: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> sums: array<vec2<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.rows * params.outputs) {
        let row = item % params.rows;
        let output = item / params.rows;
        let place = row * params.outputs + output;
        let per_word = 32u / BITS;
        let width = select(1u, params.outputs, params.step == 1u);
        let first = params.outputs + select(0u, output, params.step == 1u);
        var sum = values[output];
        if (params.trees_before > 0u) {
            sum = sums[place];
        }
        // The first of these trees that has the output.
        var tree = (output + params.step - params.trees_before % params.step) % params.step;
        while (tree < params.trees) {
            let word = leaves[tree / per_word * params.rows + row];
            let leaf = (word >> (BITS * (tree % per_word))) & (0xffffffffu >> (32u - BITS));
            sum = double_add(sum, values[first + (trees[tree].x + leaf) * width]);
            tree += params.step;
        }
        sums[place] = sum;
    }
    mark_done(lane);
}
