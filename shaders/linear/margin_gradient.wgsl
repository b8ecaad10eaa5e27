// The margins of rows, their loss, and its gradient by the coefficients, while the rows are read from memory once.
// A workgroup takes 512 rows, 64 at a time: sixteen lanes make the margins of four rows, a lane a row makes residuals of
// them, then a lane adds four columns over the rows, which are in the cache by then. Neighbouring lanes read neighbours.
//#import status
//#import elementary
struct Params {
    rows: u32,
    vec4s: u32,
    planes: u32,
    loss: u32,
    x_first: u32,
    class_first: u32,
    weight_first: u32,
    weight_step: u32,
    planes_first: u32,
    out_first: u32,
    out_stride: u32,
    groups: u32,
}

// The rows are split among so many parts of the lanes where there are fewer columns than lanes: the host chooses.
override SPLIT: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> classes: array<u32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
// A row for each plane: its coefficients, then a vector that begins with the intercept.
@group(0) @binding(4) var<storage, read> planes: array<vec4<f32>>;
// For each workgroup the gradient in the same layout, with the loss behind the first intercept.
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;

const ROWS = 64u;
const BLOCKS = 8u;
const MOST_PLANES = 32u;

var<workgroup> margins: array<f32, 2048>;
var<workgroup> partial: array<vec4<f32>, 256>;
var<workgroup> losses: array<f32, 64>;
var<workgroup> totals: array<f32, 36>;

fn row_first(row: u32) -> u32 {
    return params.x_first + min(row, params.rows - 1u) * params.vec4s;
}

fn plane_first(plane: u32) -> u32 {
    return params.planes_first + min(plane, params.planes - 1u) * (params.vec4s + 1u);
}

fn intercept(plane: u32) -> f32 {
    return planes[plane_first(plane) + params.vec4s].x;
}

// The sums of the sixteen lanes of each team become margins of row `row + team`, for four planes.
fn store_margins(lane: u32, sums: vec4<f32>, plane: u32, row: u32) {
    partial[lane] = sums;
    workgroupBarrier();
    if (lane < 16u) {
        var sum = partial[16u * lane];
        for (var member = 1u; member < 16u; member += 1u) {
            sum += partial[16u * lane + member];
        }
        for (var at = 0u; at < 4u; at += 1u) {
            if (plane + at < params.planes) {
                margins[(plane + at) * ROWS + row + lane] = sum[at] + intercept(plane + at);
            }
        }
    }
    workgroupBarrier();
}

fn make_margins(lane: u32, first: u32) {
    let member = lane % 16u;
    let row = first + lane / 16u;
    let at = vec4(row_first(row), row_first(row + 16u), row_first(row + 32u), row_first(row + 48u));
    for (var plane = 0u; plane < params.planes; plane += 4u) {
        let plane_at = vec4(plane_first(plane), plane_first(plane + 1u), plane_first(plane + 2u), plane_first(plane + 3u));
        var s0 = vec4<f32>();
        var s1 = vec4<f32>();
        var s2 = vec4<f32>();
        var s3 = vec4<f32>();
        for (var v = member; v < params.vec4s; v += 16u) {
            let w0 = planes[plane_at.x + v];
            let w1 = planes[plane_at.y + v];
            let w2 = planes[plane_at.z + v];
            let w3 = planes[plane_at.w + v];
            let x0 = x[at.x + v];
            let x1 = x[at.y + v];
            let x2 = x[at.z + v];
            let x3 = x[at.w + v];
            s0 += vec4(dot(x0, w0), dot(x0, w1), dot(x0, w2), dot(x0, w3));
            s1 += vec4(dot(x1, w0), dot(x1, w1), dot(x1, w2), dot(x1, w3));
            s2 += vec4(dot(x2, w0), dot(x2, w1), dot(x2, w2), dot(x2, w3));
            s3 += vec4(dot(x3, w0), dot(x3, w1), dot(x3, w2), dot(x3, w3));
        }
        store_margins(lane, s0, plane, 0u);
        store_margins(lane, s1, plane, 16u);
        store_margins(lane, s2, plane, 32u);
        store_margins(lane, s3, plane, 48u);
    }
}

// One log-odds becomes weight·(p − [class 1]); returns the loss.
fn logistic_residual(row: u32, own: bool, weight: f32) -> f32 {
    let margin = margins[row];
    let signed = select(-margin, margin, own);
    let wrong = logistic(-signed);
    margins[row] = weight * select(wrong, -wrong, own);
    return softplus(-signed);
}

// Scores become weight·(p − [own class]); returns the loss.
fn softmax_residuals(row: u32, code: u32, weight: f32) -> f32 {
    var largest = margins[row];
    for (var plane = 1u; plane < params.planes; plane += 1u) {
        largest = max(largest, margins[plane * ROWS + row]);
    }
    let own = margins[code * ROWS + row];
    var sum = 0.0;
    for (var plane = 0u; plane < params.planes; plane += 1u) {
        let share = exponential(margins[plane * ROWS + row] - largest);
        margins[plane * ROWS + row] = share;
        sum += share;
    }
    for (var plane = 0u; plane < params.planes; plane += 1u) {
        let taken = select(0.0, 1.0, plane == code);
        margins[plane * ROWS + row] = weight * (margins[plane * ROWS + row] / sum - taken);
    }
    return logarithm(sum) + largest - own;
}

// Margins become −2·weight·y·max(0, 1 − y·margin); returns the loss.
fn squared_hinge_residuals(row: u32, code: u32, weight: f32) -> f32 {
    var loss = 0.0;
    for (var plane = 0u; plane < params.planes; plane += 1u) {
        let positive = select(plane, 1u, params.planes == 1u) == code;
        let sign = select(-1.0, 1.0, positive);
        let short = max(1.0 - sign * margins[plane * ROWS + row], 0.0);
        loss += short * short;
        margins[plane * ROWS + row] = -2.0 * weight * sign * short;
    }
    return loss;
}

fn make_residuals(lane: u32, first: u32) {
    if (lane < ROWS) {
        let row = min(first + lane, params.rows - 1u);
        let weight = select(0.0, weights[params.weight_first + row * params.weight_step], first + lane < params.rows);
        let code = min(classes[params.class_first + row], max(params.planes, 2u) - 1u);
        var loss = 0.0;
        if (params.loss == 1u) {
            loss = squared_hinge_residuals(lane, code, weight);
        } else if (params.planes == 1u) {
            loss = logistic_residual(lane, code == 1u, weight);
        } else {
            loss = softmax_residuals(lane, code, weight);
        }
        losses[lane] = weight * loss;
    }
    workgroupBarrier();
    if (lane < params.planes) {
        var sum = totals[lane];
        for (var row = 0u; row < ROWS; row += 1u) {
            sum += margins[lane * ROWS + row];
        }
        totals[lane] = sum;
    } else if (lane == params.planes) {
        var sum = totals[lane];
        for (var row = 0u; row < ROWS; row += 1u) {
            sum += losses[row];
        }
        totals[lane] = sum;
    }
}

// Adds the parts of the lanes, and that to what the workgroup has of four columns of a plane.
fn add_slope(lane: u32, sum: vec4<f32>, stores: bool, place: u32, begins: bool) {
    var total = sum;
    if (SPLIT > 1u) {
        partial[lane] = sum;
        workgroupBarrier();
        if (stores) {
            for (var part = 1u; part < SPLIT; part += 1u) {
                total += partial[part * (256u / SPLIT) + lane];
            }
        }
        workgroupBarrier();
    }
    if (stores) {
        if (begins) {
            out[place] = total;
        } else {
            out[place] += total;
        }
    }
}

fn add_slopes(lane: u32, first: u32, group: u32, begins: bool) {
    let width = 256u / SPLIT;
    let items = params.vec4s * ((params.planes + 3u) / 4u);
    for (var base = 0u; base < items; base += width) {
        let item = min(base + lane % width, items - 1u);
        let v = item % params.vec4s;
        let plane = item / params.vec4s * 4u;
        var g0 = vec4<f32>();
        var g1 = vec4<f32>();
        var g2 = vec4<f32>();
        var g3 = vec4<f32>();
        for (var row = lane / width; row < ROWS; row += SPLIT) {
            let value = x[row_first(first + row) + v];
            let at = plane * ROWS + row;
            g0 += value * margins[at];
            g1 += value * margins[at + ROWS];
            g2 += value * margins[at + 2u * ROWS];
            g3 += value * margins[at + 3u * ROWS];
        }
        let step = params.vec4s + 1u;
        let place = params.out_first + group * params.out_stride + plane * step + v;
        let mine = lane < width && base + lane < items;
        add_slope(lane, g0, mine, place, begins);
        add_slope(lane, g1, mine && plane + 1u < params.planes, place + step, begins);
        add_slope(lane, g2, mine && plane + 2u < params.planes, place + 2u * step, begins);
        add_slope(lane, g3, mine && plane + 3u < params.planes, place + 3u * step, begins);
    }
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.groups) {
        if (lane < 36u) {
            totals[lane] = 0.0;
        }
        // What planes that are not there leave in the sums is never stored, but must be a number.
        for (var place = lane; place < ROWS * MOST_PLANES; place += 256u) {
            margins[place] = 0.0;
        }
        workgroupBarrier();
        for (var block = 0u; block < BLOCKS; block += 1u) {
            let first = (at * BLOCKS + block) * ROWS;
            make_margins(lane, first);
            make_residuals(lane, first);
            add_slopes(lane, first, at, block == 0u);
            workgroupBarrier();
        }
        if (lane < params.planes) {
            let place = params.out_first + at * params.out_stride + lane * (params.vec4s + 1u) + params.vec4s;
            out[place] = vec4(totals[lane], select(0.0, totals[params.planes], lane == 0u), 0.0, 0.0);
        }
    }
    mark_done(lane);
}
