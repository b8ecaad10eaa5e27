// The k least of each row: of entries kept from earlier columns and of a block of distances; in the order of indices.
// A workgroup takes a row: four passes over the bits narrow down the k-th distance, a last one writes what is not farther.
// Equal distances go to the lowest indices: each lane takes a stretch of the row and knows what the lanes before it keep.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    x_vec4s: u32,
    kept: u32,
    wanted: u32,
    entries_stride: u32,
    first_index: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read> entries: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> selected: array<vec2<u32>>;

// One subgroup of most devices, where a barrier costs nothing.
const LANES = 64u;

var<workgroup> bins: array<atomic<u32>, 256>;
var<workgroup> sums: array<vec2<u32>, LANES>;
// The bits known so far, and how many of the row's values with these bits are wanted.
var<workgroup> known: vec2<u32>;

fn element(row: u32, at: u32) -> vec2<u32> {
    if (at < params.kept) {
        return entries[row * params.entries_stride + at];
    }
    let column = at - params.kept;
    return vec2(x[row * params.x_vec4s * 4u + column], params.first_index + column);
}

// Sums over the lanes up to each one, in place.
fn scan(lane: u32) {
    for (var reach = 1u; reach < LANES; reach *= 2u) {
        workgroupBarrier();
        var before = vec2<u32>();
        if (lane >= reach) {
            before = sums[lane - reach];
        }
        workgroupBarrier();
        sums[lane] += before;
    }
    workgroupBarrier();
}

// Eight bits more of the k-th value; a lane takes four neighbouring bins.
fn narrow(row: u32, count: u32, shift: u32, lane: u32) {
    for (var bin = 4u * lane; bin < 4u * lane + 4u; bin += 1u) {
        atomicStore(&bins[bin], 0u);
    }
    workgroupBarrier();
    let prefix = known.x;
    let wanted = known.y;
    for (var at = lane; at < count; at += LANES) {
        let key = element(row, at).x;
        // Shifted in two steps: by 32 at once is not defined.
        if (((key >> shift) >> 8u) == prefix) {
            atomicAdd(&bins[(key >> shift) & 255u], 1u);
        }
    }
    workgroupBarrier();
    var own = 0u;
    for (var bin = 4u * lane; bin < 4u * lane + 4u; bin += 1u) {
        own += atomicLoad(&bins[bin]);
    }
    sums[lane] = vec2(own, 0u);
    scan(lane);
    var before = sums[lane].x - own;
    for (var bin = 4u * lane; bin < 4u * lane + 4u; bin += 1u) {
        let through = before + atomicLoad(&bins[bin]);
        if (before < wanted && wanted <= through) {
            known = vec2((prefix << 8u) | bin, wanted - before);
        }
        before = through;
    }
    workgroupBarrier();
}

// Writes the values below the k-th, and as many equal to it as are wanted.
fn keep(row: u32, count: u32, lane: u32) {
    let limit = known.x;
    let wanted = known.y;
    let per_lane = (count + LANES - 1u) / LANES;
    let begin = min(lane * per_lane, count);
    let end = min(begin + per_lane, count);
    var own = vec2<u32>();
    for (var at = begin; at < end; at += 1u) {
        let key = element(row, at).x;
        own += vec2(select(0u, 1u, key < limit), select(0u, 1u, key == limit));
    }
    sums[lane] = own;
    scan(lane);
    var before = sums[lane] - own;
    for (var at = begin; at < end; at += 1u) {
        let entry = element(row, at);
        let equal = entry.x == limit;
        if (entry.x < limit || (equal && before.y < wanted)) {
            selected[row * params.entries_stride + before.x + min(before.y, wanted)] = entry;
        }
        before += vec2(select(0u, 1u, entry.x < limit), select(0u, 1u, equal));
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.y * groups.x + group.x;
    if (row < params.rows) {
        let count = params.kept + params.columns;
        if (lane == 0u) {
            known = vec2(0u, params.wanted);
        }
        for (var digit = 0u; digit < 4u; digit += 1u) {
            narrow(row, count, 24u - 8u * digit, lane);
        }
        keep(row, count, lane);
    }
    mark_done(lane);
}
