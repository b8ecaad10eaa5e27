// Adds the layers of a split depth of X·W in their order, then bias, activation and dropout: the values of a dense layer.
// One lane for four columns; a layer is a whole copy of the result.
// In a fixed order, so the result does not depend on how many layers one pass could hold.
//#import layer_tail
//#import status
struct Params {
    columns: u32,
    vec4s: u32,
    row_vec4s: u32,
    out_first: u32,
    out_vec4s: u32,
    layers: u32,
    layer_vec4s: u32,
    column_first: u32,
    finish: u32,
    alpha: f32,
    beta: f32,
    pad: u32,
    low: vec4<f32>,
    high: vec4<f32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partial: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> bias: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (at < params.vec4s) {
        let to = params.out_first + (at / params.row_vec4s) * params.out_vec4s + at % params.row_vec4s;
        var sum = vec4<f32>();
        if (params.beta != 0.0) {
            sum = params.beta * out[to];
        }
        for (var layer = 0u; layer < params.layers; layer += 1u) {
            sum = fma(vec4(params.alpha), partial[layer * params.layer_vec4s + at], sum);
        }
        if (params.finish == 1u) {
            let column = 4u * (at % params.row_vec4s);
            let inside = vec4(column) + vec4(0u, 1u, 2u, 3u) < vec4(params.columns);
            let item = (at / params.row_vec4s) * params.out_vec4s + column / 4u;
            let value = tail_forward(drop_of(params.low, params.high), item, sum + bias[(params.column_first + column) / 4u]);
            sum = select(vec4<f32>(), value, inside);
        }
        out[to] = sum;
    }
    mark_done(lane);
}
