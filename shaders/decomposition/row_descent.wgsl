// Coordinate descent for many rows at once, which share the products of the columns.
// A workgroup takes a row, a lane four neighbouring columns in every 256, in workgroup memory that no other lane writes.
// The lane of the next coordinate tells the others its numbers: one barrier a step; thousands of rows hide it.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    passes: u32,
    positive: u32,
    gram_first: u32,
    product_first: u32,
    coef_first: u32,
    vec4s: u32,
    l1: f32,
    l2: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> gram: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> products: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> coefs: array<vec4<f32>>;

const LANES = 64u;
const MOST = 256u;

var<workgroup> slopes: array<vec4<f32>, MOST>;
var<workgroup> coef: array<vec4<f32>, MOST>;
// Slope and coefficient of the coordinate of a step, for even and odd steps.
var<workgroup> told: array<vec2<f32>, 2>;

// Where the penalised parabola along a coordinate is least.
fn least(slope: f32, value: f32, curvature: f32) -> f32 {
    let aim = slope + curvature * value;
    let over = max(abs(aim) - params.l1, 0.0) / (max(curvature, 1e-37) + params.l2);
    let signed_over = select(over, -over, aim < 0.0);
    let allowed = select(signed_over, 0.0, params.positive == 1u && aim < 0.0);
    return select(value, allowed, curvature > 0.0);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    let row = min(at, params.rows - 1u);
    let own = params.coef_first + row * params.vec4s;
    for (var part = lane; part < params.vec4s; part += LANES) {
        coef[part] = coefs[own + part];
    }
    workgroupBarrier();
    // The slopes b − G·w of the row as it begins.
    for (var part = lane; part < params.vec4s; part += LANES) {
        var slope = products[params.product_first + row * params.vec4s + part];
        for (var other = 0u; other < params.columns; other += 1u) {
            slope -= coef[other / 4u][other % 4u] * gram[params.gram_first + other * params.vec4s + part];
        }
        slopes[part] = slope;
    }
    workgroupBarrier();
    if (lane == 0u) {
        told[0] = vec2(slopes[0].x, coef[0].x);
    }
    var column = 0u;
    workgroupBarrier();
    for (var step = 0u; step < params.passes * params.columns; step += 1u) {
        let now = told[step % 2u];
        let line = params.gram_first + column * params.vec4s;
        let moved = least(now.x, now.y, gram[line + column / 4u][column % 4u]);
        let change = moved - now.y;
        if (change != 0.0) {
            for (var part = lane; part < params.vec4s; part += LANES) {
                slopes[part] -= change * gram[line + part];
            }
            if (lane == column / 4u % LANES) {
                coef[column / 4u][column % 4u] = moved;
            }
        }
        let next = select(column + 1u, 0u, column + 1u >= params.columns);
        if (lane == next / 4u % LANES) {
            told[(step + 1u) % 2u] = vec2(slopes[next / 4u][next % 4u], coef[next / 4u][next % 4u]);
        }
        column = next;
        workgroupBarrier();
    }
    if (at < params.rows) {
        for (var part = lane; part < params.vec4s; part += LANES) {
            coefs[own + part] = coef[part];
        }
    }
    mark_done(lane);
}
