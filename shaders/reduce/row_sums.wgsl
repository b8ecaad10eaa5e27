// The sum of each row.
// A lane takes a row, four columns at a time; four partial sums keep the error at a quarter of the columns.
// A fixed order: the result of a row depends on nothing but the row.
//#import status
struct Params {
    rows: u32,
    x_first: u32,
    vec4s: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 64u + lane;
    if (row < params.rows) {
        var at = params.x_first + row * params.vec4s;
        let end = at + params.vec4s;
        var sum = vec4<f32>();
        for (; at + 3u < end; at += 4u) {
            sum += (x[at] + x[at + 1u]) + (x[at + 2u] + x[at + 3u]);
        }
        for (; at < end; at += 1u) {
            sum += x[at];
        }
        out[params.out_first + row] = (sum.x + sum.y) + (sum.z + sum.w);
    }
    mark_done(lane);
}
