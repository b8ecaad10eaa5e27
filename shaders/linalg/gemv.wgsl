// y = A·x: the product of each row with a vector.
// A team of TEAM lanes takes four rows, four columns a lane at a time, so the vector is read once for four rows.
// A fixed order: the result of a row depends on nothing but the row.
//#import status
struct Params {
    rows: u32,
    a_first: u32,
    vec4s: u32,
    out_first: u32,
    x_first: u32,
    columns: u32,
}

// One lane for short rows, 8 for long ones, so that neighbours read one cache line: the host chooses.
override TEAM: u32 = 1u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

var<workgroup> partial: array<vec4<f32>, 64>;

fn row_first(row: u32) -> u32 {
    return params.a_first + min(row, params.rows - 1u) * params.vec4s;
}

fn store(row: u32, sum: f32) {
    if (row < params.rows) {
        y[params.out_first + row] = sum;
    }
}

fn total(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let teams = 64u / TEAM;
    let member = lane % TEAM;
    let row = (group.y * groups.x + group.x) * 4u * teams + lane / TEAM;
    let first = vec4(row_first(row), row_first(row + teams), row_first(row + 2u * teams), row_first(row + 3u * teams));
    var s0 = vec4<f32>();
    var s1 = vec4<f32>();
    var s2 = vec4<f32>();
    var s3 = vec4<f32>();
    let whole = params.columns / 4u;
    for (var vec4_index = member; vec4_index < whole; vec4_index += TEAM) {
        let factor = x[params.x_first + vec4_index];
        s0 = fma(a[first.x + vec4_index], factor, s0);
        s1 = fma(a[first.y + vec4_index], factor, s1);
        s2 = fma(a[first.z + vec4_index], factor, s2);
        s3 = fma(a[first.w + vec4_index], factor, s3);
    }
    // Behind the end of the vector there may be anything.
    if (4u * whole < params.columns && member == 0u) {
        let inside = vec4(4u * whole) + vec4(0u, 1u, 2u, 3u) < vec4(params.columns);
        let factor = select(vec4<f32>(), x[params.x_first + whole], inside);
        s0 = fma(a[first.x + whole], factor, s0);
        s1 = fma(a[first.y + whole], factor, s1);
        s2 = fma(a[first.z + whole], factor, s2);
        s3 = fma(a[first.w + whole], factor, s3);
    }
    partial[lane] = vec4(total(s0), total(s1), total(s2), total(s3));
    for (var half = TEAM / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (member < half) {
            partial[lane] += partial[lane + half];
        }
    }
    if (member == 0u) {
        let sums = partial[lane];
        store(row, sums.x);
        store(row + teams, sums.y);
        store(row + 2u * teams, sums.z);
        store(row + 3u * teams, sums.w);
    }
    mark_done(lane);
}
