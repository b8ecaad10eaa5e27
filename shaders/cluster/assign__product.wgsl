// The nearest centre of each row of X by ½|c|² − x·c of centred rows and centres, and where that may not be the answer.
// A workgroup takes 128 rows and walks over tiles of 128 centres, or 64 and 64, the best of each row in registers.
// Its error, and that of the direct form, are at most (d + 5)·ε·S² and (d + 3)·ε·S² in squared distance, S = |x| + |c|: so
// where no other centre comes within (2·d + 8)·ε·S² of the best score, the direct form has the same answer.
//#import status
//#import tile
//#import tile_best
struct Params {
    rows: u32,
    columns: u32,
    centers: u32,
    row_tiles: u32,
    center_tiles: u32,
    x_first: u32,
    vec4s: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
// What is taken off each row, the centres without it, and half of the square of each of these.
@group(0) @binding(2) var<storage, read> centred: array<vec4<f32>>;
// A centre for each row of whole tiles, then for each tile whether one of its rows is in doubt.
@group(0) @binding(3) var<storage, read_write> found: array<atomic<u32>>;

const TILE_AHEAD = false;
const DOUBTS = true;
const FARTHEST = 3.4028234e38;
const A_DEEP = 0u;
const B_DEEP = 0u;

var<private> margin: f32;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return x[params.x_first + min(row, params.rows - 1u) * params.vec4s + vec4_index] - centred[vec4_index];
}

fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return centred[(min(column, params.centers - 1u) + 1u) * params.vec4s + vec4_index];
}

fn tile_step(sums: vec4<f32>, a: f32, b: vec4<f32>) -> vec4<f32> {
    return fma(vec4(a), b, sums);
}

fn half_squares(column: u32) -> vec4<f32> {
    return centred[(params.centers + 1u) * params.vec4s + column / 4u];
}

fn is_center(column: u32) -> vec4<bool> {
    return vec4(column, column + 1u, column + 2u, column + 3u) < vec4(params.centers);
}

fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (column < params.centers) {
        keep_least(place, column, select(vec4(FARTHEST), half_squares(column) - sums, is_center(column)), margin);
    }
}

fn squared_size(row: u32) -> f32 {
    var sum = vec4<f32>();
    for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
        let value = tile_a(row, vec4_index);
        sum = fma(value, value, sum);
    }
    return (sum.x + sum.y) + (sum.z + sum.w);
}

// The largest squares of the tile's rows and of the centres.
fn reach(tile: u32, lane: u32) -> vec4<f32> {
    if (lane < 64u) {
        var halves = vec4<f32>();
        for (var column = 4u * lane; column < params.centers; column += 256u) {
            halves = max(halves, select(vec4<f32>(), half_squares(column), is_center(column)));
        }
        let row = tile * TILE + lane;
        var rows = squared_size(row);
        if (TILE == 128u) {
            rows = max(rows, squared_size(row + 64u));
        }
        tile_b0[lane] = vec4(rows, 2.0 * max(max(halves.x, halves.y), max(halves.z, halves.w)), 0.0, 0.0);
    }
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            tile_b0[lane] = max(tile_b0[lane], tile_b0[lane + half]);
        }
    }
    workgroupBarrier();
    let largest = tile_b0[0];
    workgroupBarrier();
    return largest;
}

@compute @workgroup_size(TILE_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        let flag = params.row_tiles * TILE + tile;
        if (lane == 0u) {
            atomicStore(&found[flag], 0u);
        }
        let largest = reach(tile, lane);
        storageBarrier();
        let sizes = sqrt(largest.x) + sqrt(largest.y);
        let squared = 1.01 * sizes * sizes;
        // Where squares overflow or vanish nothing is proven, and everything is in doubt.
        let proven = squared > 1e-30 && squared < 1e36;
        margin = select(FARTHEST, f32(2u * params.columns + 16u) * 5.9604645e-8 * squared, proven);
        begin_best();
        for (var column = 0u; column < params.center_tiles; column += 1u) {
            tile_product(tile, column, 0u, params.vec4s, lane);
        }
        best_put(lane);
        workgroupBarrier();
        if (lane < TILE / 4u) {
            let kept = best_of_lanes(lane, margin);
            let row = tile * TILE + 4u * lane;
            let columns = vec4<u32>(code_columns(kept.codes));
            atomicStore(&found[row], columns.x);
            atomicStore(&found[row + 1u], columns.y);
            atomicStore(&found[row + 2u], columns.z);
            atomicStore(&found[row + 3u], columns.w);
            if (any(kept.codes < vec4<f32>()) || !proven) {
                atomicMax(&found[flag], 1u);
            }
        }
    }
    mark_done(lane);
}
