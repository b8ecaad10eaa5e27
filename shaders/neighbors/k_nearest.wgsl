// The k nearest rows of B for each row of A, by distances that are never stored.
// A workgroup takes 128 queries and a layer's share of the columns, in tiles of 128; a layer keeps its own list for each
// query. A candidate nearer than the list's last waits in a queue; after each tile one lane a row inserts what the lanes
// of that row found, for the tile leaves no workgroup memory to do it sooner.
//#import metric
//#import k_nearest_list
//#import pairs_operands
//#import status
//#import tile
struct Params {
    rows: u32,
    columns: u32,
    row_tiles: u32,
    layer_tiles: u32,
    a_first: u32,
    a_vec4s: u32,
    b_first: u32,
    b_vec4s: u32,
    depth_vec4s: u32,
    first_index: u32,
    list_rows: u32,
    neighbors: u32,
    fresh: u32,
    order: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> list: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> queue: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> waiting: array<atomic<u32>>;

const TILE_AHEAD = false;

// Candidates that may wait for a row: all of a tile.
const QUEUE = 128u;

// Where the layer's entries begin, and the column after its last.
var<private> list_first: u32;
var<private> queue_first: u32;
var<private> waiting_first: u32;
var<private> column_end: u32;

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return metric_step(sums, a, b, params.order);
}

fn offer(row: u32, column: u32, value: f32) {
    let slot = atomicAdd(&waiting[waiting_first + row], 1u);
    queue[queue_first + slot * params.list_rows + row] = vec2(bitcast<u32>(value), params.first_index + column);
}

fn offer_four(row: u32, column: u32, values: vec4<f32>, threshold: f32) {
    let inside = vec4(column, column + 1u, column + 2u, column + 3u) < vec4(column_end);
    let close = (values < vec4(threshold)) & inside;
    if (any(close)) {
        if (close.x) {
            offer(row, column, values.x);
        }
        if (close.y) {
            offer(row, column + 1u, values.y);
        }
        if (close.z) {
            offer(row, column + 2u, values.z);
        }
        if (close.w) {
            offer(row, column + 3u, values.w);
        }
    }
}

// Lists and queues have room for the rows of whole tiles, so what belongs to rows past the end is kept and ignored.
fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    let threshold = bitcast<f32>(list[list_first + (params.neighbors - 1u) * params.list_rows + row].x);
    offer_four(row, column, metric_values(sums), threshold);
}

// Inserts what waits for one row. Later entries may have lost to earlier ones.
fn drain(row: u32, count: u32) {
    let last = params.neighbors - 1u;
    for (var slot = 0u; slot < count; slot += 1u) {
        let entry = queue[queue_first + slot * params.list_rows + row];
        if (entry_less(entry, list[list_first + last * params.list_rows + row])) {
            list_insert(list_first + row, params.list_rows, last, entry);
        }
    }
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        list_first = group.z * params.neighbors * params.list_rows;
        queue_first = group.z * QUEUE * params.list_rows;
        waiting_first = group.z * params.list_rows;
        let begin = group.z * params.layer_tiles;
        let end = min(begin + params.layer_tiles, (params.columns + TILE - 1u) / TILE);
        column_end = min(end * TILE, params.columns);
        let row = tile * TILE + lane;
        if (lane < TILE) {
            atomicStore(&waiting[waiting_first + row], 0u);
            if (params.fresh != 0u) {
                for (var slot = 0u; slot < params.neighbors; slot += 1u) {
                    list[list_first + slot * params.list_rows + row] = NO_ENTRY;
                }
            }
        }
        for (var column_tile = begin; column_tile < end; column_tile += 1u) {
            storageBarrier();
            tile_product(tile, column_tile, 0u, params.depth_vec4s, lane);
            storageBarrier();
            if (lane < TILE) {
                drain(row, atomicExchange(&waiting[waiting_first + row], 0u));
            }
        }
    }
    mark_done(lane);
}
