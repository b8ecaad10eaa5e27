// Row index[i] of X as row i of the result.
// A lane moves four columns; neighbouring lanes move neighbouring columns.
// An index beyond the last row is reported through the status words and becomes an error at the read-back.
//#import status
struct Params {
    rows: u32,
    items: u32,
    x_first: u32,
    vec4s: u32,
    index_first: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> index: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let row = index[params.index_first + item / params.vec4s];
        if (row >= params.rows) {
            report_fault(row);
        }
        let source = params.x_first + min(row, params.rows - 1u) * params.vec4s + item % params.vec4s;
        out[params.out_first + item] = x[source];
    }
    mark_done(lane);
}
