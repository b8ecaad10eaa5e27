// Orthogonal matching pursuit on products alone: the sparse code of each row.
// A workgroup takes a row: its lanes look for the atom most like what is left, lane 0 solves for the few coefficients, and
// all subtract. A row that has ended goes through the steps that are left without effect, so barriers stay uniform.
//#import status
struct Params {
    rows: u32,
    nonzeros: u32,
    gram_first: u32,
    product_first: u32,
    square_first: u32,
    code_first: u32,
    vec4s: u32,
    tolerance: f32,
    own_share: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> gram: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> products: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> squares: array<f32>;
@group(0) @binding(4) var<storage, read_write> codes: array<vec4<f32>>;

const LANES = 64u;
const MOST = 256u;
const DEEP = 32u;

// Products of the atoms with what is left of the row, four atoms together; what fills up the last four is 0.
var<workgroup> left: array<vec4<f32>, MOST>;
var<workgroup> sizes: array<f32, LANES>;
var<workgroup> places: array<u32, LANES>;
// The triangular factor of the chosen atoms' products.
var<workgroup> factor: array<f32, DEEP * DEEP>;
var<workgroup> beside: array<f32, DEEP>;
var<workgroup> forward: array<f32, DEEP>;
var<workgroup> solution: array<f32, DEEP>;
var<workgroup> chosen: array<u32, DEEP>;
var<workgroup> count: u32;
var<workgroup> over: u32;
var<workgroup> residual: f32;
var<workgroup> largest: f32;

fn gram_of(row: u32, column: u32) -> f32 {
    return gram[params.gram_first + row * params.vec4s + column / 4u][column % 4u];
}

// Adds an atom to the factor and solves for the coefficients; marks the end where the atom is none to take.
fn take(atom: u32, size: f32, own: f32, product: f32) {
    let taken = count;
    var known = false;
    for (var row = 0u; row < taken; row += 1u) {
        known = known || chosen[row] == atom;
    }
    var rest = own;
    for (var row = 0u; row < taken; row += 1u) {
        var value = beside[row];
        for (var column = 0u; column < row; column += 1u) {
            value -= factor[row * DEEP + column] * factor[taken * DEEP + column];
        }
        value /= factor[row * DEEP + row];
        factor[taken * DEEP + row] = value;
        rest -= value * value;
    }
    let ended = params.tolerance > 0.0 && residual <= params.tolerance;
    if (over == 1u || ended || known || size <= 1e-6 * largest || own <= 0.0 || rest <= params.own_share * own) {
        over = 1u;
        return;
    }
    let diagonal = sqrt(rest);
    factor[taken * DEEP + taken] = diagonal;
    var value = product;
    for (var column = 0u; column < taken; column += 1u) {
        value -= factor[taken * DEEP + column] * forward[column];
    }
    forward[taken] = value / diagonal;
    residual -= forward[taken] * forward[taken];
    chosen[taken] = atom;
    for (var row = 0u; row <= taken; row += 1u) {
        solution[row] = forward[row];
    }
    for (var back = 0u; back <= taken; back += 1u) {
        let row = taken - back;
        let found = solution[row] / factor[row * DEEP + row];
        solution[row] = found;
        for (var column = 0u; column < row; column += 1u) {
            solution[column] -= factor[row * DEEP + column] * found;
        }
    }
    count = taken + 1u;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    let row = min(at, params.rows - 1u);
    let own = params.product_first + row * params.vec4s;
    for (var part = lane; part < params.vec4s; part += LANES) {
        left[part] = products[own + part];
    }
    if (lane == 0u) {
        count = 0u;
        over = 0u;
        residual = 0.0;
        if (params.tolerance > 0.0) {
            residual = squares[params.square_first + row];
        }
    }
    for (var step = 0u; step < params.nonzeros; step += 1u) {
        var size = -1.0;
        var place = 0u;
        for (var part = lane; part < params.vec4s; part += LANES) {
            let values = abs(left[part]);
            let value = max(max(values.x, values.y), max(values.z, values.w));
            if (value > size) {
                size = value;
                place = 4u * part + select(select(select(3u, 2u, values.z == value), 1u, values.y == value), 0u, values.x == value);
            }
        }
        sizes[lane] = size;
        places[lane] = place;
        for (var half = LANES / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                let other = sizes[lane + half];
                let before = places[lane + half] < places[lane];
                if (other > sizes[lane] || (other == sizes[lane] && before)) {
                    sizes[lane] = other;
                    places[lane] = places[lane + half];
                }
            }
        }
        workgroupBarrier();
        let atom = places[0];
        if (lane < count) {
            beside[lane] = gram_of(chosen[lane], atom);
        }
        workgroupBarrier();
        if (lane == 0u) {
            if (step == 0u) {
                largest = sizes[0];
            }
            take(atom, sizes[0], gram_of(atom, atom), products[own + atom / 4u][atom % 4u]);
        }
        workgroupBarrier();
        for (var part = lane; part < params.vec4s; part += LANES) {
            var values = products[own + part];
            for (var term = 0u; term < count; term += 1u) {
                values -= solution[term] * gram[params.gram_first + chosen[term] * params.vec4s + part];
            }
            left[part] = values;
        }
    }
    workgroupBarrier();
    if (at < params.rows) {
        for (var part = lane; part < params.vec4s; part += LANES) {
            let atoms = vec4(0u, 1u, 2u, 3u) + 4u * part;
            var values = vec4<f32>();
            for (var term = 0u; term < count; term += 1u) {
                values = select(values, vec4(solution[term]), atoms == vec4(chosen[term]));
            }
            codes[params.code_first + row * params.vec4s + part] = values;
        }
    }
    mark_done(lane);
}
