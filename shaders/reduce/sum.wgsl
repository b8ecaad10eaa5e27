// Sums blocks of 4096 values, one result a block; the host adds the blocks in f64.
// A workgroup takes a block: 16 values a lane, added in pairs, then a tree over the lanes.
// Adding in pairs keeps the error at a dozen roundings and the order fixed, so the bits are the same every run.
//#import status
struct Params {
    count: u32,
    first: u32,
    blocks: u32,
    out_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

var<workgroup> partial: array<f32, 256>;

fn value(at: u32) -> f32 {
    return select(0.0, x[params.first + min(at, params.count - 1u)], at < params.count);
}

fn pair(at: u32) -> f32 {
    return value(at) + value(at + 256u);
}

fn eight(at: u32) -> f32 {
    return (pair(at) + pair(at + 512u)) + (pair(at + 1024u) + pair(at + 1536u));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if (block < params.blocks) {
        let at = block * 4096u + lane;
        partial[lane] = eight(at) + eight(at + 2048u);
        for (var half = 128u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                partial[lane] += partial[lane + half];
            }
        }
        if (lane == 0u) {
            out[params.out_first + block] = partial[0];
        }
    }
    mark_done(lane);
}
