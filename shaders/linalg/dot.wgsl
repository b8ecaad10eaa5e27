// Σx·y, or Σx, of each block of 4096 values; run again over the results until few are left, or one.
// A workgroup takes a block: a lane adds sixteen products in pairs, then the lanes halve through workgroup memory.
// Always in the same order, so the bits are the same every run.
//#import status
struct Params {
    count: u32,
    blocks: u32,
    x_first: u32,
    y_first: u32,
    out_first: u32,
}

// 0: the sum of x alone.
override PAIRED: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

var<workgroup> sums: array<f32, 256>;

fn term(at: u32) -> vec4<f32> {
    let held = min(at, (params.count - 1u) / 4u);
    var value = x[params.x_first + held];
    if (PAIRED == 1u) {
        value *= y[params.y_first + held];
    }
    let inside = vec4(4u * at) + vec4(0u, 1u, 2u, 3u) < vec4(params.count);
    return select(vec4<f32>(), value, inside);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    let at = block * 1024u + lane;
    let sum = (term(at) + term(at + 256u)) + (term(at + 512u) + term(at + 768u));
    sums[lane] = (sum.x + sum.y) + (sum.z + sum.w);
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            sums[lane] += sums[lane + half];
        }
    }
    if (lane == 0u && block < params.blocks) {
        out[params.out_first + block] = sums[0];
    }
    mark_done(lane);
}
