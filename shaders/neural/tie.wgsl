// Slopes of two blocks of weights of which one is the other turned: each gets the sum of both, so that equal weights stay equal.
// A lane takes one weight of the first block and its twin of the second.
// Tied weights are so two blocks like others for all layers, and one small kernel a step.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    first: u32,
    stride: u32,
    turned_first: u32,
    turned_stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> gradient: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 256u + lane;
    if (at < params.rows * params.columns) {
        let row = at / params.columns;
        let column = at % params.columns;
        let one = params.first + row * params.stride + column;
        let other = params.turned_first + column * params.turned_stride + row;
        let sum = gradient[one] + gradient[other];
        gradient[one] = sum;
        gradient[other] = sum;
    }
    mark_done(lane);
}
