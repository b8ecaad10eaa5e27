// Sizes of gradients and weights: for each piece of a flat vector Σ gradient², Σ weight² and Σ |weight|.
// A workgroup takes a piece of at most 4096 numbers, a lane every 256th of them, and adds by halving.
// Pieces end where a layer's weights end, so sums by layer are sums of pieces.
//#import status
struct Params {
    pieces: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> gradient: array<f32>;
@group(0) @binding(3) var<storage, read> pieces: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

var<workgroup> sums: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.y * groups.x + group.x;
    if (at < params.pieces) {
        let piece = pieces[at];
        var sum = vec4<f32>();
        for (var place = piece.x + lane; place < piece.y; place += 256u) {
            let slope = gradient[place];
            let weight = parameters[place];
            sum += vec4(slope * slope, weight * weight, abs(weight), 0.0);
        }
        sums[lane] = sum;
        for (var half = 128u; half > 0u; half = half / 2u) {
            workgroupBarrier();
            if (lane < half) {
                sums[lane] += sums[lane + half];
            }
        }
        workgroupBarrier();
        if (lane == 0u) {
            out[at] = sums[0];
        }
    }
    mark_done(lane);
}
