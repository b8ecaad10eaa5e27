// The nearest centre of each row of X and the squared distance to it, by the direct form, for any number of centres.
// A workgroup takes 128 rows and walks over tiles of 128 centres, or 64 and 64, the best of each row in registers.
// With SHORTLIST, rows whose tile the product form settled only get the distance to the centre that it found.
//#import status
//#import tile
//#import tile_best
struct Params {
    rows: u32,
    centers: u32,
    row_tiles: u32,
    center_tiles: u32,
    x_first: u32,
    center_first: u32,
    vec4s: u32,
    label_first: u32,
    distance_first: u32,
    changed_at: u32,
}

override SHORTLIST: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> centers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> labels: array<u32>;
@group(0) @binding(4) var<storage, read_write> distances: array<u32>;
@group(0) @binding(5) var<storage, read_write> history: array<atomic<u32>>;
// A centre for each row of whole tiles, then for each tile whether one of its rows is in doubt.
@group(0) @binding(6) var<storage, read> found: array<u32>;

const TILE_AHEAD = false;
const DOUBTS = false;
const FARTHEST = 3.4028234e38;
const A_DEEP = 0u;
const B_DEEP = 0u;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return x[params.x_first + min(row, params.rows - 1u) * params.vec4s + vec4_index];
}

// Past the last centre the last one is met again, which is never nearer than itself.
fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return centers[params.center_first + min(column, params.centers - 1u) * params.vec4s + vec4_index];
}

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    let difference = vec4(a) - b;
    return fma(difference, difference, sums);
}

fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    keep_least(place, column, sums, 0.0);
}

// In the order of tile_step: the same bits.
fn distance_to(row: u32, center: u32) -> f32 {
    var sum = 0.0;
    for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
        let difference = tile_a(row, vec4_index) - tile_b(center, vec4_index);
        sum = fma(difference.x, difference.x, sum);
        sum = fma(difference.y, difference.y, sum);
        sum = fma(difference.z, difference.z, sum);
        sum = fma(difference.w, difference.w, sum);
    }
    return sum;
}

// Stores what was found for a row, and returns 1 if its label is another one than before.
fn assign_row(row: u32, label: u32, distance: f32) -> u32 {
    if (row >= params.rows) {
        return 0u;
    }
    let old = labels[params.label_first + row];
    labels[params.label_first + row] = label;
    // Where every distance overflowed none was found: the read-back must meet an infinity, here by its bits.
    let bits = bitcast<u32>(distance);
    distances[params.distance_first + row] = select(bits, 0x7f800000u, bits >= 0x7f7fffffu);
    return select(0u, 1u, old != label);
}

fn count_changed(count: u32) {
    if (count > 0u) {
        atomicAdd(&history[params.changed_at], count);
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
        var open = true;
        if (SHORTLIST == 1u) {
            open = found[params.row_tiles * TILE + tile] != 0u;
        }
        if (open) {
            begin_best();
            for (var column = 0u; column < params.center_tiles; column += 1u) {
                tile_product(tile, column, 0u, params.vec4s, lane);
            }
            best_put(lane);
            workgroupBarrier();
            if (lane < TILE / 4u) {
                let kept = best_of_lanes(lane, 0.0);
                let row = tile * TILE + 4u * lane;
                count_changed(
                    assign_row(row, u32(kept.codes.x), kept.values.x)
                    + assign_row(row + 1u, u32(kept.codes.y), kept.values.y)
                    + assign_row(row + 2u, u32(kept.codes.z), kept.values.z)
                    + assign_row(row + 3u, u32(kept.codes.w), kept.values.w)
                );
            }
        } else if (lane < TILE) {
            let row = tile * TILE + lane;
            let center = found[row];
            count_changed(assign_row(row, center, distance_to(row, center)));
        }
    }
    mark_done(lane);
}
