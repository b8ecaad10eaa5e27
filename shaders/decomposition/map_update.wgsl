// The units of a map at their sums over their counts; a unit without a count stays.
// A lane takes four numbers of a unit, 1024 a workgroup.
// Beside the products that make the sums this is nothing; it is here so that an epoch needs no wait.
//#import status
struct Params {
    items: u32,
    vec4s: u32,
    sum_first: u32,
    count_first: u32,
    unit_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> counts: array<f32>;
@group(0) @binding(3) var<storage, read_write> units: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 256u + lane;
    if (item < params.items) {
        let count = counts[params.count_first + item / params.vec4s];
        if (count > 0.0) {
            units[params.unit_first + item] = sums[params.sum_first + item] / count;
        }
    }
    mark_done(lane);
}
