// Coordinate descent on the products of columns: least squares with a penalty on absolute values and squares.
// One workgroup; a lane keeps slopes and coefficients of eight columns in registers. All lanes make the same step, and the
// lane of the next column tells the others its numbers: one barrier a step, while the next row of products is on its way.
//#import status
struct Params {
    columns: u32,
    vec4s: u32,
    passes: u32,
    positive: u32,
    gram_first: u32,
    state_first: u32,
    l1: f32,
    l2: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> gram: array<vec4<f32>>;
// The coefficients, then the slopes.
@group(0) @binding(2) var<storage, read_write> state: array<vec4<f32>>;

// Columns of the first half of the registers.
const HALF = 1024u;

// Slope and coefficient of the column of a step, for even and odd steps.
var<workgroup> told: array<vec2<f32>, 2>;

fn row_part(column: u32, part: u32) -> vec4<f32> {
    let inside = part < params.vec4s;
    let value = gram[params.gram_first + column * params.vec4s + min(part, params.vec4s - 1u)];
    return select(vec4<f32>(), value, inside);
}

fn state_part(row: u32, part: u32) -> vec4<f32> {
    return state[params.state_first + row * params.vec4s + min(part, params.vec4s - 1u)];
}

// Where the penalised parabola along a coordinate is least.
fn least(slope: f32, coef: f32, curvature: f32) -> f32 {
    let aim = slope + curvature * coef;
    let over = max(abs(aim) - params.l1, 0.0) / (max(curvature, 1e-37) + params.l2);
    let signed_over = select(over, -over, aim < 0.0);
    let allowed = select(signed_over, 0.0, params.positive == 1u && aim < 0.0);
    return select(coef, allowed, curvature > 0.0);
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    let places = vec4(0u, 1u, 2u, 3u) + 4u * lane;
    var coef_a = state_part(0u, lane);
    var coef_b = state_part(0u, lane + 256u);
    var slope_a = state_part(1u, lane);
    var slope_b = state_part(1u, lane + 256u);
    if (lane == 0u) {
        told[0] = vec2(slope_a.x, coef_a.x);
    }
    var gram_a = row_part(0u, lane);
    var gram_b = row_part(0u, lane + 256u);
    var curvature = gram[params.gram_first].x;
    var column = 0u;
    workgroupBarrier();
    for (var step = 0u; step < params.passes * params.columns; step += 1u) {
        let now = told[step % 2u];
        let moved = least(now.x, now.y, curvature);
        let change = moved - now.y;
        slope_a -= change * gram_a;
        slope_b -= change * gram_b;
        coef_a = select(coef_a, vec4(moved), places == vec4(column));
        coef_b = select(coef_b, vec4(moved), places + HALF == vec4(column));
        let next = select(column + 1u, 0u, column + 1u >= params.columns);
        if (lane == (next / 4u) % 256u) {
            var slope = select(slope_a, slope_b, next >= HALF);
            var coef = select(coef_a, coef_b, next >= HALF);
            told[(step + 1u) % 2u] = vec2(slope[next % 4u], coef[next % 4u]);
        }
        gram_a = row_part(next, lane);
        gram_b = row_part(next, lane + 256u);
        curvature = gram[params.gram_first + next * params.vec4s + next / 4u][next % 4u];
        column = next;
        workgroupBarrier();
    }
    if (lane < params.vec4s) {
        state[params.state_first + lane] = coef_a;
        state[params.state_first + params.vec4s + lane] = slope_a;
    }
    if (lane + 256u < params.vec4s) {
        state[params.state_first + lane + 256u] = coef_b;
        state[params.state_first + params.vec4s + lane + 256u] = slope_b;
    }
    mark_done(lane);
}
