// The k nearest rows of B for each row of A, by distances that are never stored.
// A workgroup takes 128 queries and a layer's share of the columns, in tiles of 128; a layer keeps its own list for each
// query. A candidate nearer than the list's last waits in a queue; after each tile one lane a row inserts what the lanes
// of that row found, for the tile leaves no workgroup memory to do it sooner.
// BY_PRODUCT: lists of ½|y|² − x·y of centred rows, less what belongs to y of its error, for k_nearest__settle to settle.
// SHORTLIST: by the direct form, and only tiles of queries that were left open.
//#import metric
//#import k_nearest_list
//#import order
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

override BY_PRODUCT: u32 = 1u;
override SHORTLIST: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> list: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> queue: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> waiting: array<atomic<u32>>;
// By product what k_nearest__center made; else for each tile of queries whether it was left open.
@group(0) @binding(6) var<storage, read> extra: array<vec4<u32>>;

const TILE_AHEAD = false;
const A_DEEP = 0u;
const B_DEEP = 0u;

// Candidates that may wait for a row: all of a tile.
const QUEUE = 128u;

var<private> layer: u32;

// Where an entry of a list or a queue of this layer is: entries of neighbouring rows are neighbours.
fn list_at(slot: u32, row: u32) -> u32 {
    return (layer * params.neighbors + slot) * params.list_rows + row;
}

fn queue_at(slot: u32, row: u32) -> u32 {
    return (layer * QUEUE + slot) * params.list_rows + row;
}

fn waiting_at(row: u32) -> u32 {
    return layer * params.list_rows + row;
}

fn centred(value: vec4<f32>, vec4_index: u32) -> vec4<f32> {
    if (BY_PRODUCT == 1u) {
        return value - bitcast<vec4<f32>>(extra[1u + vec4_index]);
    }
    return value;
}

// A row past the end is the last one again; what comes of it is not stored.
fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return centred(a[params.a_first + min(row, params.rows - 1u) * params.a_vec4s + vec4_index], vec4_index);
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return centred(b[params.b_first + min(column, params.columns - 1u) * params.b_vec4s + vec4_index], vec4_index);
}

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    if (BY_PRODUCT == 1u) {
        return fma(vec4(a), b, sums);
    }
    return metric_step(sums, a, b, params.order);
}

fn values_of(column: u32, sums: vec4<f32>) -> vec4<f32> {
    if (BY_PRODUCT == 1u) {
        return bitcast<vec4<f32>>(extra[1u + params.depth_vec4s + (params.first_index + column) / 4u]) - sums;
    }
    return metric_values(sums);
}

// Distances are never negative, and their bits order as they do; what products give may be.
fn key_of(value: f32) -> u32 {
    return select(bitcast<u32>(value), order_key(bitcast<u32>(value)), BY_PRODUCT == 1u);
}

fn value_of(key: u32) -> f32 {
    return bitcast<f32>(select(key, order_bits(key), BY_PRODUCT == 1u));
}

fn offer(row: u32, column: u32, value: f32) {
    let slot = atomicAdd(&waiting[waiting_at(row)], 1u);
    queue[queue_at(slot, row)] = vec2(key_of(value), params.first_index + column);
}

fn offer_four(row: u32, column: u32, values: vec4<f32>, threshold: f32) {
    let inside = vec4(column, column + 1u, column + 2u, column + 3u) < vec4(params.columns);
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
    let threshold = value_of(list[list_at(params.neighbors - 1u, row)].x);
    offer_four(row, column, values_of(column, sums), threshold);
}

// Inserts what waits for one row. Later entries may have lost to earlier ones.
fn drain(row: u32, count: u32) {
    let last = params.neighbors - 1u;
    for (var slot = 0u; slot < count; slot += 1u) {
        let entry = queue[queue_at(slot, row)];
        if (entry_less(entry, list[list_at(last, row)])) {
            list_insert(list_at(0u, row), params.list_rows, last, entry);
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
    var open = tile < params.row_tiles;
    if (SHORTLIST == 1u && open) {
        open = extra[tile].x != 0u;
    }
    if (open) {
        layer = group.z;
        let begin = group.z * params.layer_tiles;
        let end = min(begin + params.layer_tiles, (params.columns + TILE - 1u) / TILE);
        let row = tile * TILE + lane;
        if (lane < TILE) {
            atomicStore(&waiting[waiting_at(row)], 0u);
            if (params.fresh != 0u) {
                for (var slot = 0u; slot < params.neighbors; slot += 1u) {
                    list[list_at(slot, row)] = vec2(key_of(METRIC_BEYOND), NO_INDEX);
                }
            }
        }
        for (var column_tile = begin; column_tile < end; column_tile += 1u) {
            storageBarrier();
            tile_product(tile, column_tile, 0u, params.depth_vec4s, lane);
            storageBarrier();
            if (lane < TILE) {
                drain(row, atomicExchange(&waiting[waiting_at(row)], 0u));
            }
        }
    }
    mark_done(lane);
}
