// The square of each row's length.
// Sixteen lanes take a row in strides of a vec4, so that neighbours read neighbouring words, and add their sums by halving.
// A fixed order: the result of a row depends on nothing but the row.
//#import status
struct Params {
    rows: u32,
    groups: u32,
    x_first: u32,
    vec4s: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.groups) {
        let row = at * 16u + lane / 16u;
        let first = params.x_first + min(row, params.rows - 1u) * params.vec4s;
        var sum = vec4<f32>();
        for (var i = lane % 16u; i < params.vec4s; i += 16u) {
            let value = x[first + i];
            sum = fma(value, value, sum);
        }
        sums[lane] = (sum.x + sum.y) + (sum.z + sum.w);
        for (var half = 8u; half > 0u; half = half / 2u) {
            workgroupBarrier();
            if (lane % 16u < half) {
                sums[lane] += sums[lane + half];
            }
        }
        if (lane % 16u == 0u && row < params.rows) {
            out[params.out_first + row] = sums[lane];
        }
    }
    mark_done(lane);
}
