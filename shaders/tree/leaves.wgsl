// What the gradients and Hessians of pieces of the row order add up to, in 64 bits.
// A workgroup takes a piece; each lane adds every 256th of its rows, then halves of the lanes add the other halves.
// Integers: of thirty bits for the values of leaves, or the packed ones of the splits; no order changes a bit.
//#import status
//#import wide
//#import fixed_point
struct Params {
    rows: u32,
    pieces: u32,
    // Whether values are the gradients themselves; else they are the packed words of splits.
    is_fine: u32,
    // Where the sums go.
    sums_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A piece: its first place in the order, its rows, its tree.
@group(0) @binding(1) var<storage, read> plan: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<u32>;
// The bits of the largest |gradient| and Hessian of each tree, from word 2 on; from `sums_first` on four words a piece.
@group(0) @binding(4) var<storage, read_write> report: array<atomic<u32>>;

var<workgroup> sums: array<vec4<u32>, 256>;

fn plus(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return vec4(wide_add(a.xy, b.xy), wide_add(a.zw, b.zw));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        var sum = vec4<u32>();
        let of_gradient = exponent_for(atomicLoad(&report[2u + 2u * piece.z]));
        let of_hessian = exponent_for(atomicLoad(&report[3u + 2u * piece.z]));
        for (var next = lane; next < piece.y; next += 256u) {
            let row = order[piece.x + next];
            if (params.is_fine == 1u) {
                let gradient = fine(values[2u * piece.z * params.rows + row], of_gradient);
                let hessian = fine(values[(2u * piece.z + 1u) * params.rows + row], of_hessian);
                sum = plus(sum, vec4(gradient, hessian));
            } else {
                let pair = values[piece.z * params.rows + row];
                let gradient = bitcast<i32>(pair << 16u) >> 16u;
                let wide = vec2(bitcast<u32>(gradient), bitcast<u32>(gradient >> 31u));
                sum = plus(sum, vec4(wide, pair >> 16u, 0u));
            }
        }
        sums[lane] = sum;
        for (var half = 128u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (lane < half) {
                sums[lane] = plus(sums[lane], sums[lane + half]);
            }
        }
        workgroupBarrier();
        if (lane < 4u) {
            let total = sums[0];
            atomicStore(&report[params.sums_first + 4u * number + lane], total[lane]);
        }
    }
    mark_done(lane);
}
