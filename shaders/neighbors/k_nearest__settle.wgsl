// The k nearest of those that products shortlisted, by the direct form, and which tiles of queries that leaves open.
// A workgroup takes 128 queries: a lane merges the layers' lists of one, lanes share the distances, a lane sorts.
// A row outside the list has |x−y|² ≥ 2·(the list's last value) + |x|²·(1 − slack), with slack = (2·d + 16)·ε for all
// roundings of |x|² + |y|² − 2·x·y: where that is above the k-th distance of the direct form, it is no neighbour.
//#import k_nearest_list
//#import order
//#import status
struct Params {
    rows: u32,
    columns: u32,
    row_tiles: u32,
    list_rows: u32,
    neighbors: u32,
    shortlisted: u32,
    layers: u32,
    a_first: u32,
    b_first: u32,
    vec4s: u32,
    slack: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> centred: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> list: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> flags: array<vec4<u32>>;

const QUERIES = 128u;
// Squares up to here are far from the end of f32, and their bits are the last word on it.
const LARGEST = 0x7b000000u;
// Differences of squares below it may be what was lost to underflow.
const TINY = 1e-30;

var<workgroup> squares: array<f32, QUERIES>;
var<workgroup> in_doubt: atomic<u32>;

// In the order of the tile: the same bits.
fn distance_to(row: u32, column: u32) -> f32 {
    let a_row = params.a_first + row * params.vec4s;
    let b_row = params.b_first + min(column, params.columns - 1u) * params.vec4s;
    var sum = 0.0;
    for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
        let difference = a[a_row + vec4_index] - b[b_row + vec4_index];
        sum = fma(difference.x, difference.x, sum);
        sum = fma(difference.y, difference.y, sum);
        sum = fma(difference.z, difference.z, sum);
        sum = fma(difference.w, difference.w, sum);
    }
    return sum;
}

fn square_of(row: u32) -> f32 {
    var sum = vec4<f32>();
    for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
        let value = a[params.a_first + row * params.vec4s + vec4_index] - bitcast<vec4<f32>>(centred[1u + vec4_index]);
        sum = fma(value, value, sum);
    }
    return (sum.x + sum.y) + (sum.z + sum.w);
}

// Whether a row outside the list may be among the k nearest.
fn doubtful(row: u32, lane: u32, last: vec2<u32>) -> bool {
    let square = squares[lane];
    let value = bitcast<f32>(order_bits(last.x));
    let farthest = list[(params.neighbors - 1u) * params.list_rows + row];
    // The last term is for the roundings here.
    let outside = 2.0 * value + square * (1.0 - params.slack) - 5e-7 * (abs(value) + square);
    let proven = outside > bitcast<f32>(farthest.x) * (1.0 + params.slack) + TINY;
    return last.y == NO_INDEX || centred[0].x > LARGEST || bitcast<u32>(square) > LARGEST || !proven;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        let row = tile * QUERIES + lane;
        let mine = lane < QUERIES && row < params.rows;
        if (lane == 0u) {
            atomicStore(&in_doubt, 0u);
        }
        var last = vec2<u32>();
        if (mine) {
            list_merge(row, params.list_rows, params.shortlisted, params.layers);
            last = list[(params.shortlisted - 1u) * params.list_rows + row];
        }
        storageBarrier();
        // For each query its candidates, and its own square at the end.
        let tasks = params.shortlisted + 1u;
        for (var task = lane; task < QUERIES * tasks; task += 256u) {
            let query = task / tasks;
            let slot = task % tasks;
            let its_row = tile * QUERIES + query;
            if (its_row < params.rows) {
                if (slot < params.shortlisted) {
                    let at = slot * params.list_rows + its_row;
                    let column = list[at].y;
                    list[at] = vec2(bitcast<u32>(distance_to(its_row, column)), column);
                } else {
                    squares[query] = square_of(its_row);
                }
            }
        }
        storageBarrier();
        workgroupBarrier();
        if (mine) {
            for (var slot = 1u; slot < params.shortlisted; slot += 1u) {
                list_insert(row, params.list_rows, slot, list[slot * params.list_rows + row]);
            }
            if (doubtful(row, lane, last)) {
                atomicOr(&in_doubt, 1u);
            }
        }
        workgroupBarrier();
        if (lane == 0u) {
            flags[tile] = vec4(atomicLoad(&in_doubt));
        }
    }
    mark_done(lane);
}
