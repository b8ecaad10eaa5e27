// y = A·x: the product of each row with a vector.
// A lane takes a row, four columns at a time; the vector stays in the cache.
// A fixed order: the result of a row depends on nothing but the row.
//#import status
struct Params {
    rows: u32,
    a_first: u32,
    quads: u32,
    out_first: u32,
    x_first: u32,
    columns: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 64u + lane;
    if (row < params.rows) {
        let first = params.a_first + row * params.quads;
        var even = vec4<f32>();
        var odd = vec4<f32>();
        let whole = params.columns / 4u;
        var quad = 0u;
        for (; quad + 3u < whole; quad += 4u) {
            even = fma(a[first + quad], x[params.x_first + quad], even);
            odd = fma(a[first + quad + 1u], x[params.x_first + quad + 1u], odd);
            even = fma(a[first + quad + 2u], x[params.x_first + quad + 2u], even);
            odd = fma(a[first + quad + 3u], x[params.x_first + quad + 3u], odd);
        }
        for (; quad < whole; quad += 1u) {
            even = fma(a[first + quad], x[params.x_first + quad], even);
        }
        // Behind the end of the vector there may be anything.
        if (4u * whole < params.columns) {
            let inside = vec4(4u * whole) + vec4(0u, 1u, 2u, 3u) < vec4(params.columns);
            odd = fma(a[first + whole], select(vec4<f32>(), x[params.x_first + whole], inside), odd);
        }
        let sum = even + odd;
        y[params.out_first + row] = (sum.x + sum.y) + (sum.z + sum.w);
    }
    mark_done(lane);
}
