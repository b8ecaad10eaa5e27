// The sum of each row, or with SQUARED 1 of the squares of its values.
// A team of TEAM lanes takes a row, four columns a lane at a time, so that neighbours read neighbouring words.
// A fixed order: the result of a row depends on nothing but the row.
//#import status
struct Params {
    rows: u32,
    x_first: u32,
    vec4s: u32,
    out_first: u32,
}

// One lane for short rows, 8 for long ones: the host chooses.
override TEAM: u32 = 8u;
override SQUARED: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

var<workgroup> partial: array<f32, 64>;

fn term(at: u32) -> vec4<f32> {
    let value = x[at];
    if (SQUARED == 1u) {
        return value * value;
    }
    return value;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let member = lane % TEAM;
    let row = (group.y * groups.x + group.x) * (64u / TEAM) + lane / TEAM;
    let first = params.x_first + min(row, params.rows - 1u) * params.vec4s;
    var sum = vec4<f32>();
    var at = member;
    for (; at + 3u * TEAM < params.vec4s; at += 4u * TEAM) {
        let low = term(first + at) + term(first + at + TEAM);
        sum += low + (term(first + at + 2u * TEAM) + term(first + at + 3u * TEAM));
    }
    for (; at < params.vec4s; at += TEAM) {
        sum += term(first + at);
    }
    partial[lane] = (sum.x + sum.y) + (sum.z + sum.w);
    for (var half = TEAM / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (member < half) {
            partial[lane] += partial[lane + half];
        }
    }
    if (member == 0u && row < params.rows) {
        out[params.out_first + row] = partial[lane];
    }
    mark_done(lane);
}
