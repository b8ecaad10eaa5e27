// Which rows a tree is grown on, where each is drawn by itself: a bit for each row, as `partition` writes them.
// A row is in when the 24 high bits of its random number are below a bound: the host draws the same rows.
// A lane takes a run of up to 32 rows and writes one word.
//#import status
//#import wide
struct Params {
    // The runs of this dispatch.
    run_first: u32,
    runs: u32,
    // The rows, which are the first places of the order.
    places: u32,
    stream: u32,
    key_low: u32,
    key_high: u32,
    below: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read_write> flags: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = (group.y * groups.x + group.x) * 64u + lane;
    if (number < params.runs) {
        let run = params.run_first + number;
        let first = 256u * (run / 8u) + run % 8u;
        let count = min(32u, (max(params.places, first) - first + 7u) / 8u);
        var word = 0u;
        for (var at = 0u; at < count; at += 1u) {
            let row = order[first + 8u * at];
            let numbers = philox_of(vec4(row / 4u, 0u, params.stream, 0u), vec2(params.key_low, params.key_high));
            word |= select(0u, 1u, (numbers[row % 4u] >> 8u) < params.below) << at;
        }
        flags[run] = word;
    }
    mark_done(lane);
}
