// Adds the value of its leaf to the score of each row that a tree was not grown on: rows outside the sample, or held out.
// A lane takes a row and leads it through the tree by its values, as predictions are made; one addition of f32 a row.
// Lanes side by side take rows side by side, or places of the row order behind those of the tree.
//#import status
//#import tree_steps
struct Params {
    // The rows of this dispatch, or their places in the order.
    first: u32,
    count: u32,
    is_listed: u32,
    // The rows of x that are bound.
    x_row: u32,
    x_rows: u32,
    x_first: u32,
    x_stride: u32,
    // The first step of the tree, the length of its longest way, and where the categories of all trees begin.
    root: u32,
    depth: u32,
    categories_first: u32,
    scores_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
// Four words a step, as `next_step` takes them; those of a leaf begin with its number. Then the categories.
@group(0) @binding(2) var<storage, read> steps: array<u32>;
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read> values: array<f32>;
@group(0) @binding(5) var<storage, read_write> scores: array<f32>;
// The bits of the largest |score|, and of the largest score above 0, of listed rows.
@group(0) @binding(6) var<storage, read_write> report: array<atomic<u32>>;

var<workgroup> largest: array<atomic<u32>, 2>;

fn category_word(at: u32) -> u32 {
    return steps[params.categories_first + at];
}

fn step_at(node: u32) -> vec4<u32> {
    let at = 4u * (params.root + node);
    return vec4(steps[at], steps[at + 1u], steps[at + 2u], steps[at + 3u]);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (lane < 2u) {
        atomicStore(&largest[lane], 0u);
    }
    workgroupBarrier();
    if (item < params.count) {
        var row = params.first + item;
        if (params.is_listed == 1u) {
            row = order[row];
        }
        if (row >= params.x_row && row - params.x_row < params.x_rows) {
            let first = params.x_first + (row - params.x_row) * params.x_stride;
            var at = 0u;
            for (var depth = 0u; depth < params.depth; depth += 1u) {
                let step = step_at(at);
                at = next_step(step, x[first + (step.y & 0x3fffffffu)]);
            }
            let score = scores[params.scores_first + row] + values[step_at(at).x];
            scores[params.scores_first + row] = score;
            let bits = bitcast<u32>(score);
            atomicMax(&largest[0], bits & 0x7fffffffu);
            atomicMax(&largest[1], select(0u, bits, bits < 0x80000000u));
        }
    }
    workgroupBarrier();
    if (lane < 2u && params.is_listed == 1u) {
        atomicMax(&report[lane], atomicLoad(&largest[lane]));
    }
    mark_done(lane);
}
