// The best value of each row and its column, by the importing shader's `better`; the lowest column of equals.
// A team of TEAM lanes takes a row in strides, then halves itself through workgroup memory; 256 / TEAM rows a workgroup.
// One lane a row is best for narrow rows, many for wide ones: the host chooses TEAM.
//#import status
struct Params {
    rows: u32,
    columns: u32,
    groups: u32,
    x_first: u32,
    x_stride: u32,
    index_first: u32,
    value_first: u32,
}

override TEAM: u32 = 32u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> index: array<u32>;
@group(0) @binding(3) var<storage, read_write> value: array<f32>;

var<workgroup> best_value: array<f32, 256>;
var<workgroup> best_column: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.groups) {
        let row = at * (256u / TEAM) + lane / TEAM;
        let first = params.x_first + min(row, params.rows - 1u) * params.x_stride;
        let member = lane % TEAM;
        var column = min(member, params.columns - 1u);
        var best = x[first + column];
        var next = member + TEAM;
        // Four at a time while there are four: the loop costs as much as the comparison.
        for (; next + 3u * TEAM < params.columns; next += 4u * TEAM) {
            let candidates = vec4(x[first + next], x[first + next + TEAM], x[first + next + 2u * TEAM], x[first + next + 3u * TEAM]);
            let second = better(candidates.y, candidates.x);
            let fourth = better(candidates.w, candidates.z);
            let left = select(candidates.x, candidates.y, second);
            let right = select(candidates.z, candidates.w, fourth);
            let upper = better(right, left);
            let winner = select(left, right, upper);
            if (better(winner, best)) {
                best = winner;
                column = next + TEAM * select(select(0u, 1u, second), select(2u, 3u, fourth), upper);
            }
        }
        for (; next < params.columns; next += TEAM) {
            let candidate = x[first + next];
            if (better(candidate, best)) {
                best = candidate;
                column = next;
            }
        }
        best_value[lane] = best;
        best_column[lane] = column;
        for (var half = TEAM / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (member < half) {
                let other = best_value[lane + half];
                let other_column = best_column[lane + half];
                if (better(other, best_value[lane]) || (other == best_value[lane] && other_column < best_column[lane])) {
                    best_value[lane] = other;
                    best_column[lane] = other_column;
                }
            }
        }
        if (member == 0u && row < params.rows) {
            index[params.index_first + row] = best_column[lane];
            value[params.value_first + row] = best_value[lane];
        }
    }
    mark_done(lane);
}
