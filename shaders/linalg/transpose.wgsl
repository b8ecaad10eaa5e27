// Writes the rows of a block of X as columns of the result.
// A lane turns 4×4 values in registers; 8×8 lanes make a 32×32 tile, so both sides move in runs of 128 bytes.
// No workgroup memory and no barrier are needed for that.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    tiles: u32,
    column_tiles: u32,
    x_first: u32,
    x_vec4s: u32,
    out_first: u32,
    out_vec4s: u32,
    padded_rows: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

// Rows beyond the last are padding of the result, which is zero in every matrix.
fn four(row: u32, column: u32) -> vec4<f32> {
    let value = x[params.x_first + min(row, params.rows - 1u) * params.x_vec4s + column / 4u];
    return select(vec4<f32>(), value, row < params.rows);
}

fn store(row: u32, column: u32, value: vec4<f32>) {
    if (column < params.columns) {
        out[params.out_first + column * params.out_vec4s + row / 4u] = value;
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    let row = (tile / params.column_tiles) * 32u + (lane / 8u) * 4u;
    let column = (tile % params.column_tiles) * 32u + (lane % 8u) * 4u;
    if (tile < params.tiles && row < params.padded_rows && column < params.columns) {
        let r0 = four(row, column);
        let r1 = four(row + 1u, column);
        let r2 = four(row + 2u, column);
        let r3 = four(row + 3u, column);
        store(row, column, vec4(r0.x, r1.x, r2.x, r3.x));
        store(row, column + 1u, vec4(r0.y, r1.y, r2.y, r3.y));
        store(row, column + 2u, vec4(r0.z, r1.z, r2.z, r3.z));
        store(row, column + 3u, vec4(r0.w, r1.w, r2.w, r3.w));
    }
    mark_done(lane);
}
