// The quantile of each leaf as a number of f32: that of its key, or midway to the key above. A lane takes a leaf.
// Of Huber's δ also the rule that it is above 0 where a residual is.
// So steps from medians, and the gradients of the next round, can be recorded before the host has seen them.
//#import status
//#import wide
//#import double
//#import order
struct Params {
    leaves: u32,
    is_delta: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Two for each leaf, as in leaf_quantiles.
@group(0) @binding(1) var<storage, read_write> leaves: array<vec4<u32>>;

const NONE = 0xffffffffu;
const HALF = vec2<u32>(0u, 0x3fe00000u);

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let leaf = (group.y * groups.x + group.x) * 64u + lane;
    if (leaf < params.leaves) {
        let known = leaves[2u * leaf];
        // No number has the key 0, which a leaf without rows keeps.
        var bits = select(order_bits(known.x), 0u, known.x == 0u);
        if (leaves[2u * leaf + 1u].z == 1u && known.y != NONE) {
            let sum = double_add(double_of_single(bits), double_of_single(order_bits(known.y)));
            bits = without_tiny(bitcast<u32>(double_to_single(double_multiply(HALF, sum))));
        }
        if (params.is_delta == 1u && bits == 0u && known.y != NONE) {
            bits = order_bits(known.y);
        }
        leaves[2u * leaf + 1u].w = bits;
    }
    mark_done(lane);
}
