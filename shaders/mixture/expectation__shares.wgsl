// Responsibilities and log-densities of rows, from the squares that expectation made: a log-sum-exp over the Gaussians.
// A lane takes a row: neighbours read and write neighbouring words. 256 rows a workgroup, which adds up weight·ln f.
// The logarithms wait in the place of the responsibilities until their maximum is known.
//#import status
//#import elementary
struct Params {
    rows: u32,
    components: u32,
    quads: u32,
    groups: u32,
    square_first: u32,
    square_stride: u32,
    height_first: u32,
    weight_first: u32,
    weight_step: u32,
    share_first: u32,
    share_stride: u32,
    log_first: u32,
    sum_first: u32,
    sum_number: u32,
    sum_end: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> squares: array<f32>;
@group(0) @binding(2) var<storage, read> heights: array<f32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
// Components × rows.
@group(0) @binding(4) var<storage, read_write> shares: array<f32>;
@group(0) @binding(5) var<storage, read_write> logs: array<f32>;
@group(0) @binding(6) var<storage, read_write> sums: array<f32>;

// A responsibility below e to this power counts as 0: 2⁻⁶⁰, as on the CPU.
const NEGLIGIBLE = -41.588830;

var<workgroup> partial: array<f32, 256>;

// ln of the weight times the density of a Gaussian at a row.
fn joint(at: u32, row: u32) -> f32 {
    var square = 0.0;
    for (var quad = 0u; quad < params.quads; quad += 1u) {
        square += squares[params.square_first + (at * params.quads + quad) * params.square_stride + row];
    }
    return heights[params.height_first + at] - 0.5 * square;
}

// Writes the responsibilities of a row; returns its log-density.
fn normalise(row: u32, weight: f32) -> f32 {
    var highest = joint(0u, row);
    shares[params.share_first + row] = highest;
    for (var at = 1u; at < params.components; at += 1u) {
        let value = joint(at, row);
        shares[params.share_first + at * params.share_stride + row] = value;
        highest = max(highest, value);
    }
    var sum = 0.0;
    for (var at = 0u; at < params.components; at += 1u) {
        let place = params.share_first + at * params.share_stride + row;
        let below = shares[place] - highest;
        let share = select(0.0, exponential(max(below, NEGLIGIBLE)), below > NEGLIGIBLE);
        shares[place] = share;
        sum += share;
    }
    let scale = weight / sum;
    for (var at = 0u; at < params.components; at += 1u) {
        let place = params.share_first + at * params.share_stride + row;
        shares[place] = shares[place] * scale;
    }
    return highest + logarithm(sum);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.groups) {
        let row = at * 256u + lane;
        partial[lane] = 0.0;
        if (row < params.rows) {
            let weight = weights[params.weight_first + row * params.weight_step];
            let log_density = normalise(row, weight);
            logs[params.log_first + row] = log_density;
            partial[lane] = weight * log_density;
        } else if (row < (params.rows + 3u) / 4u * 4u) {
            // Rows up to whole fours are padding.
            logs[params.log_first + row] = 0.0;
            for (var component = 0u; component < params.components; component += 1u) {
                shares[params.share_first + component * params.share_stride + row] = 0.0;
            }
        }
        for (var half = 128u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                partial[lane] += partial[lane + half];
            }
        }
        if (lane == 0u) {
            sums[params.sum_first + params.sum_number + at] = partial[0];
        }
        // The last workgroup of all fills what is left of the sums.
        if (at == params.groups - 1u) {
            for (var number = params.sum_number + params.groups + lane; number < params.sum_end; number += 256u) {
                sums[params.sum_first + number] = 0.0;
            }
        }
    }
    mark_done(lane);
}
