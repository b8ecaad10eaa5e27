// Running means and variances of a batch normalisation, moved towards those of the batch.
// A lane takes a channel.
// The batch's variance comes back from 1/deviation.
//#import status
struct Params {
    channels: u32,
    means: u32,
    variances: u32,
    epsilon: f32,
    share: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> statistics: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> parameters: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + lane;
    if (at < params.channels) {
        let found = statistics[at];
        let mean = parameters[params.means + at];
        let variance = parameters[params.variances + at];
        parameters[params.means + at] = mean + params.share * (found.x - mean);
        let seen = 1.0 / (found.y * found.y) - params.epsilon;
        parameters[params.variances + at] = variance + params.share * (seen - variance);
    }
    mark_done(lane);
}
