// How much the keys of each leaf weigh for each value of a digit of eight bits, among those whose higher digits are known.
// A workgroup takes a piece of a leaf and counts it in its own memory, then adds what it found to the leaf's.
// Four rounds of this and of `leaf_quantiles__digit` find the key of a rank: a radix selection in every leaf at once.
//#import leaf_quantiles
//#import wide
@group(0) @binding(2) var<storage, read> keys: array<u32>;
// Two for each leaf: the key as far as it is known, the key above, the rank among the keys that agree with it in 64 bits;
// the share in f64, whether the quantile is midway to the key above, the quantile.
@group(0) @binding(3) var<storage, read> leaves: array<vec4<u32>>;
// Counts in 64 bits.
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

// The lower fifteen bits of weights, and the higher ones: neither sum leaves 32 bits.
var<workgroup> low: array<atomic<u32>, 256>;
var<workgroup> high: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = params.piece_first + group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        let found = leaves[2u * piece.w].x;
        atomicStore(&low[lane], 0u);
        atomicStore(&high[lane], 0u);
        workgroupBarrier();
        let first = piece.x + piece.z * params.key_stride;
        for (var next = lane; next < piece.y; next += 256u) {
            let key = keys[first + next];
            // A shift by 32 bits would be one by none.
            if (params.shift == 24u || (key >> ((params.shift + 8u) & 31u)) == (found >> ((params.shift + 8u) & 31u))) {
                let digit = (key >> params.shift) & 255u;
                if (params.is_weighted == 1u) {
                    let units = units_of(keys[first + params.rows + next]);
                    atomicAdd(&low[digit], units & 0x7fffu);
                    atomicAdd(&high[digit], units >> 15u);
                } else {
                    atomicAdd(&low[digit], 1u);
                }
            }
        }
        workgroupBarrier();
        let above = atomicLoad(&high[lane]);
        let count = wide_add(vec2(atomicLoad(&low[lane]), 0u), vec2(above << 15u, above >> 17u));
        if ((count.x | count.y) != 0u) {
            let place = 512u * piece.w + 2u * lane;
            let before = atomicAdd(&counts[place], count.x);
            atomicAdd(&counts[place + 1u], count.y + select(0u, 1u, before + count.x < before));
        }
    }
    mark_done(lane);
}
