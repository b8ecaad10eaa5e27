// One sweep of value iteration: V'(s) = max over actions of r(s, a) + γ·Σ p·V(s'), and the range of changes of 256 states.
// A lane takes a state and walks the outcomes of its actions; a workgroup halves the changes through workgroup memory.
// Outcomes of neighbouring states lie side by side, and an action costs a few of them: more lanes a state would idle.
//#import status
struct Params {
    states: u32,
    first: u32,
    actions: u32,
    groups: u32,
    discount: f32,
    offsets_first: u32,
    outcomes_first: u32,
    rewards_first: u32,
    values_first: u32,
    out_first: u32,
    changes_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
// A state and the bits of its probability.
@group(0) @binding(2) var<storage, read> outcomes: array<u32>;
@group(0) @binding(3) var<storage, read> rewards: array<f32>;
@group(0) @binding(4) var<storage, read> values: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;
@group(0) @binding(6) var<storage, read_write> changes: array<f32>;

var<workgroup> least: array<f32, 256>;
var<workgroup> greatest: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    // Lanes behind the end repeat the last state, which changes no range.
    let state = min(params.first + min(at, params.groups - 1u) * 256u + lane, params.states - 1u);
    var best = 0.0;
    var known = false;
    let row = state * params.actions;
    var end = offsets[params.offsets_first + row];
    for (var action = 0u; action < params.actions; action++) {
        let begin = end;
        end = offsets[params.offsets_first + row + action + 1u];
        var sum = 0.0;
        for (var outcome = begin; outcome < end; outcome++) {
            let place = params.outcomes_first + 2u * outcome;
            sum = fma(bitcast<f32>(outcomes[place + 1u]), values[params.values_first + outcomes[place]], sum);
        }
        // An action without outcomes cannot be taken.
        if (begin < end) {
            let value = fma(params.discount, sum, rewards[params.rewards_first + row + action]);
            best = select(max(best, value), value, !known);
            known = true;
        }
    }
    let change = best - values[params.values_first + state];
    least[lane] = change;
    greatest[lane] = change;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            least[lane] = min(least[lane], least[lane + half]);
            greatest[lane] = max(greatest[lane], greatest[lane + half]);
        }
    }
    if (at < params.groups) {
        if (params.first + at * 256u + lane < params.states) {
            out[params.out_first + state] = best;
        }
        if (lane == 0u) {
            let place = params.changes_first + 2u * (params.first / 256u + at);
            changes[place] = least[0];
            changes[place + 1u] = greatest[0];
        }
    }
    mark_done(lane);
}
