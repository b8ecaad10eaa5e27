// What the product form of the k nearest takes off every row, and for each row of Y half of what remains of its square.
// First, with POINT, one workgroup makes the point, the mean of up to 64 rows; then sixteen lanes take a row in strides of
// a vec4. Any point serves: the bound in k_nearest__settle holds for what was taken off.
// A row's own part of the error, `slack` of its square, is taken off here, so that lists order by lower bounds.
//#import status
struct Params {
    rows: u32,
    groups: u32,
    y_first: u32,
    vec4s: u32,
    slack: f32,
}

override POINT: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> y: array<vec4<f32>>;
// The bits of the largest square, and three words that nobody reads; the point; a number for each row.
@group(0) @binding(2) var<storage, read_write> centred: array<atomic<u32>>;

const SAMPLE = 64u;

var<workgroup> sums: array<f32, 256>;

fn store(at: u32, value: f32) {
    atomicStore(&centred[at], bitcast<u32>(value));
}

fn make_point(lane: u32) {
    let count = min(params.rows, SAMPLE);
    for (var vec4_index = lane; vec4_index < params.vec4s; vec4_index += 256u) {
        var sum = vec4<f32>();
        for (var at = 0u; at < count; at += 1u) {
            sum += y[params.y_first + at * (params.rows / count) * params.vec4s + vec4_index] / f32(count);
        }
        let first = 4u + 4u * vec4_index;
        store(first, sum.x);
        store(first + 1u, sum.y);
        store(first + 2u, sum.z);
        store(first + 3u, sum.w);
    }
    if (lane == 0u) {
        atomicStore(&centred[0], 0u);
    }
}

fn point(vec4_index: u32) -> vec4<f32> {
    let first = 4u + 4u * vec4_index;
    let words = vec4(
        atomicLoad(&centred[first]),
        atomicLoad(&centred[first + 1u]),
        atomicLoad(&centred[first + 2u]),
        atomicLoad(&centred[first + 3u]),
    );
    return bitcast<vec4<f32>>(words);
}

fn halve_squares(group: u32, lane: u32) {
    let row = group * 16u + lane / 16u;
    let first = params.y_first + min(row, params.rows - 1u) * params.vec4s;
    var sum = vec4<f32>();
    for (var i = lane % 16u; i < params.vec4s; i += 16u) {
        let value = y[first + i] - point(i);
        sum = fma(value, value, sum);
    }
    sums[lane] = (sum.x + sum.y) + (sum.z + sum.w);
    for (var half = 8u; half > 0u; half = half / 2u) {
        workgroupBarrier();
        if (lane % 16u < half) {
            sums[lane] += sums[lane + half];
        }
    }
    if (lane % 16u == 0u && row < params.rows) {
        store(4u + 4u * params.vec4s + row, 0.5 * sums[lane] * (1.0 - params.slack));
        atomicMax(&centred[0], bitcast<u32>(sums[lane]));
    }
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.groups) {
        if (POINT == 1u) {
            make_point(lane);
        } else {
            halve_squares(at, lane);
        }
    }
    mark_done(lane);
}
