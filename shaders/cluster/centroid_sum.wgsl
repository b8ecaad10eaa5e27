// Sums of the rows of each cluster in each run of rows, as weighted differences from the cluster's present centre.
// A lane takes four columns of one cluster's rows in one run, in their order; the first of them adds up the weights too.
// Neighbouring lanes read neighbouring columns of the same row. Runs begin at fixed rows: chunks do not show in the bits.
//#import status
struct Params {
    items: u32,
    clusters: u32,
    vec4s: u32,
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
@group(0) @binding(5) var<storage, read> begins: array<u32>;
// For each run and cluster: the sums, then the weight.
@group(0) @binding(6) var<storage, read_write> partial: array<vec4<f32>>;

fn weight(row: u32) -> f32 {
    if (WEIGHTED == 0u) {
        return 1.0;
    }
    return weights[params.weight_first + row];
}

fn difference(row: u32, vec4_index: u32, center: vec4<f32>) -> vec4<f32> {
    return weight(row) * (x[params.x_first + row * params.vec4s + vec4_index] - center);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let segment = item / params.vec4s;
        let vec4_index = item % params.vec4s;
        let center = centers[params.center_first + (segment % params.clusters) * params.vec4s + vec4_index];
        let end = begins[segment + 1u];
        var at = begins[segment];
        var sum = vec4<f32>();
        var total = 0.0;
        // Four rows are on their way at a time.
        for (; at + 3u < end; at += 4u) {
            let rows = vec4(order[at], order[at + 1u], order[at + 2u], order[at + 3u]);
            let d0 = difference(rows.x, vec4_index, center);
            let d1 = difference(rows.y, vec4_index, center);
            let d2 = difference(rows.z, vec4_index, center);
            let d3 = difference(rows.w, vec4_index, center);
            sum += (d0 + d1) + (d2 + d3);
            total += (weight(rows.x) + weight(rows.y)) + (weight(rows.z) + weight(rows.w));
        }
        for (; at < end; at += 1u) {
            sum += difference(order[at], vec4_index, center);
            total += weight(order[at]);
        }
        partial[segment * (params.vec4s + 1u) + vec4_index] = sum;
        if (vec4_index == 0u) {
            partial[segment * (params.vec4s + 1u) + params.vec4s] = vec4(total, 0.0, 0.0, 0.0);
        }
    }
    mark_done(lane);
}
