// Lists of the k nearest: rows of A are the queries, rows of B the candidates; the operands come with pairs_operands or
// pairs_int64.
// A workgroup takes a tile of queries and a layer's share of the columns; a layer keeps its own list for each query.
// A candidate nearer than the list's last waits in a queue: lanes insert together what they found apart.
//#import metric
//#import k_nearest_list
//#import status
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

// Where the layer's entries begin in the list and in the queue, and the column after its last.
var<private> list_first: u32;
var<private> queue_first: u32;
var<private> column_end: u32;

// Lists and queues have room for the rows of whole tiles, so what belongs to rows past the end is kept and ignored.
fn k_nearest_begin(layer: u32, tile_columns: u32, queue_slots: u32) {
    list_first = layer * params.neighbors * params.list_rows;
    queue_first = layer * queue_slots * params.list_rows;
    column_end = min((layer + 1u) * params.layer_tiles * tile_columns, params.columns);
}

fn k_nearest_clear(row: u32) {
    for (var slot = 0u; slot < params.neighbors; slot += 1u) {
        list[list_first + slot * params.list_rows + row] = NO_ENTRY;
    }
}

// The distance that a candidate for this row must beat.
fn k_nearest_threshold(row: u32) -> f32 {
    return bitcast<f32>(list[list_first + (params.neighbors - 1u) * params.list_rows + row].x);
}

// Inserts what waits for one row, and returns the new threshold. Later entries may have lost to earlier ones.
fn k_nearest_drain(row: u32, waiting: u32) -> f32 {
    let last = params.neighbors - 1u;
    for (var slot = 0u; slot < waiting; slot += 1u) {
        let entry = queue[queue_first + slot * params.list_rows + row];
        if (entry_less(entry, list[list_first + last * params.list_rows + row])) {
            list_insert(list_first + row, params.list_rows, last, entry);
        }
    }
    return k_nearest_threshold(row);
}
