// The residual of each row of pieces of the row order, target − score, or its size, as an integer in the order of the numbers.
// A workgroup takes a piece. Keys and weights stand in the places of their rows: later passes read them one after the other.
// Tiny residuals are 0, as some drivers make them.
//#import leaf_quantiles
//#import order
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read> targets: array<f32>;
@group(0) @binding(4) var<storage, read> scores: array<f32>;
@group(0) @binding(5) var<storage, read> weights: array<u32>;
// For each output the keys of its rows, then their weights, if these differ.
@group(0) @binding(6) var<storage, read_write> keys: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = params.piece_first + group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        for (var next = lane; next < piece.y; next += 256u) {
            let row = order[piece.x + next];
            let at = piece.z * params.rows + row;
            let bits = bitcast<u32>(targets[at] - scores[at]) & select(0xffffffffu, 0x7fffffffu, params.is_size == 1u);
            let place = piece.x + piece.z * params.key_stride + next;
            keys[place] = order_key(without_tiny(bits));
            if (params.is_weighted == 1u) {
                keys[place + params.rows] = weights[row];
            }
        }
    }
    mark_done(lane);
}
