// The k nearest rows of B for each row of A, by distances that are never stored.
// A workgroup takes 128 queries and sweeps its columns in tiles of 128 through workgroup memory.
// After each tile one lane a row inserts what the lanes of that row found; the tile leaves no workgroup memory for it.
//#import elementary
//#import k_nearest
//#import pairs_operands
//#import tile
const QUEUE = 128u;

@group(0) @binding(5) var<storage, read_write> waiting: array<atomic<u32>>;

var<private> waiting_first: u32;

fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    if (METRIC == METRIC_POWER) {
        return sum + power4(abs(vec4(a) - b), params.order);
    }
    return metric_step(sum, a, b);
}

fn offer(row: u32, column: u32, value: f32) {
    let slot = atomicAdd(&waiting[waiting_first + row], 1u);
    queue[queue_first + slot * params.list_rows + row] = vec2(bitcast<u32>(value), params.first_index + column);
}

fn tile_store(row: u32, column: u32, sum: vec4<f32>) {
    let values = metric_value(sum);
    let inside = vec4(column, column + 1u, column + 2u, column + 3u) < vec4(column_end);
    let close = (values < vec4(k_nearest_threshold(row))) & inside;
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

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        k_nearest_begin(group.z, TILE_COLUMNS, QUEUE);
        waiting_first = group.z * params.list_rows;
        let row = tile * TILE_ROWS + lane;
        if (lane < TILE_ROWS) {
            atomicStore(&waiting[waiting_first + row], 0u);
            if (params.fresh != 0u) {
                k_nearest_clear(row);
            }
        }
        let begin = group.z * params.layer_tiles;
        let end = min(begin + params.layer_tiles, (params.columns + TILE_COLUMNS - 1u) / TILE_COLUMNS);
        for (var column_tile = begin; column_tile < end; column_tile += 1u) {
            storageBarrier();
            tile_product(tile, column_tile, 0u, params.depth_vec4s, lane);
            storageBarrier();
            if (lane < TILE_ROWS) {
                k_nearest_drain(row, atomicExchange(&waiting[waiting_first + row], 0u));
            }
        }
    }
    mark_done(lane);
}
