// Rows that a lane keeps while all rows of B pass by: four or eight rows of up to 128 columns, KEPT_LANES apart.
// Rows of B come eight at a time, one to a lane, and are handed to all lanes in turn: loads are a small part of the work.
// For software drivers, where a load costs as much as forty steps and the kept rows lie in the first cache; a card has
// too few registers. The host sets VEC4S, the vec4 of a row, and EIGHT: what is beyond them is not compiled.
// The importing shader defines tile_a and tile_b, which load a vec4 of a row, tile_step, and kept_meet.
override VEC4S: u32 = 4u;
// 1 if a lane keeps eight rows, not four.
override EIGHT: u32 = 0u;
const KEPT_LANES = 32u;
const KEPT_COLUMNS = 8u;

// By column: the values of four rows. Indices become constants when calls are inlined; else all this would be slow.
var<private> kept: array<vec4<f32>, 128>;
var<private> kept_more: array<vec4<f32>, 128>;
// The lane's own row of B.
var<private> passing: array<vec4<f32>, 32>;

// How many rows a workgroup keeps.
fn kept_count() -> u32 {
    return KEPT_LANES * (4u + 4u * EIGHT);
}

fn keep_vec4(row: u32, vec4_index: u32) {
    if (vec4_index < VEC4S) {
        let a0 = tile_a(row, vec4_index);
        let a1 = tile_a(row + KEPT_LANES, vec4_index);
        let a2 = tile_a(row + 2u * KEPT_LANES, vec4_index);
        let a3 = tile_a(row + 3u * KEPT_LANES, vec4_index);
        kept[4u * vec4_index] = vec4(a0.x, a1.x, a2.x, a3.x);
        kept[4u * vec4_index + 1u] = vec4(a0.y, a1.y, a2.y, a3.y);
        kept[4u * vec4_index + 2u] = vec4(a0.z, a1.z, a2.z, a3.z);
        kept[4u * vec4_index + 3u] = vec4(a0.w, a1.w, a2.w, a3.w);
    }
    if (vec4_index < VEC4S && EIGHT == 1u) {
        let a0 = tile_a(row + 4u * KEPT_LANES, vec4_index);
        let a1 = tile_a(row + 5u * KEPT_LANES, vec4_index);
        let a2 = tile_a(row + 6u * KEPT_LANES, vec4_index);
        let a3 = tile_a(row + 7u * KEPT_LANES, vec4_index);
        kept_more[4u * vec4_index] = vec4(a0.x, a1.x, a2.x, a3.x);
        kept_more[4u * vec4_index + 1u] = vec4(a0.y, a1.y, a2.y, a3.y);
        kept_more[4u * vec4_index + 2u] = vec4(a0.z, a1.z, a2.z, a3.z);
        kept_more[4u * vec4_index + 3u] = vec4(a0.w, a1.w, a2.w, a3.w);
    }
}

fn keep_four(row: u32, vec4_index: u32) {
    keep_vec4(row, vec4_index);
    keep_vec4(row, vec4_index + 1u);
    keep_vec4(row, vec4_index + 2u);
    keep_vec4(row, vec4_index + 3u);
}

// Keeps the lane's rows, of which `row` is the first.
fn keep_rows(row: u32) {
    keep_four(row, 0u);
    keep_four(row, 4u);
    keep_four(row, 8u);
    keep_four(row, 12u);
    keep_four(row, 16u);
    keep_four(row, 20u);
    keep_four(row, 24u);
    keep_four(row, 28u);
}

fn pass_vec4(column: u32, vec4_index: u32) {
    if (vec4_index < VEC4S) {
        passing[vec4_index] = tile_b(column, vec4_index);
    }
}

fn pass_four(column: u32, vec4_index: u32) {
    pass_vec4(column, vec4_index);
    pass_vec4(column, vec4_index + 1u);
    pass_vec4(column, vec4_index + 2u);
    pass_vec4(column, vec4_index + 3u);
}

struct KeptSums { first: vec4<f32>, more: vec4<f32>, }

fn sum_vec4(sums: KeptSums, giver: u32, vec4_index: u32) -> KeptSums {
    var out = sums;
    if (vec4_index < VEC4S) {
        let b = subgroupShuffle(passing[vec4_index], giver);
        out.first = tile_step(out.first, b.x, kept[4u * vec4_index]);
        out.first = tile_step(out.first, b.y, kept[4u * vec4_index + 1u]);
        out.first = tile_step(out.first, b.z, kept[4u * vec4_index + 2u]);
        out.first = tile_step(out.first, b.w, kept[4u * vec4_index + 3u]);
        if (EIGHT == 1u) {
            out.more = tile_step(out.more, b.x, kept_more[4u * vec4_index]);
            out.more = tile_step(out.more, b.y, kept_more[4u * vec4_index + 1u]);
            out.more = tile_step(out.more, b.z, kept_more[4u * vec4_index + 2u]);
            out.more = tile_step(out.more, b.w, kept_more[4u * vec4_index + 3u]);
        }
    }
    return out;
}

fn sum_four(sums: KeptSums, giver: u32, vec4_index: u32) -> KeptSums {
    let half = sum_vec4(sum_vec4(sums, giver, vec4_index), giver, vec4_index + 1u);
    return sum_vec4(sum_vec4(half, giver, vec4_index + 2u), giver, vec4_index + 3u);
}

// The kept rows against eight rows of B from `column` on; each goes to kept_meet with its sums.
fn kept_pass(row: u32, column: u32, subgroup_lane: u32) {
    let own = column + subgroup_lane % 8u;
    pass_four(own, 0u);
    pass_four(own, 4u);
    pass_four(own, 8u);
    pass_four(own, 12u);
    pass_four(own, 16u);
    pass_four(own, 20u);
    pass_four(own, 24u);
    pass_four(own, 28u);
    for (var turn = 0u; turn < KEPT_COLUMNS; turn += 1u) {
        let giver = subgroup_lane - subgroup_lane % 8u + turn;
        var sums = KeptSums();
        sums = sum_four(sums, giver, 0u);
        sums = sum_four(sums, giver, 4u);
        sums = sum_four(sums, giver, 8u);
        sums = sum_four(sums, giver, 12u);
        sums = sum_four(sums, giver, 16u);
        sums = sum_four(sums, giver, 20u);
        sums = sum_four(sums, giver, 24u);
        sums = sum_four(sums, giver, 28u);
        kept_meet(row, column + turn, sums);
    }
}
