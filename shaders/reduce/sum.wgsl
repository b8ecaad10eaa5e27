// Sums blocks of 4096 values to 64 results each; run again over the results, until few are left for the host.
// A lane adds 64 values in pairs: 16 vec4, neighbouring lanes reading neighbouring ones.
// A fixed order, so the bits are the same every run; only the last, shorter block is read with care (GUARDED 1).
//#import status
struct Params {
    count: u32,
    first: u32,
    blocks: u32,
    out_first: u32,
}

override GUARDED: u32 = 0u;

// Blocks of one workgroup: starting one costs as much as reading some thousand values.
const BLOCKS = 8u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

fn value(at: u32) -> vec4<f32> {
    if (GUARDED == 0u) {
        return x[params.first + at];
    }
    let inside = vec4(4u * at) + vec4(0u, 1u, 2u, 3u) < vec4(params.count);
    return select(vec4<f32>(), x[params.first + min(at, (params.count - 1u) / 4u)], inside);
}

fn four(at: u32) -> vec4<f32> {
    return (value(at) + value(at + 64u)) + (value(at + 128u) + value(at + 192u));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first_block = (group.y * groups.x + group.x) * BLOCKS;
    let end = min(first_block + BLOCKS, params.blocks);
    for (var block = first_block; block < end; block += 1u) {
        let at = block * 1024u + lane;
        var sum = vec4<f32>();
        // A loop, because sixteen loads at once are more than the registers hold.
        for (var half = 0u; half < 1024u; half += 512u) {
            sum += four(at + half) + four(at + half + 256u);
        }
        out[params.out_first + block * 64u + lane] = (sum.x + sum.y) + (sum.z + sum.w);
    }
    mark_done(lane);
}
