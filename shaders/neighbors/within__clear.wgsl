// Zeroes the bits of a search within a radius, and their counts.
// A lane takes every 65,536th word at most, neighbouring lanes neighbouring words.
// Bits are only ever set, by several lanes a word, so a search must begin with none.
//#import status
struct Params {
    words: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * 64u + lane;
    for (var at = first; at < params.words; at += params.stride) {
        found[at] = 0u;
    }
    mark_done(lane);
}
