// The rows of each cluster in each run of rows: what both variants of their sums read and write.
// Sums are of weighted differences from the cluster's present centre, rows in their order: the same bits in every variant.
// Runs begin at fixed rows, so the bits depend on neither chunks nor timing. The importing shader binds X at 1.
//#import status
struct Params {
    items: u32,
    rows: u32,
    runs: u32,
    run_rows: u32,
    clusters: u32,
    vec4s: u32,
    x_first: u32,
    center_first: u32,
    weight_first: u32,
}

// 1 if each row has a weight of its own.
override WEIGHTED: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read> centers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
@group(0) @binding(4) var<storage, read> order: array<u32>;
@group(0) @binding(5) var<storage, read> ends: array<u32>;
// For each cluster and run: the sums, then the weight.
@group(0) @binding(6) var<storage, read_write> partial: array<vec4<f32>>;

fn weight(row: u32) -> f32 {
    if (WEIGHTED == 0u) {
        return 1.0;
    }
    return weights[params.weight_first + row];
}

// Clusters of one run follow each other: lanes that run together then read the same stretch of X.
fn segment_of(place: u32) -> u32 {
    return (place % params.clusters) * params.runs + place / params.clusters;
}

// Where a segment's rows begin and end in `order`.
fn segment_rows(segment: u32) -> vec2<u32> {
    var begin = 0u;
    if (segment > 0u) {
        begin = ends[segment - 1u];
    }
    return vec2(begin, ends[segment]);
}

fn store_weight(segment: u32, total: f32) {
    partial[segment * (params.vec4s + 1u) + params.vec4s] = vec4(total, 0.0, 0.0, 0.0);
}
