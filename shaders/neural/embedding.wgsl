// A row of a table for each token, and the slopes by the table. Rows of the table are a multiple of four numbers long.
// Values: a lane copies four numbers. Slopes: a lane owns four numbers of the table and adds the slopes of every step that has
// its token, in their order, because sums of floats by many lanes would depend on who is first.
//#import layer_tail
//#import status
struct Params {
    rows: u32,
    steps: u32,
    row_stride: u32,
    tokens: u32,
    width_vec4s: u32,
    first_vec4: u32,
    drop_scale: f32,
    drop_kept: f32,
    drop_threshold: u32,
    drop_step: u32,
    key_low: u32,
    key_high: u32,
}

// 0 values, 1 slopes by the table.
override BACK: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> given: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

fn dropped() -> Drop {
    let key = vec2(params.key_low, params.key_high);
    return Drop(params.drop_scale, params.drop_kept, params.drop_threshold, params.drop_step, key);
}

fn token_at(row: u32, step: u32) -> u32 {
    return min(u32(x[row * params.row_stride + step]), params.tokens - 1u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    let own = at / params.width_vec4s;
    let column = at % params.width_vec4s;
    if (BACK == 0u && own < params.rows * params.steps) {
        let token = token_at(own / params.steps, own % params.steps);
        let value = given[params.first_vec4 + token * params.width_vec4s + column];
        out[at] = tail_forward(dropped(), at, value);
    }
    if (BACK == 1u && own < params.tokens) {
        var sum = vec4<f32>();
        for (var row = 0u; row < params.rows; row += 1u) {
            for (var step = 0u; step < params.steps; step += 1u) {
                if (token_at(row, step) == own) {
                    sum += given[(row * params.steps + step) * params.width_vec4s + column];
                }
            }
        }
        out[params.first_vec4 + at] = sum;
    }
    mark_done(lane);
}
