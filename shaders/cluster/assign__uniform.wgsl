// The nearest centre of each row of X and the squared distance to it, for few centres and short rows.
// A lane keeps its two rows in registers and walks over the centres, which lie in a uniform buffer.
// No tile, no subgroups: what all lanes read at once costs one load.
//#import assign_rows
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> operand: array<vec4<f32>, 4096>;

fn row_vec4(row: u32, vec4_index: u32) -> vec4<f32> {
    return x[params.x_first + min(row, params.rows - 1u) * params.vec4s + vec4_index];
}

// The vec4 of a row, up to 16: what is beyond it is not compiled.
override VEC4S: u32 = 8u;

// Indices are constants throughout: one that is not would put the rows into memory.
var<private> own: array<vec4<f32>, 16>;
var<private> other: array<vec4<f32>, 16>;

fn squared_difference(sum: vec4<f32>, a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let difference = a - b;
    return fma(difference, difference, sum);
}

fn keep_rows(row: u32, next: u32) {
    if (VEC4S > 0u) {
        own[0] = row_vec4(row, 0u);
        other[0] = row_vec4(next, 0u);
    }
    if (VEC4S > 1u) {
        own[1] = row_vec4(row, 1u);
        other[1] = row_vec4(next, 1u);
    }
    if (VEC4S > 2u) {
        own[2] = row_vec4(row, 2u);
        other[2] = row_vec4(next, 2u);
    }
    if (VEC4S > 3u) {
        own[3] = row_vec4(row, 3u);
        other[3] = row_vec4(next, 3u);
    }
    if (VEC4S > 4u) {
        own[4] = row_vec4(row, 4u);
        other[4] = row_vec4(next, 4u);
    }
    if (VEC4S > 5u) {
        own[5] = row_vec4(row, 5u);
        other[5] = row_vec4(next, 5u);
    }
    if (VEC4S > 6u) {
        own[6] = row_vec4(row, 6u);
        other[6] = row_vec4(next, 6u);
    }
    if (VEC4S > 7u) {
        own[7] = row_vec4(row, 7u);
        other[7] = row_vec4(next, 7u);
    }
    if (VEC4S > 8u) {
        own[8] = row_vec4(row, 8u);
        other[8] = row_vec4(next, 8u);
    }
    if (VEC4S > 9u) {
        own[9] = row_vec4(row, 9u);
        other[9] = row_vec4(next, 9u);
    }
    if (VEC4S > 10u) {
        own[10] = row_vec4(row, 10u);
        other[10] = row_vec4(next, 10u);
    }
    if (VEC4S > 11u) {
        own[11] = row_vec4(row, 11u);
        other[11] = row_vec4(next, 11u);
    }
    if (VEC4S > 12u) {
        own[12] = row_vec4(row, 12u);
        other[12] = row_vec4(next, 12u);
    }
    if (VEC4S > 13u) {
        own[13] = row_vec4(row, 13u);
        other[13] = row_vec4(next, 13u);
    }
    if (VEC4S > 14u) {
        own[14] = row_vec4(row, 14u);
        other[14] = row_vec4(next, 14u);
    }
    if (VEC4S > 15u) {
        own[15] = row_vec4(row, 15u);
        other[15] = row_vec4(next, 15u);
    }
}

// The squared distances of the lane's two rows to row `number` of the operand.
fn distances_to(number: u32) -> vec2<f32> {
    let at = number * VEC4S;
    var own_sum = vec4<f32>();
    var other_sum = vec4<f32>();
    if (VEC4S > 0u) {
        let value = operand[at + 0u];
        own_sum = squared_difference(own_sum, own[0], value);
        other_sum = squared_difference(other_sum, other[0], value);
    }
    if (VEC4S > 1u) {
        let value = operand[at + 1u];
        own_sum = squared_difference(own_sum, own[1], value);
        other_sum = squared_difference(other_sum, other[1], value);
    }
    if (VEC4S > 2u) {
        let value = operand[at + 2u];
        own_sum = squared_difference(own_sum, own[2], value);
        other_sum = squared_difference(other_sum, other[2], value);
    }
    if (VEC4S > 3u) {
        let value = operand[at + 3u];
        own_sum = squared_difference(own_sum, own[3], value);
        other_sum = squared_difference(other_sum, other[3], value);
    }
    if (VEC4S > 4u) {
        let value = operand[at + 4u];
        own_sum = squared_difference(own_sum, own[4], value);
        other_sum = squared_difference(other_sum, other[4], value);
    }
    if (VEC4S > 5u) {
        let value = operand[at + 5u];
        own_sum = squared_difference(own_sum, own[5], value);
        other_sum = squared_difference(other_sum, other[5], value);
    }
    if (VEC4S > 6u) {
        let value = operand[at + 6u];
        own_sum = squared_difference(own_sum, own[6], value);
        other_sum = squared_difference(other_sum, other[6], value);
    }
    if (VEC4S > 7u) {
        let value = operand[at + 7u];
        own_sum = squared_difference(own_sum, own[7], value);
        other_sum = squared_difference(other_sum, other[7], value);
    }
    if (VEC4S > 8u) {
        let value = operand[at + 8u];
        own_sum = squared_difference(own_sum, own[8], value);
        other_sum = squared_difference(other_sum, other[8], value);
    }
    if (VEC4S > 9u) {
        let value = operand[at + 9u];
        own_sum = squared_difference(own_sum, own[9], value);
        other_sum = squared_difference(other_sum, other[9], value);
    }
    if (VEC4S > 10u) {
        let value = operand[at + 10u];
        own_sum = squared_difference(own_sum, own[10], value);
        other_sum = squared_difference(other_sum, other[10], value);
    }
    if (VEC4S > 11u) {
        let value = operand[at + 11u];
        own_sum = squared_difference(own_sum, own[11], value);
        other_sum = squared_difference(other_sum, other[11], value);
    }
    if (VEC4S > 12u) {
        let value = operand[at + 12u];
        own_sum = squared_difference(own_sum, own[12], value);
        other_sum = squared_difference(other_sum, other[12], value);
    }
    if (VEC4S > 13u) {
        let value = operand[at + 13u];
        own_sum = squared_difference(own_sum, own[13], value);
        other_sum = squared_difference(other_sum, other[13], value);
    }
    if (VEC4S > 14u) {
        let value = operand[at + 14u];
        own_sum = squared_difference(own_sum, own[14], value);
        other_sum = squared_difference(other_sum, other[14], value);
    }
    if (VEC4S > 15u) {
        let value = operand[at + 15u];
        own_sum = squared_difference(own_sum, own[15], value);
        other_sum = squared_difference(other_sum, other[15], value);
    }
    return vec2(
        (own_sum.x + own_sum.y) + (own_sum.z + own_sum.w),
        (other_sum.x + other_sum.y) + (other_sum.z + other_sum.w),
    );
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (tile < params.row_tiles) {
        let row = tile * 128u + lane;
        keep_rows(row, row + 64u);
        var best = vec2(FARTHEST);
        var best_center = vec2(0u);
        for (var center = 0u; center < params.centers; center += 1u) {
            let distance = distances_to(center);
            let less = distance < best;
            best = select(best, distance, less);
            best_center = select(best_center, vec2(center), less);
        }
        count_changed(assign_row(row, best_center.x, best.x) + assign_row(row + 64u, best_center.y, best.y));
    }
    mark_done(lane);
}
