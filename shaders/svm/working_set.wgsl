// A working set of a support vector machine: pairs of its variables, the most promising first, until no pair violates its
// conditions by more than a tolerance, or the steps are used up. One workgroup, a lane a variable; the matrix stays in a cache.
// A step is two reductions: of slopes, for the variable that rises, and of gains, for the one that falls with it.
//#import status
struct Params {
    square_first: u32,
    square_stride: u32,
    index_first: u32,
    bounds_first: u32,
    beta_first: u32,
    slope_first: u32,
    change_first: u32,
    change_stride: u32,
    group_first: u32,
    variables: u32,
    steps: u32,
    tol: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
// The kernel function of each pair of the set.
@group(0) @binding(1) var<storage, read> square: array<f32>;
@group(0) @binding(2) var<storage, read> index: array<u32>;
// Of each variable the least and the greatest value, what is added to the diagonal, and the linear term.
@group(0) @binding(3) var<storage, read> bounds: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> beta: array<f32>;
@group(0) @binding(5) var<storage, read_write> slope: array<f32>;
@group(0) @binding(6) var<storage, read_write> change: array<f32>;

const WIDTH = 256u;
const TEAM = 16u;
const NONE = 0xffffffffu;
// Larger than any slope.
const FAR = 1.0e38;
const LEAST_CURVATURE = 1e-12;

// Variable, slope and bounds of each lane, and the diagonal.
var<workgroup> cells: array<vec4<f32>, 256>;
var<workgroup> diagonal: array<f32, 256>;
// Slopes of what may rise and of what may fall, for both groups; then what a team found of them.
var<workgroup> slopes: array<vec4<f32>, 256>;
var<workgroup> team_slopes: array<vec4<f32>, 16>;
var<workgroup> team_places: array<vec2<u32>, 16>;
var<workgroup> gains: array<f32, 256>;
var<workgroup> team_gains: array<f32, 16>;
var<workgroup> team_partners: array<u32, 16>;
var<workgroup> ended: u32;

struct Riser {
    place: u32,
    slope: f32,
    violation: f32,
    group: u32,
}

// The least slopes that may rise, with their places, and the greatest that may fall, of what the sixteen teams found.
fn riser() -> Riser {
    var best = team_slopes[0];
    var places = team_places[0];
    for (var team = 1u; team < TEAM; team += 1u) {
        let other = team_slopes[team];
        if (other.x < best.x) {
            places.x = team_places[team].x;
        }
        if (other.z < best.z) {
            places.y = team_places[team].y;
        }
        best = vec4(min(best.x, other.x), max(best.y, other.y), min(best.z, other.z), max(best.w, other.w));
    }
    let violations = vec2(best.y, best.w) - vec2(best.x, best.z);
    if (violations.y > violations.x) {
        return Riser(places.y, best.z, violations.y, 1u);
    }
    return Riser(places.x, best.x, violations.x, 0u);
}

// What a team of sixteen lanes finds among its part of the slopes.
fn search_slopes(lane: u32) {
    var best = slopes[lane * TEAM];
    var places = vec2(lane * TEAM);
    for (var member = 1u; member < TEAM; member += 1u) {
        let place = lane * TEAM + member;
        let other = slopes[place];
        if (other.x < best.x) {
            places.x = place;
        }
        if (other.z < best.z) {
            places.y = place;
        }
        best = vec4(min(best.x, other.x), max(best.y, other.y), min(best.z, other.z), max(best.w, other.w));
    }
    team_slopes[lane] = best;
    team_places[lane] = places;
}

fn search_gains(lane: u32) {
    var best = gains[lane * TEAM];
    var partner = lane * TEAM;
    for (var member = 1u; member < TEAM; member += 1u) {
        let place = lane * TEAM + member;
        if (gains[place] > best) {
            best = gains[place];
            partner = place;
        }
    }
    team_gains[lane] = best;
    team_partners[lane] = partner;
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    let variable = index[params.index_first + lane];
    let used = variable != NONE;
    let at = select(0u, variable, used);
    let own_bounds = bounds[params.bounds_first + at];
    let begun = beta[params.beta_first + at];
    let group = select(0u, 1u, at >= params.group_first);
    let row = params.square_first + lane * params.square_stride;
    let own_diagonal = square[row + lane] + own_bounds.z;
    diagonal[lane] = own_diagonal;
    // Variable, slope and bounds.
    var own = vec4(begun, slope[params.slope_first + at], own_bounds.x, own_bounds.y);
    if (lane == 0u) {
        ended = 0u;
    }
    var made = 0u;
    for (var step = 0u; step < params.steps; step += 1u) {
        if (workgroupUniformLoad(&ended) == 1u) {
            break;
        }
        let rises = used && own.x < own.w;
        let falls = used && own.x > own.z;
        let up = select(FAR, own.y, rises);
        let down = select(-FAR, own.y, falls);
        cells[lane] = own;
        slopes[lane] = select(vec4(up, down, FAR, -FAR), vec4(FAR, -FAR, up, down), group == 1u);
        workgroupBarrier();
        if (lane < TEAM) {
            search_slopes(lane);
        }
        workgroupBarrier();
        let first = riser();
        let here = square[params.square_first + first.place * params.square_stride + lane];
        let difference = own.y - first.slope;
        let curvature = max(diagonal[first.place] + own_diagonal - 2.0 * here, LEAST_CURVATURE);
        let partner_of = falls && group == first.group && difference > 0.0;
        gains[lane] = select(-1.0, difference * difference / curvature, partner_of);
        workgroupBarrier();
        if (lane < TEAM) {
            search_gains(lane);
        }
        workgroupBarrier();
        var gain = team_gains[0];
        var partner = team_partners[0];
        for (var team = 1u; team < TEAM; team += 1u) {
            if (team_gains[team] > gain) {
                gain = team_gains[team];
                partner = team_partners[team];
            }
        }
        let is_last = first.violation <= params.tol || gain <= 0.0;
        if (lane == 0u && is_last) {
            ended = 1u;
        }
        if (!is_last) {
            made += 1u;
            let one = cells[first.place];
            let other = cells[partner];
            let between = square[params.square_first + first.place * params.square_stride + partner];
            let bend = max(diagonal[first.place] + diagonal[partner] - 2.0 * between, LEAST_CURVATURE);
            let room = vec2(one.w - one.x, other.x - other.z);
            let size = min((other.y - one.y) / bend, min(room.x, room.y));
            let there = square[params.square_first + partner * params.square_stride + lane];
            own.y += size * (here - there);
            // What ends at a bound is there exactly.
            if (lane == first.place) {
                own.x = select(own.x + size, own.w, size == room.x);
                own.y += size * own_bounds.z;
            }
            if (lane == partner) {
                own.x = select(own.x - size, own.z, size == room.y);
                own.y -= size * own_bounds.z;
            }
        }
    }
    if (lane == 0u) {
        slope[params.slope_first + params.variables] += f32(made);
    }
    let moved = select(0.0, own.x - begun, used);
    let out = params.change_first + lane * params.change_stride;
    change[out] = moved;
    // What pads a row is read with it.
    for (var pad = 1u; pad < params.change_stride; pad++) {
        change[out + pad] = 0.0;
    }
    if (used) {
        beta[params.beta_first + at] = own.x;
        // The rest of the slope follows for all variables.
        slope[params.slope_first + at] += moved * own_bounds.z;
    }
    mark_done(lane);
}
