// The variables that may join a working set as risers or fallers of one group, and keys that put the most violating first.
// A lane a variable; neighbouring lanes read neighbours. Those that stay from the last set are left out.
// A key is the slope of a variable with its sign turned where larger comes first.
//#import status
struct Params {
    variables: u32,
    first: u32,
    end: u32,
    falls: u32,
    kept: u32,
    middle: f32,
    bounds_first: u32,
    beta_first: u32,
    slope_first: u32,
    tags_first: u32,
    keys_first: u32,
    mask_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> bounds: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> beta: array<f32>;
@group(0) @binding(3) var<storage, read> slope: array<f32>;
@group(0) @binding(4) var<storage, read> tags: array<u32>;
@group(0) @binding(5) var<storage, read_write> keys: array<f32>;
@group(0) @binding(6) var<storage, read_write> mask: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.y * groups.x + group.x) * 256u + lane;
    if (at < params.variables) {
        let value = beta[params.beta_first + at];
        let own = slope[params.slope_first + at];
        let limits = bounds[params.bounds_first + at];
        let rising = params.falls == 0u;
        let may = select(value > limits.x && own >= params.middle, value < limits.y && own < params.middle, rising);
        let mine = at >= params.first && at < params.end && tags[params.tags_first + at] != params.kept;
        keys[params.keys_first + at] = select(-own, own, rising);
        mask[params.mask_first + at] = select(0u, 1u, may && mine);
    }
    mark_done(lane);
}
