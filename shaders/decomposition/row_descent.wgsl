// Coordinate descent for many rows at once, which share the products of the columns.
// A workgroup takes a row, a lane every 64th of its slopes and coefficients, in workgroup memory that no other lane touches.
// The lane of the next coordinate tells the others its numbers: one barrier a step; thousands of rows hide it.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    passes: u32,
    positive: u32,
    gram_first: u32,
    gram_stride: u32,
    product_first: u32,
    coef_first: u32,
    stride: u32,
    l1: f32,
    l2: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> gram: array<f32>;
@group(0) @binding(2) var<storage, read> products: array<f32>;
@group(0) @binding(3) var<storage, read_write> coefs: array<f32>;

const LANES = 64u;
const MOST = 1024u;

var<workgroup> slopes: array<f32, MOST>;
var<workgroup> coef: array<f32, MOST>;
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
    let own = params.coef_first + row * params.stride;
    for (var column = lane; column < params.columns; column += LANES) {
        coef[column] = coefs[own + column];
    }
    workgroupBarrier();
    // The slopes b − G·w of the row as it begins.
    for (var column = lane; column < params.columns; column += LANES) {
        var slope = products[params.product_first + row * params.stride + column];
        for (var other = 0u; other < params.columns; other += 1u) {
            slope -= coef[other] * gram[params.gram_first + other * params.gram_stride + column];
        }
        slopes[column] = slope;
    }
    workgroupBarrier();
    if (lane == 0u) {
        told[0] = vec2(slopes[0], coef[0]);
    }
    var column = 0u;
    workgroupBarrier();
    for (var step = 0u; step < params.passes * params.columns; step += 1u) {
        let now = told[step % 2u];
        let line = params.gram_first + column * params.gram_stride;
        let moved = least(now.x, now.y, gram[line + column]);
        let change = moved - now.y;
        if (change != 0.0) {
            for (var other = lane; other < params.columns; other += LANES) {
                slopes[other] -= change * gram[line + other];
            }
            if (lane == column % LANES) {
                coef[column] = moved;
            }
        }
        let next = select(column + 1u, 0u, column + 1u >= params.columns);
        if (lane == next % LANES) {
            told[(step + 1u) % 2u] = vec2(slopes[next], coef[next]);
        }
        column = next;
        workgroupBarrier();
    }
    if (at < params.rows) {
        for (var other = lane; other < params.columns; other += LANES) {
            coefs[own + other] = coef[other];
        }
    }
    mark_done(lane);
}
