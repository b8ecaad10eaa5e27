// Writes the rows of a block of X as columns of the result.
// A workgroup turns one 32×32 tile through workgroup memory, so that both sides are read and written along rows.
// The row of 33 keeps the lanes of a column in different banks.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    tiles: u32,
    column_tiles: u32,
    x_first: u32,
    x_stride: u32,
    out_first: u32,
    out_stride: u32,
    padded_rows: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

var<workgroup> tile: array<f32, 1056>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    if (index < params.tiles) {
        let first_row = (index / params.column_tiles) * 32u;
        let first_column = (index % params.column_tiles) * 32u;
        for (var i = lane / 32u; i < 32u; i += 8u) {
            let row = first_row + i;
            let column = first_column + lane % 32u;
            var value = 0.0;
            if (row < params.rows && column < params.columns) {
                value = x[params.x_first + row * params.x_stride + column];
            }
            tile[i * 33u + lane % 32u] = value;
        }
        workgroupBarrier();
        for (var i = lane / 32u; i < 32u; i += 8u) {
            let column = first_column + i;
            let row = first_row + lane % 32u;
            if (row < params.padded_rows && column < params.columns) {
                out[params.out_first + column * params.out_stride + row] = tile[(lane % 32u) * 33u + i];
            }
        }
    }
    mark_done(lane);
}
