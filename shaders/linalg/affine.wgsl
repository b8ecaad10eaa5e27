// Each value by the straight line of its column: (x − center)·factor + base.
// A lane takes four columns of a row; neighbouring lanes take neighbouring columns.
// A missing value is copied as it is: it is found by its bits, because a compiler may take it that there is no NaN.
//#import status
struct Params {
    items: u32,
    vec4s: u32,
    x_first: u32,
    line_first: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<u32>>;
// Centres, what rounding left of them, factors and bases, one behind the other.
@group(0) @binding(2) var<storage, read> lines: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let bits = x[params.x_first + item];
        let at = params.line_first + item % params.vec4s;
        let missing = (bits & vec4(0x7fffffffu)) > vec4(0x7f800000u);
        // The arithmetic sees 0 in place of a missing value.
        let value = bitcast<vec4<f32>>(select(bits, vec4<u32>(), missing));
        let centred = (value - lines[at]) - lines[at + params.vec4s];
        let moved = fma(centred, lines[at + 2u * params.vec4s], lines[at + 3u * params.vec4s]);
        out[params.out_first + item] = select(bitcast<vec4<u32>>(moved), bits, missing);
    }
    mark_done(lane);
}
