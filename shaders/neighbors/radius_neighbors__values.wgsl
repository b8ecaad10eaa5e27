// The distance of each pair that was found, before its root; the pair's query makes way for it, its column stays.
// A lane takes a pair and both its rows, in the order in which the tile went through them.
// Found pairs are few beside all pairs, so computing them again is cheaper than storing what was not found.
//#import metric
//#import status
struct Params {
    pairs: u32,
    a_first: u32,
    a_vec4s: u32,
    b_first: u32,
    b_vec4s: u32,
    depth_vec4s: u32,
    limit: f32,
    order: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.pairs) {
        let pair = pairs[item];
        let row = params.a_first + pair.x * params.a_vec4s;
        let column = params.b_first + pair.y * params.b_vec4s;
        var sum = vec4<f32>();
        for (var vec4_index = 0u; vec4_index < params.depth_vec4s; vec4_index += 1u) {
            let x = a[row + vec4_index];
            let y = b[column + vec4_index];
            sum = metric_step(sum, x.x, vec4(y.x), params.order);
            sum = metric_step(sum, x.y, vec4(y.y), params.order);
            sum = metric_step(sum, x.z, vec4(y.z), params.order);
            sum = metric_step(sum, x.w, vec4(y.w), params.order);
        }
        // A compiler may round this sum otherwise than the tile's, which decided: it does not leave the radius again.
        pairs[item].x = bitcast<u32>(min(metric_values(sum).x, params.limit));
    }
    mark_done(lane);
}
