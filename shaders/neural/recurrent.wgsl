// One step of a recurrent layer once its sums are there: plain, gated recurrent unit or long short-term memory (CELL).
// A lane takes four units of a row. Gates take the place of the inputs' sums, the state goes to the outputs with dropout, and
// without it to the place from which the next step's product takes it.
//#import layer_tail
//#import status
struct Params {
    rows: u32,
    steps: u32,
    step: u32,
    unit_vec4s: u32,
    recurrent_vec4s: u32,
    recurrent_first: u32,
    memory_vec4s: u32,
    carried: u32,
    drop_scale: f32,
    drop_kept: f32,
    drop_threshold: u32,
    drop_step: u32,
    key_low: u32,
    key_high: u32,
}

override CELL: u32 = 0u;
const PLAIN = 0u;
const GRU = 1u;
const LSTM = 2u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> recurrent: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> gates: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> previous: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> memory: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> state: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4<f32>>;

fn dropped() -> Drop {
    let key = vec2(params.key_low, params.key_high);
    return Drop(params.drop_scale, params.drop_kept, params.drop_threshold, params.drop_step, key);
}

fn logistic_of(x: vec4<f32>) -> vec4<f32> {
    return vec4(logistic(x.x), logistic(x.y), logistic(x.z), logistic(x.w));
}

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
        let at_state = 2u * row * units + unit;
        let at_sum = row * params.recurrent_vec4s + params.recurrent_first + unit;
        if (params.step == 0u) {
            previous[place * units + unit] = state[at_state];
        }
        var value: vec4<f32>;
        if (CELL == PLAIN) {
            let at = place * units + unit;
            value = tangent_of(gates[at] + recurrent[at_sum]);
            gates[at] = value;
        }
        if (CELL == GRU) {
            let at = place * 3u * units + unit;
            let reset = logistic_of(gates[at] + recurrent[at_sum]);
            let keep = logistic_of(gates[at + units] + recurrent[at_sum + units]);
            let fresh = tangent_of(gates[at + 2u * units] + reset * recurrent[at_sum + 2u * units]);
            gates[at] = reset;
            gates[at + units] = keep;
            gates[at + 2u * units] = fresh;
            value = fresh + keep * (previous[place * units + unit] - fresh);
        }
        if (CELL == LSTM) {
            let at = place * 4u * units + unit;
            let at_memory = row * params.memory_vec4s + params.step * units + unit;
            if (params.step == 0u) {
                memory[at_memory] = state[at_state + units];
            }
            let taken = logistic_of(gates[at] + recurrent[at_sum]);
            let kept = logistic_of(gates[at + units] + recurrent[at_sum + units]);
            let fresh = tangent_of(gates[at + 2u * units] + recurrent[at_sum + 2u * units]);
            let shown = logistic_of(gates[at + 3u * units] + recurrent[at_sum + 3u * units]);
            let cell = kept * memory[at_memory] + taken * fresh;
            gates[at] = taken;
            gates[at + units] = kept;
            gates[at + 2u * units] = fresh;
            gates[at + 3u * units] = shown;
            memory[at_memory + units] = cell;
            value = shown * tangent_of(cell);
            if (params.carried == 1u && params.step + 1u == params.steps) {
                state[at_state + units] = cell;
            }
        }
        if (params.step + 1u < params.steps) {
            previous[(place + 1u) * units + unit] = value;
        } else if (params.carried == 1u) {
            state[at_state] = value;
        }
        out[place * units + unit] = tail_forward(dropped(), place * units + unit, value);
    }
    mark_done(lane);
}
