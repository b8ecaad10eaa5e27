// For each row the sum of weight·(its z − the other's z) over the pairs that it is in, its own and those of others.
// TEAM lanes take a row, each some vec4 of its columns; 256 / TEAM rows a workgroup. Neighbours read neighbouring words.
// The pairs of others are listed by row, so every sum has one order and nothing is added by two lanes.
//#import status
struct Params {
    rows: u32,
    vec4s: u32,
    pairs: u32,
    groups: u32,
    z_first: u32,
    other_first: u32,
    weight_first: u32,
    begin_first: u32,
    entry_first: u32,
    out_first: u32,
    first: u32,
    end: u32,
}

override TEAM: u32 = 64u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> z: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> others: array<u32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
// Where the entries of each row begin, and one more; an entry is the number of a pair in which the row is the other.
@group(0) @binding(4) var<storage, read> begins: array<u32>;
@group(0) @binding(5) var<storage, read> entries: array<u32>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec4<f32>>;

fn apart(row: u32, other: u32, at: u32) -> vec4<f32> {
    return z[params.z_first + row * params.vec4s + at] - z[params.z_first + min(other, params.rows - 1u) * params.vec4s + at];
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    let row = params.first + number * (256u / TEAM) + lane / TEAM;
    if (number < params.groups && row < params.end) {
        let begin = begins[params.begin_first + row];
        let end = begins[params.begin_first + row + 1u];
        for (var at = lane % TEAM; at < params.vec4s; at += TEAM) {
            var sum = vec4<f32>();
            for (var pair = row * params.pairs; pair < (row + 1u) * params.pairs; pair += 1u) {
                let weight = weights[params.weight_first + pair];
                if (weight != 0.0) {
                    sum += weight * apart(row, others[params.other_first + pair], at);
                }
            }
            for (var entry = begin; entry < end; entry += 1u) {
                let pair = entries[params.entry_first + entry];
                let weight = weights[params.weight_first + pair];
                if (weight != 0.0) {
                    sum += weight * apart(row, pair / params.pairs, at);
                }
            }
            sums[params.out_first + row * params.vec4s + at] = sum;
        }
    }
    mark_done(lane);
}
