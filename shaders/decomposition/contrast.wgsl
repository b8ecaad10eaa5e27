// The contrast g of each value of W·Z, in its place, and sums of its slope g′.
// A workgroup takes 1024 neighbouring values of a row, a lane four of them; it halves its sums through workgroup memory.
// The host adds the sums of a row in f64, in their order, so no long chain of roundings is made here.
//#import elementary
//#import status
struct Params {
    groups: u32,
    row_groups: u32,
    columns: u32,
    vec4s: u32,
    y_first: u32,
    sum_first: u32,
    a: f32,
}

// 0: tanh(a·y). 1: y·exp(−y²/2). 2: y³.
override FUNCTION: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> sums: array<f32>;

var<workgroup> partial: array<f32, 256>;

// g and g′ of a value.
fn contrast(value: f32) -> vec2<f32> {
    if (FUNCTION == 0u) {
        let power = exponential(clamp(2.0 * params.a * value, -80.0, 80.0));
        let g = 1.0 - 2.0 / (power + 1.0);
        return vec2(g, params.a * (1.0 - g * g));
    }
    let square = value * value;
    if (FUNCTION == 1u) {
        let e = exponential(max(-0.5 * square, -80.0));
        return vec2(value * e, (1.0 - square) * e);
    }
    return vec2(square * value, 3.0 * square);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    let row = min(at, params.groups - 1u) / params.row_groups;
    let part = min(at, params.groups - 1u) % params.row_groups;
    let column = 256u * part + lane;
    let inside = at < params.groups && column < params.vec4s;
    let place = params.y_first + row * params.vec4s + min(column, params.vec4s - 1u);
    let value = y[place];
    let parts = array(contrast(value.x), contrast(value.y), contrast(value.z), contrast(value.w));
    let slopes = vec4(parts[0].y, parts[1].y, parts[2].y, parts[3].y);
    // What fills a row up to whole vectors is 0, as its g is, but its slope need not be.
    let counted = vec4(0u, 1u, 2u, 3u) + 4u * column < vec4(params.columns);
    let kept = select(vec4<f32>(), slopes, counted);
    partial[lane] = select(0.0, (kept.x + kept.y) + (kept.z + kept.w), inside);
    if (inside) {
        y[place] = vec4(parts[0].x, parts[1].x, parts[2].x, parts[3].x);
    }
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            partial[lane] += partial[lane + half];
        }
    }
    workgroupBarrier();
    if (lane == 0u && at < params.groups) {
        sums[params.sum_first + at] = partial[0];
    }
    mark_done(lane);
}
