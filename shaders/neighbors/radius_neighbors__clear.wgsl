// Zeroes the bits of a search within a radius, and their counts.
// A lane takes four words, neighbouring lanes neighbouring words.
// Bits are only ever set, by several lanes a word, so a search must begin with none.
//#import status
struct Params {
    vec4s: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> found: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (at < params.vec4s) {
        found[at] = vec4<u32>();
    }
    mark_done(lane);
}
