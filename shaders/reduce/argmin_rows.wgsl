// The smallest value of each row and its column, or the largest with LARGEST; the lowest column where values are equal.
// A team of TEAM lanes takes a row in strides, then halves itself through workgroup memory; 256 / TEAM rows a workgroup.
// By integers that order as the numbers do: exact, so the same on every device. The host chooses TEAM by the columns.
//#import order
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
override LARGEST: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> index: array<u32>;
@group(0) @binding(3) var<storage, read_write> value: array<u32>;

var<workgroup> best_key: array<u32, 256>;
var<workgroup> best_column: array<u32, 256>;

fn key(bits: u32) -> u32 {
    return select(order_key(bits), ~order_key(bits), LARGEST == 1u);
}

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
        var best = key(x[first + column]);
        var next = member + TEAM;
        // Four at a time while there are four: the loop costs as much as the comparison.
        for (; next + 3u * TEAM < params.columns; next += 4u * TEAM) {
            let k0 = key(x[first + next]);
            let k1 = key(x[first + next + TEAM]);
            let k2 = key(x[first + next + 2u * TEAM]);
            let k3 = key(x[first + next + 3u * TEAM]);
            let second = k1 < k0;
            let fourth = k3 < k2;
            let upper = min(k2, k3) < min(k0, k1);
            let least = min(min(k0, k1), min(k2, k3));
            if (least < best) {
                best = least;
                column = next + TEAM * select(select(0u, 1u, second), select(2u, 3u, fourth), upper);
            }
        }
        for (; next < params.columns; next += TEAM) {
            let candidate = key(x[first + next]);
            if (candidate < best) {
                best = candidate;
                column = next;
            }
        }
        best_key[lane] = best;
        best_column[lane] = column;
        for (var half = TEAM / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (member < half) {
                let other = best_key[lane + half];
                let other_column = best_column[lane + half];
                if (other < best_key[lane] || (other == best_key[lane] && other_column < best_column[lane])) {
                    best_key[lane] = other;
                    best_column[lane] = other_column;
                }
            }
        }
        if (member == 0u && row < params.rows) {
            index[params.index_first + row] = best_column[lane];
            value[params.value_first + row] = x[first + best_column[lane]];
        }
    }
    mark_done(lane);
}
