// y = f(x), or y = f(x, y), value by value: lines, bounds, squares, exponentials; sums, products, minima of two vectors.
// A lane takes four neighbouring values, 1024 a workgroup; what it does with them is a number in the parameters.
// One shader for all of it, because reading and writing takes longer than any.
//#import elementary
//#import status
struct Params {
    vec4s: u32,
    x_first: u32,
    y_first: u32,
    function: u32,
    a: f32,
    b: f32,
}

// 1: x is what y holds.
override IN_PLACE: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;

fn mapped(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    switch params.function {
        case 0u: { return params.a * x + params.b; }
        case 1u: { return clamp(x, vec4(params.a), vec4(params.b)); }
        case 2u: { return x * x; }
        case 3u: { return vec4(exponential(x.x), exponential(x.y), exponential(x.z), exponential(x.w)); }
        case 4u: { return params.a * x + params.b * y; }
        case 5u: { return x * y; }
        case 6u: { return min(x, y); }
        case 7u: { return max(x, y); }
        case 8u: { return x / max(y, vec4(params.a)); }
        default: { return x; }
    }
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 256u + lane;
    if (at < params.vec4s) {
        let present = y[params.y_first + at];
        if (IN_PLACE == 1u) {
            y[params.y_first + at] = mapped(present, present);
        } else {
            y[params.y_first + at] = mapped(x[params.x_first + at], present);
        }
    }
    mark_done(lane);
}
