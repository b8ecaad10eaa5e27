// One step back through a recurrent layer: slopes by the state become slopes by the step's sums (CELL as in `recurrent`).
// A lane takes four units of a row. Slopes by the inputs' sums take the place of the gates; those by the state's sums, which
// differ for a gated recurrent unit alone, the place of these sums.
//#import elementary
//#import status
struct Params {
    rows: u32,
    steps: u32,
    step: u32,
    unit_vec4s: u32,
    recurrent_vec4s: u32,
    recurrent_first: u32,
    memory_vec4s: u32,
    unused: u32,
}

override CELL: u32 = 0u;
const PLAIN = 0u;
const GRU = 1u;
const LSTM = 2u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> previous: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> memory: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> slope: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> gates: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> recurrent: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> back: array<vec4<f32>>;

fn tangent_of(x: vec4<f32>) -> vec4<f32> {
    return vec4(hyperbolic_tangent(x.x), hyperbolic_tangent(x.y), hyperbolic_tangent(x.z), hyperbolic_tangent(x.w));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let units = params.unit_vec4s;
    let item = (group.y * groups.x + group.x) * 64u + lane;
    if (item < params.rows * units) {
        let row = item / units;
        let unit = item % units;
        let place = row * params.steps + params.step;
        let at_back = 2u * row * units + unit;
        var by_state = slope[place * units + unit];
        var past = vec4<f32>();
        if (params.step + 1u < params.steps) {
            by_state += back[at_back];
            past = back[at_back + units];
        }
        if (CELL == PLAIN) {
            let at = place * units + unit;
            let value = gates[at];
            gates[at] = by_state * (1.0 - value * value);
        }
        if (CELL == GRU) {
            let at = place * 3u * units + unit;
            let at_sum = row * params.recurrent_vec4s + params.recurrent_first + unit;
            let reset = gates[at];
            let keep = gates[at + units];
            let fresh = gates[at + 2u * units];
            by_state += past;
            let by_fresh = by_state * (1.0 - keep) * (1.0 - fresh * fresh);
            let by_keep = by_state * (previous[place * units + unit] - fresh) * keep * (1.0 - keep);
            let by_reset = by_fresh * recurrent[at_sum + 2u * units] * reset * (1.0 - reset);
            gates[at] = by_reset;
            gates[at + units] = by_keep;
            gates[at + 2u * units] = by_fresh;
            recurrent[at_sum] = by_reset;
            recurrent[at_sum + units] = by_keep;
            recurrent[at_sum + 2u * units] = by_fresh * reset;
            back[at_back + units] = by_state * keep;
        }
        if (CELL == LSTM) {
            let at = place * 4u * units + unit;
            let at_memory = row * params.memory_vec4s + params.step * units + unit;
            let taken = gates[at];
            let kept = gates[at + units];
            let fresh = gates[at + 2u * units];
            let shown = gates[at + 3u * units];
            let tangent = tangent_of(memory[at_memory + units]);
            let by_cell = past + by_state * shown * (1.0 - tangent * tangent);
            gates[at] = by_cell * fresh * taken * (1.0 - taken);
            gates[at + units] = by_cell * memory[at_memory] * kept * (1.0 - kept);
            gates[at + 2u * units] = by_cell * taken * (1.0 - fresh * fresh);
            gates[at + 3u * units] = by_state * tangent * shown * (1.0 - shown);
            back[at_back + units] = by_cell * kept;
        }
    }
    mark_done(lane);
}
