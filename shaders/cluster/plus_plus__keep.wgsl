// Makes the best candidate of a step of k-means++ the next centre: the one that leaves the least sum of distances.
// A workgroup takes a block of 4096 rows and keeps their distances and their sum with that candidate; the first of them
// also copies the centre. Each finds the best by itself, from the blocks' sums in integers: no one waits for another.
//#import status
//#import wide
struct Params {
    rows: u32,
    blocks: u32,
    candidates: u32,
    stride: u32,
    vec4s: u32,
    distance_first: u32,
    sum_first: u32,
    candidate_first: u32,
    closest_first: u32,
    center_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> distances: array<f32>;
@group(0) @binding(2) var<storage, read> sums: array<f32>;
@group(0) @binding(3) var<storage, read> candidates: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> closest: array<f32>;
@group(0) @binding(5) var<storage, read_write> closest_sums: array<f32>;
@group(0) @binding(6) var<storage, read_write> centers: array<vec4<f32>>;

const BLOCK = 4096u;

var<workgroup> largest: atomic<u32>;
var<workgroup> totals: array<vec2<u32>, 256>;

fn block_sum(block: u32, candidate: u32) -> f32 {
    return sums[params.sum_first + block * params.stride + candidate];
}

fn total(candidate: u32, exponent: u32, lane: u32) -> vec2<u32> {
    var mine = vec2<u32>();
    for (var block = lane; block < params.blocks; block += 256u) {
        mine = wide_add(mine, wide_scaled(block_sum(block, candidate), exponent));
    }
    totals[lane] = mine;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            totals[lane] = wide_add(totals[lane], totals[lane + half]);
        }
    }
    workgroupBarrier();
    let sum = totals[0];
    workgroupBarrier();
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
        if (lane == 0u) {
            atomicStore(&largest, 0u);
        }
        workgroupBarrier();
        var exponent = 0u;
        for (var at = lane; at < params.blocks; at += 256u) {
            for (var candidate = 0u; candidate < params.candidates; candidate += 1u) {
                exponent = max(exponent, exponent_of(block_sum(at, candidate)));
            }
        }
        atomicMax(&largest, exponent);
        workgroupBarrier();
        exponent = atomicLoad(&largest);
        var best = 0u;
        var least = vec2(0xffffffffu);
        for (var candidate = 0u; candidate < params.candidates; candidate += 1u) {
            let sum = total(candidate, exponent, lane);
            if (wide_less(sum, least)) {
                least = sum;
                best = candidate;
            }
        }
        let end = min(block * BLOCK + BLOCK, params.rows);
        for (var row = block * BLOCK + lane; row < end; row += 256u) {
            closest[params.closest_first + row] = distances[params.distance_first + row * params.stride + best];
        }
        if (lane == 0u) {
            closest_sums[block] = block_sum(block, best);
        }
        if (block == 0u) {
            for (var vec4_index = lane; vec4_index < params.vec4s; vec4_index += 256u) {
                let value = candidates[params.candidate_first + best * params.vec4s + vec4_index];
                centers[params.center_first + vec4_index] = value;
            }
        }
    }
    mark_done(lane);
}
