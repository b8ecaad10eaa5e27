// Sums of the rows of each cluster in each run of rows, as weighted differences from the cluster's present centre.
// Sixteen lanes take four columns of one cluster's rows in one run, every sixteenth row each, so that a cluster that holds
// a whole run makes no long chain; neighbouring lanes read neighbouring columns of the same row. Weights are added too.
// Runs begin at fixed rows and sums are added in a fixed order: chunks do not show in the bits.
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

const ITEMS = 16u;
const SLICES = 16u;

fn weight(row: u32) -> f32 {
    if (WEIGHTED == 0u) {
        return 1.0;
    }
    return weights[params.weight_first + row];
}

fn difference(row: u32, vec4_index: u32, center: vec4<f32>) -> vec4<f32> {
    return weight(row) * (x[params.x_first + row * params.vec4s + vec4_index] - center);
}

var<workgroup> sums: array<vec4<f32>, 256>;
var<workgroup> totals: array<f32, 256>;

// Every sixteenth row of a segment, four of them on their way at a time.
fn slice_sum(segment: u32, vec4_index: u32, lane: u32) {
    let center = centers[params.center_first + (segment % params.clusters) * params.vec4s + vec4_index];
    let end = begins[segment + 1u];
    var at = begins[segment] + lane / ITEMS;
    var sum = vec4<f32>();
    var total = 0.0;
    for (; at + 3u * SLICES < end; at += 4u * SLICES) {
        let rows = vec4(order[at], order[at + SLICES], order[at + 2u * SLICES], order[at + 3u * SLICES]);
        let d0 = difference(rows.x, vec4_index, center);
        let d1 = difference(rows.y, vec4_index, center);
        let d2 = difference(rows.z, vec4_index, center);
        let d3 = difference(rows.w, vec4_index, center);
        sum += (d0 + d1) + (d2 + d3);
        total += (weight(rows.x) + weight(rows.y)) + (weight(rows.z) + weight(rows.w));
    }
    for (; at < end; at += SLICES) {
        sum += difference(order[at], vec4_index, center);
        total += weight(order[at]);
    }
    sums[lane] = sum;
    totals[lane] = total;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * ITEMS;
    if (first < params.items) {
        let item = first + lane % ITEMS;
        let segment = item / params.vec4s;
        let vec4_index = item % params.vec4s;
        if (item < params.items) {
            slice_sum(segment, vec4_index, lane);
        }
        for (var half = SLICES / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half * ITEMS) {
                sums[lane] += sums[lane + half * ITEMS];
                totals[lane] += totals[lane + half * ITEMS];
            }
        }
        if (lane < ITEMS && item < params.items) {
            partial[segment * (params.vec4s + 1u) + vec4_index] = sums[lane];
            if (vec4_index == 0u) {
                partial[segment * (params.vec4s + 1u) + params.vec4s] = vec4(totals[lane], 0.0, 0.0, 0.0);
            }
        }
    }
    mark_done(lane);
}
