// Sums blocks of 4096 values to 64 results each; run again over the results, until few are left for the host.
// A lane adds 64 values in pairs: 16 vec4, neighbouring lanes reading neighbouring ones.
// No barrier, a fixed order, and an error of six roundings a pass, so the bits are the same every run.
//#import status
struct Params {
    count: u32,
    first: u32,
    blocks: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

fn whole(at: u32) -> vec4<f32> {
    return x[params.first + at];
}

fn guarded(at: u32) -> vec4<f32> {
    let last = (params.count - 1u) / 4u;
    let element = 4u * at;
    let inside = vec4(element, element + 1u, element + 2u, element + 3u) < vec4(params.count);
    return select(vec4<f32>(), x[params.first + min(at, last)], inside);
}

fn add(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}

fn four_whole(at: u32) -> vec4<f32> {
    return (whole(at) + whole(at + 64u)) + (whole(at + 128u) + whole(at + 192u));
}

fn four_guarded(at: u32) -> vec4<f32> {
    return (guarded(at) + guarded(at + 64u)) + (guarded(at + 128u) + guarded(at + 192u));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if (block < params.blocks) {
        let at = block * 1024u + lane;
        var sum: vec4<f32>;
        if (4096u * (block + 1u) <= params.count) {
            sum = (four_whole(at) + four_whole(at + 256u)) + (four_whole(at + 512u) + four_whole(at + 768u));
        } else {
            sum = (four_guarded(at) + four_guarded(at + 256u)) + (four_guarded(at + 512u) + four_guarded(at + 768u));
        }
        out[params.out_first + block * 64u + lane] = add(sum);
    }
    mark_done(lane);
}
