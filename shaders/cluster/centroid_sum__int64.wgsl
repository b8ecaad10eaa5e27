// Sums of the rows of each cluster in each run of rows, to the bits of centroid_sum.
// A lane takes up to 64 columns of one cluster's rows in one run; rows are read as 64-bit words.
// For software drivers: one turn of the loop serves all these columns, and lanes wait for memory together.
//#import cluster_runs
//#import int64
@group(0) @binding(1) var<storage, read> x: array<vec2<u64>>;

// The vec4 of a row that a lane takes, at most 16, and how many lanes a row takes.
override VEC4S: u32 = 4u;
override PARTS: u32 = 1u;

// Lanes that read a run ahead: a subgroup of the widest software driver.
const AHEAD_LANES = 8u;

// Indices become constants when calls are inlined; else all this would be slow.
var<private> sums: array<vec4<f32>, 16>;
var<private> center: array<vec4<f32>, 16>;

fn begin_vec4(at: u32, last: u32, vec4_index: u32) {
    if (vec4_index < VEC4S) {
        center[vec4_index] = centers[at + min(vec4_index, last)];
        sums[vec4_index] = vec4<f32>();
    }
}

fn begin_four(at: u32, last: u32, vec4_index: u32) {
    begin_vec4(at, last, vec4_index);
    begin_vec4(at, last, vec4_index + 1u);
    begin_vec4(at, last, vec4_index + 2u);
    begin_vec4(at, last, vec4_index + 3u);
}

fn add_vec4(at: u32, last: u32, vec4_index: u32, factor: f32) {
    if (vec4_index < VEC4S) {
        sums[vec4_index] += factor * (halves(x[at + min(vec4_index, last)]) - center[vec4_index]);
    }
}

fn add_four(at: u32, last: u32, vec4_index: u32, factor: f32) {
    add_vec4(at, last, vec4_index, factor);
    add_vec4(at, last, vec4_index + 1u, factor);
    add_vec4(at, last, vec4_index + 2u, factor);
    add_vec4(at, last, vec4_index + 3u, factor);
}

fn store_vec4(at: u32, last: u32, vec4_index: u32) {
    if (vec4_index < VEC4S && vec4_index <= last) {
        partial[at + vec4_index] = sums[vec4_index];
    }
}

fn store_four(at: u32, last: u32, vec4_index: u32) {
    store_vec4(at, last, vec4_index);
    store_vec4(at, last, vec4_index + 1u);
    store_vec4(at, last, vec4_index + 2u);
    store_vec4(at, last, vec4_index + 3u);
}

// Reads one word of each cache line of the run, in their order, which the processor foresees; rows by cluster come in an
// order that it does not, and each would wait for memory. All ones is no finite number, so nothing is reported: the
// question only keeps the compiler from leaving the loads out.
fn read_ahead(run: u32, lane: u32) {
    let end = min((run + 1u) * params.run_rows, params.rows) * params.vec4s;
    let stride = 4u * min(AHEAD_LANES, PARTS * params.clusters);
    var largest = 0lu;
    for (var at = run * params.run_rows * params.vec4s + 4u * lane; at < end; at += stride) {
        largest = max(largest, x[params.x_first + at].x);
    }
    if (largest == 0xfffffffffffffffflu) {
        report_fault(params.clusters);
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.items) {
        let run_lane = item % (PARTS * params.clusters);
        if (run_lane < AHEAD_LANES) {
            read_ahead(item / (PARTS * params.clusters), run_lane);
        }
        let segment = segment_of(item / PARTS);
        // The lane's first vec4 of a row, and how many more there are behind it.
        let first = item % PARTS * VEC4S;
        let last = params.vec4s - 1u - first;
        let center_at = params.center_first + (segment / params.runs) * params.vec4s + first;
        begin_four(center_at, last, 0u);
        begin_four(center_at, last, 4u);
        begin_four(center_at, last, 8u);
        begin_four(center_at, last, 12u);
        let rows = segment_rows(segment);
        var total = 0.0;
        for (var at = rows.x; at < rows.y; at += 1u) {
            let row = order[at];
            let factor = weight(row);
            let row_at = params.x_first + row * params.vec4s + first;
            add_four(row_at, last, 0u, factor);
            add_four(row_at, last, 4u, factor);
            add_four(row_at, last, 8u, factor);
            add_four(row_at, last, 12u, factor);
            total += factor;
        }
        let to = segment * (params.vec4s + 1u) + first;
        store_four(to, last, 0u);
        store_four(to, last, 4u);
        store_four(to, last, 8u);
        store_four(to, last, 12u);
        if (first == 0u) {
            store_weight(segment, total);
        }
    }
    mark_done(lane);
}
