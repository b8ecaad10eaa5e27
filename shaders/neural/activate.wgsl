// Activation and dropout where a layer has no product, and the way back from slopes by its values.
// A lane takes four numbers of a row, neighbours take neighbouring ones.
// Padding is 0 and stays so.
//#import layer_tail
//#import status
struct Params {
    vec4s: u32,
    row_vec4s: u32,
    columns: u32,
    drop_scale: f32,
    drop_kept: f32,
    drop_threshold: u32,
    drop_step: u32,
    key_low: u32,
    key_high: u32,
}

// 0 values, 1 slopes.
override BACK: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> saved: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

fn dropped() -> Drop {
    let key = vec2(params.key_low, params.key_high);
    return Drop(params.drop_scale, params.drop_kept, params.drop_threshold, params.drop_step, key);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (at < params.vec4s) {
        var value = x[at];
        if (BACK == 1u) {
            value = tail_backward(dropped(), at, value, saved[at]);
        } else {
            value = tail_forward(dropped(), at, value);
        }
        let inside = vec4(4u * (at % params.row_vec4s)) + vec4(0u, 1u, 2u, 3u) < vec4(params.columns);
        out[at] = select(vec4<f32>(), value, inside);
    }
    mark_done(lane);
}
