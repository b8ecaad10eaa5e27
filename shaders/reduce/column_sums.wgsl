// Sums down the columns of blocks of 512 rows: Σx, Σw·x, or Σw·(x−mean)^POWER; the host adds the blocks in f64.
// A lane takes four columns of one block, row after row, four rows at a time; neighbouring lanes take neighbouring columns.
// Blocks begin at fixed rows, so the result does not depend on how the rows were split. About a mean that is nearly right,
// because E[x²]−E[x]² loses everything when the mean is large.
//#import status
struct Params {
    rows: u32,
    items: u32,
    vec4s: u32,
    x_first: u32,
    factor_first: u32,
    out_first: u32,
}

override WEIGHTED: u32 = 0u;
override CENTRED: u32 = 0u;
override POWER: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> factor: array<f32>;
@group(0) @binding(3) var<storage, read> mean: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

const COLUMN_BLOCK = 512u;

fn term(value: vec4<f32>, center: vec4<f32>, row: u32) -> vec4<f32> {
    var power = value;
    if (CENTRED == 1u) {
        power = value - center;
    }
    if (POWER == 2u) {
        power *= power;
    }
    if (WEIGHTED == 1u) {
        power *= factor[params.factor_first + row];
    }
    return power;
}

fn column_sum(item: u32) -> vec4<f32> {
    let vec4_index = item % params.vec4s;
    var center = vec4<f32>();
    if (CENTRED == 1u) {
        center = mean[vec4_index];
    }
    var row = (item / params.vec4s) * COLUMN_BLOCK;
    let end = min(row + COLUMN_BLOCK, params.rows);
    var sum = vec4<f32>();
    for (; row + 3u < end; row += 4u) {
        let at = params.x_first + row * params.vec4s + vec4_index;
        let first = term(x[at], center, row) + term(x[at + params.vec4s], center, row + 1u);
        let at_third = at + 2u * params.vec4s;
        let second = term(x[at_third], center, row + 2u) + term(x[at_third + params.vec4s], center, row + 3u);
        sum += first + second;
    }
    for (; row < end; row += 1u) {
        sum += term(x[params.x_first + row * params.vec4s + vec4_index], center, row);
    }
    return sum;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        out[params.out_first + item] = column_sum(item);
    }
    mark_done(lane);
}
