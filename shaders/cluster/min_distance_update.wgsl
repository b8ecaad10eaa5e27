// For each row and each of four candidate centres: the squared distance to the nearest centre, were it chosen.
// A workgroup takes 4096 rows and four candidates, a lane 16 of the rows; it also adds up the weighted distances.
// Fixed blocks in a fixed order, so the sums that the random choice rests on have the same bits every run.
//#import status
struct Params {
    rows: u32,
    blocks: u32,
    vec4s: u32,
    candidates: u32,
    x_first: u32,
    candidate_first: u32,
    closest_first: u32,
    closest_stride: u32,
    weight_first: u32,
    out_first: u32,
    out_vec4s: u32,
    sum_first: u32,
}

// 1 if there is a centre already, whose distances are in `closest`.
override KNOWN: u32 = 0u;
// 1 if each row has a weight of its own.
override WEIGHTED: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> candidates: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> closest: array<f32>;
@group(0) @binding(4) var<storage, read> weights: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec4<f32>>;

const BLOCK = 4096u;

var<workgroup> partial: array<vec4<f32>, 256>;

fn candidate(number: u32, vec4_index: u32) -> vec4<f32> {
    return candidates[params.candidate_first + min(number, params.candidates - 1u) * params.vec4s + vec4_index];
}

fn squared(difference: vec4<f32>) -> f32 {
    return dot(difference, difference);
}

fn distances(row: u32, first: u32) -> vec4<f32> {
    let at = params.x_first + row * params.vec4s;
    var sum = vec4<f32>();
    for (var vec4_index = 0u; vec4_index < params.vec4s; vec4_index += 1u) {
        let value = x[at + vec4_index];
        sum += vec4(
            squared(value - candidate(first, vec4_index)),
            squared(value - candidate(first + 1u, vec4_index)),
            squared(value - candidate(first + 2u, vec4_index)),
            squared(value - candidate(first + 3u, vec4_index)),
        );
    }
    if (KNOWN == 1u) {
        sum = min(sum, vec4(closest[params.closest_first + row * params.closest_stride]));
    }
    return sum;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if (block < params.blocks) {
        let end = min(block * BLOCK + BLOCK, params.rows);
        var sum = vec4<f32>();
        for (var row = block * BLOCK + lane; row < end; row += 256u) {
            // Columns beyond the last candidate are padding, which is zero in every matrix.
            let inside = vec4(4u * group.z) + vec4(0u, 1u, 2u, 3u) < vec4(params.candidates);
            let nearest = select(vec4<f32>(), distances(row, 4u * group.z), inside);
            out[params.out_first + row * params.out_vec4s + group.z] = nearest;
            if (WEIGHTED == 1u) {
                sum += weights[params.weight_first + row] * nearest;
            } else {
                sum += nearest;
            }
        }
        partial[lane] = sum;
        for (var half = 128u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                partial[lane] += partial[lane + half];
            }
        }
        if (lane == 0u) {
            sums[params.sum_first + block * params.out_vec4s + group.z] = partial[0];
        }
    }
    mark_done(lane);
}
