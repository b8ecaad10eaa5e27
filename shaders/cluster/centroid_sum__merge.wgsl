// Adds the runs' sums of each cluster, in their order, to what earlier blocks of rows left.
// A lane takes four columns of one cluster, or its weight; neighbouring lanes read neighbouring sums.
// One chain of additions over all runs: cutting the rows into blocks between two runs changes nothing.
//#import status
struct Params {
    items: u32,
    runs: u32,
    vec4s: u32,
    sum_first: u32,
    count_first: u32,
    fresh: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partial: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> counts: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let cluster = item / (params.vec4s + 1u);
        let vec4_index = item % (params.vec4s + 1u);
        var sum = vec4<f32>();
        if (params.fresh == 0u && vec4_index < params.vec4s) {
            sum = sums[params.sum_first + cluster * params.vec4s + vec4_index];
        } else if (params.fresh == 0u) {
            sum.x = counts[params.count_first + cluster];
        }
        for (var run = 0u; run < params.runs; run += 1u) {
            sum += partial[(cluster * params.runs + run) * (params.vec4s + 1u) + vec4_index];
        }
        if (vec4_index < params.vec4s) {
            sums[params.sum_first + cluster * params.vec4s + vec4_index] = sum;
        } else {
            counts[params.count_first + cluster] = sum.x;
        }
    }
    mark_done(lane);
}
