// Sums of the rows of each cluster in each run of rows, as weighted differences from the cluster's present centre.
// A lane takes four columns of one cluster's rows in one run, in their order; one more lane adds the weights.
// Runs begin at fixed rows and rows keep their order, so the bits depend on neither chunks nor timing.
//#import status
struct Params {
    items: u32,
    runs: u32,
    quads: u32,
    x_first: u32,
    center_first: u32,
    weight_first: u32,
}

// 1 if each row has a weight of its own.
override WEIGHTED: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> centers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
@group(0) @binding(4) var<storage, read> order: array<u32>;
@group(0) @binding(5) var<storage, read> ends: array<u32>;
@group(0) @binding(6) var<storage, read_write> partial: array<vec4<f32>>;

fn weight(row: u32) -> f32 {
    if (WEIGHTED == 0u) {
        return 1.0;
    }
    return weights[params.weight_first + row];
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let segment = item / (params.quads + 1u);
        let quad = item % (params.quads + 1u);
        var begin = 0u;
        if (segment > 0u) {
            begin = ends[segment - 1u];
        }
        let end = ends[segment];
        var sum = vec4<f32>();
        if (quad < params.quads) {
            let center = centers[params.center_first + (segment / params.runs) * params.quads + quad];
            for (var at = begin; at < end; at += 1u) {
                let row = order[at];
                sum += weight(row) * (x[params.x_first + row * params.quads + quad] - center);
            }
        } else {
            for (var at = begin; at < end; at += 1u) {
                sum.x += weight(order[at]);
            }
        }
        partial[item] = sum;
    }
    mark_done(lane);
}
