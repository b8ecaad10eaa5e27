// Turns a block of rows into columns, centred, and a second time weighted: the operands of Σw·(x−c)(x−c)ᵀ.
// A lane turns 4×4 values in registers; 8×8 lanes make a 32×32 tile. The products are gemm's.
// Rows beyond the last become zeros, not −c, so that they add nothing.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    tiles: u32,
    column_tiles: u32,
    x_first: u32,
    x_vec4s: u32,
    weight_first: u32,
    out_vec4s: u32,
    weighted: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> center: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> centred: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> scaled: array<vec4<f32>>;

fn four(row: u32, vec4_index: u32) -> vec4<f32> {
    let value = x[params.x_first + min(row, params.rows - 1u) * params.x_vec4s + vec4_index] - center[vec4_index];
    return select(vec4<f32>(), value, row < params.rows);
}

fn weight_of(row: u32) -> f32 {
    return weight[params.weight_first + min(row, params.rows - 1u)];
}

fn store(row: u32, column: u32, value: vec4<f32>, weights: vec4<f32>) {
    if (column < params.columns) {
        let at = column * params.out_vec4s + row / 4u;
        centred[at] = value;
        if (params.weighted != 0u) {
            scaled[at] = value * weights;
        }
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
    if (tile < params.tiles && row < 4u * params.out_vec4s && column < params.columns) {
        var weights = vec4(1.0);
        if (params.weighted != 0u) {
            weights = vec4(weight_of(row), weight_of(row + 1u), weight_of(row + 2u), weight_of(row + 3u));
        }
        let r0 = four(row, column / 4u);
        let r1 = four(row + 1u, column / 4u);
        let r2 = four(row + 2u, column / 4u);
        let r3 = four(row + 3u, column / 4u);
        store(row, column, vec4(r0.x, r1.x, r2.x, r3.x), weights);
        store(row, column + 1u, vec4(r0.y, r1.y, r2.y, r3.y), weights);
        store(row, column + 2u, vec4(r0.z, r1.z, r2.z, r3.z), weights);
        store(row, column + 3u, vec4(r0.w, r1.w, r2.w, r3.w), weights);
    }
    mark_done(lane);
}
