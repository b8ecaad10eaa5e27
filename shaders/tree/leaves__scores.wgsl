// Adds the value of its leaf to the score of each row of pieces of the row order: one addition of f32 a row.
// A workgroup takes a piece. The rows of a leaf nearly ascend, so that lanes side by side touch scores side by side.
// The largest score and the largest |score| are kept for the host, which looks whether they are still numbers.
//#import status
struct Params {
    rows: u32,
    pieces: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A piece: its first place in the order, its rows, its output, its leaf.
@group(0) @binding(1) var<storage, read> plan: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read_write> scores: array<f32>;
// The bits of the largest |score|, and of the largest score above 0.
@group(0) @binding(5) var<storage, read_write> report: array<atomic<u32>>;

var<workgroup> largest: array<atomic<u32>, 2>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        if (lane < 2u) {
            atomicStore(&largest[lane], 0u);
        }
        workgroupBarrier();
        let value = values[piece.w];
        var most = vec2<u32>();
        for (var next = lane; next < piece.y; next += 256u) {
            let place = piece.z * params.rows + order[piece.x + next];
            let score = scores[place] + value;
            scores[place] = score;
            let bits = bitcast<u32>(score);
            most = max(most, vec2(bits & 0x7fffffffu, select(0u, bits, bits < 0x80000000u)));
        }
        atomicMax(&largest[0], most.x);
        atomicMax(&largest[1], most.y);
        workgroupBarrier();
        if (lane < 2u) {
            atomicMax(&report[lane], atomicLoad(&largest[lane]));
        }
    }
    mark_done(lane);
}
