// Puts the rows of each run in the order of their clusters, rows of one cluster in their own order.
// A workgroup takes a run: counts by workgroup atomics, a scan of the counts, then 256 rows at a time; a row's place
// among those is how many before it have its label, so the order does not depend on which lane was first.
//#import status
struct Params {
    rows: u32,
    runs: u32,
    run_rows: u32,
    clusters: u32,
    label_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> labels: array<u32>;
@group(0) @binding(2) var<storage, read_write> order: array<u32>;
// Where the rows of each run and cluster begin in `order`, and where the last end.
@group(0) @binding(3) var<storage, read_write> begins: array<u32>;

// Clusters at once, twelve a lane: more of them take the run again.
const AT_ONCE = 3072u;
const LANE_CLUSTERS = 12u;

var<workgroup> places: array<atomic<u32>, AT_ONCE>;
var<workgroup> sums: array<u32, 256>;
var<workgroup> nearby: array<u32, 256>;

fn label_of(row: u32) -> u32 {
    return min(labels[params.label_first + row], params.clusters - 1u);
}

// Counts the run's rows of each of the clusters from `first` on.
fn count(first: u32, begin: u32, end: u32, lane: u32) {
    for (var at = lane; at < AT_ONCE; at += 256u) {
        atomicStore(&places[at], 0u);
    }
    workgroupBarrier();
    for (var row = begin + lane; row < end; row += 256u) {
        let label = labels[params.label_first + row];
        if (label >= params.clusters) {
            report_fault(label);
        }
        let at = label_of(row) - first;
        if (at < AT_ONCE) {
            atomicAdd(&places[at], 1u);
        }
    }
    workgroupBarrier();
}

// Turns counts into places from `base` on, and returns how many rows there were.
fn scan(run: u32, first: u32, base: u32, lane: u32) -> u32 {
    var mine = 0u;
    for (var at = 0u; at < LANE_CLUSTERS; at += 1u) {
        mine += atomicLoad(&places[LANE_CLUSTERS * lane + at]);
    }
    sums[lane] = mine;
    workgroupBarrier();
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        var before = 0u;
        if (lane >= reach) {
            before = sums[lane - reach];
        }
        workgroupBarrier();
        sums[lane] += before;
        workgroupBarrier();
    }
    var place = base + sums[lane] - mine;
    for (var at = LANE_CLUSTERS * lane; at < LANE_CLUSTERS * lane + LANE_CLUSTERS; at += 1u) {
        let rows = atomicLoad(&places[at]);
        atomicStore(&places[at], place);
        if (first + at < params.clusters) {
            begins[run * params.clusters + first + at] = place;
        }
        place += rows;
    }
    return sums[255];
}

fn put(first: u32, begin: u32, end: u32, lane: u32) {
    let row = begin + lane;
    var label = 0xffffffffu;
    if (row < end) {
        label = label_of(row);
    }
    nearby[lane] = label;
    workgroupBarrier();
    var rank = 0u;
    var same = 0u;
    for (var other = 0u; other < 256u; other += 1u) {
        let equal = select(0u, 1u, nearby[other] == label);
        same += equal;
        rank += select(0u, equal, other < lane);
    }
    let at = label - first;
    let mine = row < end && at < AT_ONCE;
    var place = 0u;
    if (mine) {
        place = atomicLoad(&places[at]) + rank;
        order[place] = row;
    }
    workgroupBarrier();
    if (mine && rank + 1u == same) {
        atomicStore(&places[at], place + 1u);
    }
    workgroupBarrier();
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let run = group.y * groups.x + group.x;
    if (run < params.runs) {
        let begin = run * params.run_rows;
        let end = min(begin + params.run_rows, params.rows);
        var base = begin;
        for (var first = 0u; first < params.clusters; first += AT_ONCE) {
            count(first, begin, end, lane);
            base += scan(run, first, base, lane);
            workgroupBarrier();
            for (var row = begin; row < end; row += 256u) {
                put(first, row, end, lane);
            }
        }
        if (lane == 0u && run + 1u == params.runs) {
            begins[params.runs * params.clusters] = params.rows;
        }
    }
    mark_done(lane);
}
