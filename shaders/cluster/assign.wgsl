// The nearest centre of each row of X and the squared distance to it, for centres of any number and size.
// A lane keeps the best of its eight rows over its eighth of every tile's columns; at the end 16 lanes compare theirs.
// They do so through the tile's own workgroup memory, which is all that WebGPU guarantees.
//#import assign_rows
//#import tile
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> centers: array<vec4<f32>>;

// Of the rows lane / 16, + 16, + 32, + 48, and of those 64 further on.
var<private> best: array<vec4<f32>, 2>;
var<private> best_center: array<vec4<u32>, 2>;

fn tile_a(row: u32, vec4_index: u32) -> vec4<f32> {
    return x[params.x_first + min(row, params.rows - 1u) * params.vec4s + vec4_index];
}

// Past the last centre the last one is met again, which is never nearer than itself.
fn tile_b(column: u32, vec4_index: u32) -> vec4<f32> {
    return centers[params.center_first + min(column, params.centers - 1u) * params.vec4s + vec4_index];
}

fn tile_step(sum: f32, a: vec4<f32>, b: vec4<f32>) -> f32 {
    let d = a - b;
    return fma(d.w, d.w, fma(d.z, d.z, fma(d.y, d.y, fma(d.x, d.x, sum))));
}

fn tile_open(row: u32) {}

// A lane meets its columns in ascending order, so the lowest of equals stays.
fn tile_store(half: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (half == 0u) {
        let less = sums < best[0];
        best[0] = select(best[0], sums, less);
        best_center[0] = select(best_center[0], vec4(column), less);
    } else {
        let less = sums < best[1];
        best[1] = select(best[1], sums, less);
        best_center[1] = select(best_center[1], vec4(column), less);
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
            let row = tile * TILE_ROWS + 64u * (lane / 16u) + lane % 16u;
            count_changed(
                assign_row(row, u32(center.x), distance.x)
                + assign_row(row + 16u, u32(center.y), distance.y)
                + assign_row(row + 32u, u32(center.z), distance.z)
                + assign_row(row + 48u, u32(center.w), distance.w)
            );
        }
    }
    mark_done(lane);
}
