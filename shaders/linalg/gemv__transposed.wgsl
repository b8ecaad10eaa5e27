// Aᵀ·x in blocks of 512 rows; the host adds the blocks in f64.
// A lane takes four columns of one block and multiplies each row by its factor.
// Neighbouring lanes read neighbouring columns, row after row.
//#import columns
@group(0) @binding(2) var<storage, read> factor: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

fn column_term(value: vec4<f32>, row: u32, vec4_index: u32) -> vec4<f32> {
    return value * factor[params.factor_first + row * params.factor_step];
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
