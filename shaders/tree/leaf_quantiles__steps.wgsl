// For Huber's steps from the medians of leaves: what weight times residual less median, held within ±δ, adds up to.
// A workgroup takes a piece of a leaf; each lane adds every 256th of its rows, then halves of the lanes add the other halves.
// Integers of thirty bits for the largest weight times δ: no order of the rows changes a bit.
//#import leaf_quantiles
//#import order
//#import wide
@group(0) @binding(2) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> leaves: array<vec4<u32>>;
// The bits of δ for each output; from `sums_first` on two words a piece.
@group(0) @binding(4) var<storage, read_write> report: array<u32>;

var<workgroup> sums: array<vec2<u32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = params.piece_first + group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        let delta = bitcast<f32>(report[params.delta_first + piece.z]);
        let exponent = exponent_for(bitcast<u32>(params.largest_weight * delta));
        let median = bitcast<f32>(leaves[2u * piece.w + 1u].w);
        let first = piece.x + piece.z * params.key_stride;
        var sum = vec2<u32>();
        for (var next = lane; next < piece.y; next += 256u) {
            let difference = bitcast<f32>(order_bits(keys[first + next])) - median;
            let low = select(difference, -delta, difference < -delta);
            var step = bitcast<f32>(without_tiny(bitcast<u32>(select(low, delta, low > delta))));
            if (params.is_weighted == 1u) {
                step *= bitcast<f32>(without_tiny(keys[first + params.rows + next]));
            }
            sum = wide_add(sum, fine(bitcast<u32>(step), exponent));
        }
        sums[lane] = sum;
        for (var half = 128u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                sums[lane] = wide_add(sums[lane], sums[lane + half]);
            }
        }
        workgroupBarrier();
        if (lane < 2u) {
            let total = sums[0];
            report[params.sums_first + 2u * number + lane] = total[lane];
        }
    }
    mark_done(lane);
}
