// The k nearest rows of B for each row of A, by distances that are never stored.
// A workgroup takes 4·TILE_LANES queries, four a lane, and sweeps its columns in tiles of 24, broadcast inside subgroups.
// A lane owns its rows: thresholds and queue lengths are registers, and memory is touched only when a candidate passes.
//#import k_nearest
//#import pairs_operands
//#import tile_subgroup
const QUEUE = 48u;

// Of the lane's four rows.
var<private> threshold: vec4<f32>;
var<private> waiting: vec4<u32>;

fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return metric_step(sum, a, b);
}

fn offer(row: u32, column: u32, values: vec4<f32>) {
    let close = (values < threshold) & vec4(column < column_end);
    if (any(close)) {
        let first = queue_first + row;
        let index = params.first_index + column;
        let bits = bitcast<vec4<u32>>(values);
        if (close.x) {
            queue[first + waiting.x * params.list_rows] = vec2(bits.x, index);
        }
        if (close.y) {
            queue[first + waiting.y * params.list_rows + TILE_LANES] = vec2(bits.y, index);
        }
        if (close.z) {
            queue[first + waiting.z * params.list_rows + 2u * TILE_LANES] = vec2(bits.z, index);
        }
        if (close.w) {
            queue[first + waiting.w * params.list_rows + 3u * TILE_LANES] = vec2(bits.w, index);
        }
        waiting += select(vec4<u32>(), vec4(1u), close);
    }
}

fn tile_store_rows(row: u32, column: u32, c0: vec4<f32>, c1: vec4<f32>, c2: vec4<f32>, c3: vec4<f32>) {
    offer(row, column, metric_value(c0));
    offer(row, column + 1u, metric_value(c1));
    offer(row, column + 2u, metric_value(c2));
    offer(row, column + 3u, metric_value(c3));
}

fn drain(row: u32) {
    threshold.x = k_nearest_drain(row, waiting.x);
    threshold.y = k_nearest_drain(row + TILE_LANES, waiting.y);
    threshold.z = k_nearest_drain(row + 2u * TILE_LANES, waiting.z);
    threshold.w = k_nearest_drain(row + 3u * TILE_LANES, waiting.w);
    waiting = vec4<u32>();
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        k_nearest_begin(group.z, TILE_COLUMNS, QUEUE);
        let row = tile * 4u * TILE_LANES + lane;
        if (params.fresh != 0u) {
            for (var part = 0u; part < 4u; part += 1u) {
                k_nearest_clear(row + part * TILE_LANES);
            }
        }
        drain(row);
        let begin = group.z * params.layer_tiles;
        let end = min(begin + params.layer_tiles, (params.columns + TILE_COLUMNS - 1u) / TILE_COLUMNS);
        for (var column_tile = begin; column_tile < end; column_tile += 1u) {
            tile_product(tile, column_tile, 0u, params.depth_vec4s, lane, subgroup_lane);
            // Together, as soon as the next tile might not find room in some queue.
            if (subgroupAny(any(waiting > vec4(QUEUE - TILE_COLUMNS)))) {
                drain(row);
            }
        }
        drain(row);
    }
    mark_done(lane);
}
