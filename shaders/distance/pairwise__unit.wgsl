// Divides each row by its norm; a row of zeros stays as it is.
// A lane takes a row, twice: once for the norm, once to write.
// Scaled by the largest value first, so that no square overflows or vanishes.
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
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 64u + lane;
    if (row < params.rows) {
        let first = params.x_first + row * params.vec4s;
        var largest = vec4<f32>();
        for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
            largest = max(largest, abs(x[first + vec4_index]));
        }
        let size = max(max(largest.x, largest.y), max(largest.z, largest.w));
        // The reciprocal of a number above 2¹²⁶ would not be normal; 2⁻¹²⁶ does as well there.
        let scale = select(select(1.0 / size, 1.1754944e-38, size > 8.5e37), 0.0, size == 0.0);
        var sum = vec4<f32>();
        for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
            let value = x[first + vec4_index] * scale;
            sum = fma(value, value, sum);
        }
        let norm = sqrt((sum.x + sum.y) + (sum.z + sum.w));
        let factor = select(1.0 / norm, 0.0, size == 0.0);
        for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
            out[params.out_first + row * params.vec4s + vec4_index] = x[first + vec4_index] * scale * factor;
        }
    }
    mark_done(lane);
}
