// Σw·(x−mean)² of each column, or Σw·(x−mean) with POWER 1, in blocks of 512 rows; the host adds the blocks in f64.
// A lane takes four columns of one block and keeps their mean.
// About a mean that is nearly right, because E[x²]−E[x]² loses everything when the mean is large.
//#import columns
override POWER: u32 = 2u;
override WEIGHTED: u32 = 0u;

@group(0) @binding(2) var<storage, read> factor: array<f32>;
@group(0) @binding(3) var<storage, read> mean: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

var<private> center: vec4<f32>;

fn column_term(value: vec4<f32>, row: u32, vec4_index: u32) -> vec4<f32> {
    let difference = value - center;
    let power = select(difference, difference * difference, POWER == 2u);
    if (WEIGHTED == 0u) {
        return power;
    }
    return factor[params.factor_first + row * params.factor_step] * power;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        center = mean[item % params.vec4s];
        out[params.out_first + item] = column_sum(item);
    }
    mark_done(lane);
}
