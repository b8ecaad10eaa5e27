// The kernel function of each row with itself, from the square of its length.
// One lane for four rows.
// A pass of a kernel with several sums leaves its values in a register for the next one, as in gram/matrix.
//#import status
//#import kernel_program
struct Params {
    program: array<vec4<f32>, 10>,
    instructions: u32,
    rows: u32,
    depth: u32,
    square_first: u32,
    out_first: u32,
    slot_words: u32,
    slot: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> squares: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

fn kernel_load(slot: u32, at: u32) -> vec4<f32> {
    return vec4(out[params.out_first + slot * params.slot_words + at]);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 256u + lane;
    if (row < params.rows) {
        let square = squares[params.square_first + row];
        let values = kernel_values(vec4(own_sum(square)), square, vec4(square), row);
        out[params.out_first + params.slot * params.slot_words + row] = values.x;
    }
    mark_done(lane);
}
