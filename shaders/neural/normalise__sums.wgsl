// Sums of a normalisation over sets of numbers: the channels of a place, or (BATCH) a channel at all places of all rows.
// PURPOSE: mean and 1/deviation; or Σ slope·normalised and Σ slope, as slopes by scale and shift, or as means for the slopes
// by inputs. A workgroup takes 16 sets with 16 lanes each; of a batch neighbours read neighbouring channels.
//#import status
struct Params {
    sets: u32,
    members: u32,
    places: u32,
    channels: u32,
    stride: u32,
    scales: u32,
    out_first: u32,
    out_second: u32,
    epsilon: f32,
}

override BATCH: u32 = 0u;
override PURPOSE: u32 = 0u;
// Whether the sets that share a mean are channels of all rows: sets of the sums may be others.
override MEANS_BATCH: u32 = 0u;
const STATISTICS = 0u;
const PARAMETER_SLOPES = 1u;
const SET_MEANS = 2u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> slopes: array<f32>;
@group(0) @binding(3) var<storage, read> parameters: array<f32>;
@group(0) @binding(4) var<storage, read> statistics: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

var<workgroup> team: array<vec2<f32>, 256>;

// The sums of the 16 lanes of a set.
fn team_sum(own: u32, member: u32, value: vec2<f32>) -> vec2<f32> {
    team[16u * own + member] = value;
    for (var half = 8u; half > 0u; half = half / 2u) {
        workgroupBarrier();
        if (member < half) {
            team[16u * own + member] += team[16u * own + member + half];
        }
    }
    workgroupBarrier();
    let total = team[16u * own];
    workgroupBarrier();
    return total;
}

// Row, place and channel of a member of a set.
fn member_of(own: u32, member: u32) -> vec3<u32> {
    if (BATCH == 1u) {
        return vec3(member / params.places, member % params.places, own);
    }
    return vec3(own / params.places, own % params.places, member);
}

fn address(at: vec3<u32>) -> u32 {
    return at.x * params.stride + at.y * params.channels + at.z;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * 16u;
    if (first < params.sets) {
        let team_set = select(lane / 16u, lane % 16u, BATCH == 1u);
        let lane_member = select(lane % 16u, lane / 16u, BATCH == 1u);
        let own = min(first + team_set, params.sets - 1u);
        var sum = vec2<f32>();
        for (var member = lane_member; member < params.members; member += 16u) {
            let at = member_of(own, member);
            let value = x[address(at)];
            if (PURPOSE == STATISTICS) {
                sum.x += value;
            } else {
                let known = statistics[select(at.x * params.places + at.y, at.z, MEANS_BATCH == 1u)];
                var slope = slopes[address(at)];
                if (PURPOSE == SET_MEANS) {
                    slope *= parameters[params.scales + at.z];
                }
                sum += vec2(slope * ((value - known.x) * known.y), slope);
            }
        }
        sum = team_sum(team_set, lane_member, sum);
        if (PURPOSE == STATISTICS) {
            let mean = sum.x / f32(params.members);
            var squares = 0.0;
            for (var member = lane_member; member < params.members; member += 16u) {
                let away = x[address(member_of(own, member))] - mean;
                squares += away * away;
            }
            let variance = team_sum(team_set, lane_member, vec2(squares, 0.0)).x / f32(params.members);
            sum = vec2(mean, 1.0 / sqrt(variance + params.epsilon));
        }
        if (PURPOSE == SET_MEANS) {
            sum = sum / f32(params.members);
        }
        if (lane_member == 0u && first + team_set < params.sets) {
            // Pairs side by side, or two vectors.
            let apart = PURPOSE == PARAMETER_SLOPES;
            out[select(2u * own, params.out_first + own, apart)] = sum.x;
            out[select(2u * own + 1u, params.out_second + own, apart)] = sum.y;
        }
    }
    mark_done(lane);
}
