// Adds the sums of neighbouring runs, of neighbours of those, and so on, each time a few in their order.
// A lane takes four columns of one cluster, or its weight, of one group of runs; neighbouring lanes read neighbouring
// sums. Groups begin at fixed runs, and a group that an earlier block of rows began goes on from there: blocks do not show.
//#import status
struct Params {
    items: u32,
    runs: u32,
    first_run: u32,
    fan: u32,
    clusters: u32,
    vec4s: u32,
    sum_first: u32,
    count_first: u32,
    last: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partial: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> counts: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let width = params.clusters * (params.vec4s + 1u);
        let place = item % width;
        let at = params.first_run / params.fan + item / width;
        let first = max(at * params.fan, params.first_run);
        let end = min(at * params.fan + params.fan, params.first_run + params.runs);
        var sum = vec4<f32>();
        if (at * params.fan < first) {
            sum = out[at * width + place];
        }
        for (var run = first; run < end; run += 1u) {
            sum += partial[(run - params.first_run) * width + place];
        }
        let cluster = place / (params.vec4s + 1u);
        let vec4_index = place % (params.vec4s + 1u);
        if (params.last == 0u) {
            out[at * width + place] = sum;
        } else if (vec4_index < params.vec4s) {
            sums[params.sum_first + cluster * params.vec4s + vec4_index] = sum;
        } else {
            counts[params.count_first + cluster] = sum.x;
        }
    }
    mark_done(lane);
}
