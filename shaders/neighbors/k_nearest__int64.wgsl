// The k nearest rows of B for each row of A, by distances that are never stored, for rows of up to 128 columns.
// A lane keeps four or eight queries and meets every candidate of its layer; operands are read as 64-bit words.
// For software drivers, whose loads are few this way. Thresholds and queue lengths are registers, as in the subgroup variant.
//#import k_nearest
//#import pairs_int64
//#import kept_rows
const QUEUE = 48u;

// Of the lane's rows, four and four.
var<private> threshold: array<vec4<f32>, 2>;
var<private> waiting: array<vec4<u32>, 2>;

fn tile_step(sum: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return metric_step(sum, a, b);
}

fn offer(row: u32, part: u32, column: u32, values: vec4<f32>) {
    let close = (values < threshold[part]) & vec4(column < column_end);
    if (any(close)) {
        let first = queue_first + row;
        let index = params.first_index + column;
        let bits = bitcast<vec4<u32>>(values);
        let place = waiting[part];
        if (close.x) {
            queue[first + place.x * params.list_rows] = vec2(bits.x, index);
        }
        if (close.y) {
            queue[first + place.y * params.list_rows + KEPT_LANES] = vec2(bits.y, index);
        }
        if (close.z) {
            queue[first + place.z * params.list_rows + 2u * KEPT_LANES] = vec2(bits.z, index);
        }
        if (close.w) {
            queue[first + place.w * params.list_rows + 3u * KEPT_LANES] = vec2(bits.w, index);
        }
        waiting[part] = place + select(vec4<u32>(), vec4(1u), close);
    }
}

fn kept_meet(row: u32, column: u32, sums: KeptSums) {
    offer(row, 0u, column, metric_value(sums.first));
    if (EIGHT == 1u) {
        offer(row + 4u * KEPT_LANES, 1u, column, metric_value(sums.more));
    }
}

fn drain_four(row: u32, part: u32) {
    threshold[part].x = k_nearest_drain(row, waiting[part].x);
    threshold[part].y = k_nearest_drain(row + KEPT_LANES, waiting[part].y);
    threshold[part].z = k_nearest_drain(row + 2u * KEPT_LANES, waiting[part].z);
    threshold[part].w = k_nearest_drain(row + 3u * KEPT_LANES, waiting[part].w);
    waiting[part] = vec4<u32>();
}

fn drain(row: u32) {
    drain_four(row, 0u);
    if (EIGHT == 1u) {
        drain_four(row + 4u * KEPT_LANES, 1u);
    }
}

@compute @workgroup_size(KEPT_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        k_nearest_begin(group.z, KEPT_COLUMNS, QUEUE);
        let row = tile * kept_count() + lane;
        keep_rows(row);
        if (params.fresh != 0u) {
            for (var part = 0u; part < 4u + 4u * EIGHT; part += 1u) {
                k_nearest_clear(row + part * KEPT_LANES);
            }
        }
        drain(row);
        let begin = group.z * params.layer_tiles;
        let end = min(begin + params.layer_tiles, (params.columns + KEPT_COLUMNS - 1u) / KEPT_COLUMNS);
        for (var tile_column = begin; tile_column < end; tile_column += 1u) {
            kept_pass(row, tile_column * KEPT_COLUMNS, subgroup_lane);
            // Together, as soon as the next eight might not find room in some queue.
            if (subgroupAny(any(max(waiting[0], waiting[1]) > vec4(QUEUE - KEPT_COLUMNS)))) {
                drain(row);
            }
        }
        drain(row);
    }
    mark_done(lane);
}
