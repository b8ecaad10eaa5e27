// The nearest centre of each row of X and the squared distance to it, for centres of any number and size.
// A lane keeps the best of its eight rows over its eighth of every tile's columns; at the end 16 lanes compare theirs.
// They do so through the tile's own workgroup memory, which is all that WebGPU guarantees.
//#import assign_rows
//#import tile
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> centers: array<vec4<f32>>;

const TILE_AHEAD = false;
const A_DEEP = 0u;
const B_DEEP = 0u;

// The rows 4·(lane / 16) to + 3, then those 64 further on.
var<private> best: array<vec4<f32>, 2>;
var<private> best_center: array<vec4<u32>, 2>;

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

fn nearest_of_four(column: u32, d: vec4<f32>) -> vec2<u32> {
    let second = d.y < d.x;
    let fourth = d.w < d.z;
    let left = select(d.x, d.y, second);
    let right = select(d.z, d.w, fourth);
    let upper = right < left;
    let at = column + select(select(0u, 1u, second), select(2u, 3u, fourth), upper);
    return vec2(at, bitcast<u32>(select(left, right, upper)));
}

// A lane meets its columns in ascending order, so the lowest of equals stays. Indices of arrays are constants: a row is
// picked by a mask, or the bests would go to memory.
fn tile_store(place: u32, row: u32, column: u32, sums: vec4<f32>) {
    let found = nearest_of_four(column, sums);
    let distance = vec4(bitcast<f32>(found.y));
    let mine = vec4(0u, 1u, 2u, 3u) == vec4(place % 4u);
    if (place < 4u) {
        let less = mine & (distance < best[0]);
        best[0] = select(best[0], distance, less);
        best_center[0] = select(best_center[0], vec4(found.x), less);
    } else {
        let less = mine & (distance < best[1]);
        best[1] = select(best[1], distance, less);
        best_center[1] = select(best_center[1], vec4(found.x), less);
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
        best[0] = vec4(FARTHEST);
        best[1] = vec4(FARTHEST);
        for (var column = 0u; column < params.center_tiles; column += 1u) {
            tile_product(tile, column, 0u, params.vec4s, lane);
        }
        // [half][lane / 16][lane of the sixteen]; a centre's number is exact as f32 below 2^24.
        tile_a_block[lane] = best[0];
        tile_a_block[256u + lane] = best[1];
        tile_b_block[lane] = vec4<f32>(best_center[0]);
        tile_b_block[256u + lane] = vec4<f32>(best_center[1]);
        workgroupBarrier();
        if (lane < 32u) {
            var distance = tile_a_block[lane * 16u];
            var center = tile_b_block[lane * 16u];
            for (var other = 1u; other < 16u; other += 1u) {
                let d = tile_a_block[lane * 16u + other];
                let c = tile_b_block[lane * 16u + other];
                let less = (d < distance) | ((d == distance) & (c < center));
                distance = select(distance, d, less);
                center = select(center, c, less);
            }
            // Groups 0 to 15 are the rows 0 to 63 of the tile, the others the rest: four rows each, in order.
            let row = tile * TILE + 4u * lane;
            count_changed(
                assign_row(row, u32(center.x), distance.x)
                + assign_row(row + 1u, u32(center.y), distance.y)
                + assign_row(row + 2u, u32(center.z), distance.z)
                + assign_row(row + 3u, u32(center.w), distance.w)
            );
        }
    }
    mark_done(lane);
}
