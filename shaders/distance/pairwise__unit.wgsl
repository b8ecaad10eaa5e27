// Divides each row by its norm; a row of zeros stays as it is.
// A lane takes a row, twice: once for the norm, once to write.
// Scaled by the power of two of the largest value first, so that no square overflows or vanishes; in integers, so that
// rows of denormals have a direction on drivers that flush them, too.
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

// The values by the biased exponent of the row's largest: m·2^(e − 150) becomes m·2^(e − exponent − 23). Largest 1 to 2.
fn scaled_down(values: vec4<f32>, exponent: u32) -> vec4<f32> {
    let bits = bitcast<vec4<u32>>(values);
    let own = (bits >> vec4(23u)) & vec4(0xffu);
    let mantissa = (bits & vec4(0x7fffffu)) | select(vec4<u32>(), vec4(0x800000u), own > vec4<u32>());
    let power = vec4<i32>(max(own, vec4(1u))) - vec4(i32(exponent)) + vec4(104);
    let factor = bitcast<vec4<f32>>(max(power, vec4<i32>()) << vec4(23u));
    let size = vec4<f32>(mantissa) * factor;
    return select(size, -size, (bits >> vec4(31u)) == vec4(1u));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 64u + lane;
    if (row < params.rows) {
        let first = params.x_first + row * params.vec4s;
        var largest = vec4<u32>();
        for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
            largest = max(largest, bitcast<vec4<u32>>(x[first + vec4_index]) & vec4(0x7fffffffu));
        }
        let size = max(max(largest.x, largest.y), max(largest.z, largest.w));
        let exponent = max(size >> 23u, 1u);
        var sum = vec4<f32>();
        for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
            let value = scaled_down(x[first + vec4_index], exponent);
            sum = fma(value, value, sum);
        }
        let factor = select(1.0 / sqrt((sum.x + sum.y) + (sum.z + sum.w)), 0.0, size == 0u);
        for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
            let value = scaled_down(x[first + vec4_index], exponent);
            out[params.out_first + row * params.vec4s + vec4_index] = value * factor;
        }
    }
    mark_done(lane);
}
