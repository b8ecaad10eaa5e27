// Takes a common point off the centres, so that products of them with centred rows lose little, and halves their squares.
// A workgroup takes a centre; every one of them makes the point again, the mean of up to 16 centres.
// Any point serves: the bound in assign__product holds for what was taken off, and only grows with the distance.
//#import status
struct Params {
    centers: u32,
    center_first: u32,
    vec4s: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> centers: array<vec4<f32>>;
// The point, the centres without it, and half of the square of each of these.
@group(0) @binding(2) var<storage, read_write> centred: array<f32>;

const SAMPLE = 16u;

var<workgroup> partial: array<f32, 64>;

fn mean(vec4_index: u32) -> vec4<f32> {
    var sum = vec4<f32>();
    for (var at = 0u; at < SAMPLE; at += 1u) {
        let center = min(at * max(params.centers / SAMPLE, 1u), params.centers - 1u);
        sum += 0.0625 * centers[params.center_first + center * params.vec4s + vec4_index];
    }
    return sum;
}

fn store(at: u32, value: vec4<f32>) {
    centred[4u * at] = value.x;
    centred[4u * at + 1u] = value.y;
    centred[4u * at + 2u] = value.z;
    centred[4u * at + 3u] = value.w;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let center = group.y * groups.x + group.x;
    if (center < params.centers) {
        var sum = 0.0;
        for (var vec4_index = lane; vec4_index < params.vec4s; vec4_index += 64u) {
            let point = mean(vec4_index);
            let value = centers[params.center_first + center * params.vec4s + vec4_index] - point;
            store((center + 1u) * params.vec4s + vec4_index, value);
            if (center == 0u) {
                store(vec4_index, point);
            }
            sum += dot(value, value);
        }
        partial[lane] = sum;
        for (var half = 32u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                partial[lane] += partial[lane + half];
            }
        }
        if (lane == 0u) {
            centred[4u * (params.centers + 1u) * params.vec4s + center] = 0.5 * partial[0];
        }
    }
    mark_done(lane);
}
