// The least value of each row of tiles of 128 or 64 and its column, the lowest of equals, over all tiles of a row of them.
// A lane keeps that of its eight rows over its share of the columns; at the end 16 lanes compare theirs, through the
// tile's own workgroup memory, which is all that WebGPU guarantees.
// With the importing shader's DOUBTS a row is in doubt where another value lies within `margin` of its least.

// The rows 4·(lane / 16) to + 3, then those TILE / 2 further on; columns are below 2²⁴, and a row in doubt has DOUBT beside its.
var<private> best: array<vec4<f32>, 2>;
var<private> best_column: array<vec4<u32>, 2>;

const DOUBT = 0x80000000u;

// Values of four rows, and their columns as f32, exact below 2²⁴; −1 − column for a row in doubt.
struct BestRows {
    values: vec4<f32>,
    codes: vec4<f32>,
}

fn begin_best() {
    best[0] = vec4(FARTHEST);
    best[1] = vec4(FARTHEST);
    best_column = array<vec4<u32>, 2>();
}

fn least_of_four(column: u32, d: vec4<f32>) -> vec2<u32> {
    let second = d.y < d.x;
    let fourth = d.w < d.z;
    let left = select(d.x, d.y, second);
    let right = select(d.z, d.w, fourth);
    let upper = right < left;
    let at = column + select(select(0u, 1u, second), select(2u, 3u, fourth), upper);
    return vec2(at, bitcast<u32>(select(left, right, upper)));
}

// A lane meets its columns in ascending order, so the lowest of equals stays. Indices of arrays are constants: a row is
// picked by a mask, or the bests would go to memory.
fn keep_least(place: u32, column: u32, values: vec4<f32>, margin: f32) {
    let found = least_of_four(column, values);
    let least = bitcast<f32>(found.y);
    let mine = vec4(0u, 1u, 2u, 3u) == vec4(place % 4u);
    if (place < 4u) {
        let kept = kept_best(best[0], best_column[0], mine);
        best_column[0] = select(best_column[0], vec4(next_column(kept, found.x, values, least, margin)), mine);
        best[0] = select(best[0], vec4(min(kept.value, least)), mine);
    } else {
        let kept = kept_best(best[1], best_column[1], mine);
        best_column[1] = select(best_column[1], vec4(next_column(kept, found.x, values, least, margin)), mine);
        best[1] = select(best[1], vec4(min(kept.value, least)), mine);
    }
}

struct KeptBest {
    value: f32,
    column: u32,
}

fn kept_best(values: vec4<f32>, columns: vec4<u32>, mine: vec4<bool>) -> KeptBest {
    let own = select(vec4<u32>(), columns, mine);
    return KeptBest(dot(select(vec4<f32>(), values, mine), vec4(1.0)), (own.x | own.y) | (own.z | own.w));
}

// The column of the least value so far, and whether it is in doubt.
fn next_column(kept: KeptBest, column: u32, values: vec4<f32>, least: f32, margin: f32) -> u32 {
    let next = select(kept.column & ~DOUBT, column, least < kept.value);
    if (!DOUBTS) {
        return next;
    }
    let near = select(vec4<u32>(), vec4(1u), values <= vec4(least + margin));
    let others = (near.x + near.y) + (near.z + near.w) > 1u;
    let before = (kept.column & DOUBT) != 0u || least <= kept.value + margin;
    return next | select(0u, DOUBT, select(before, others, least < kept.value - margin));
}

fn best_code(columns: vec4<u32>) -> vec4<f32> {
    let numbers = vec4<f32>(columns & vec4(~DOUBT));
    return select(numbers, -1.0 - numbers, (columns & vec4(DOUBT)) != vec4<u32>());
}

// Values fill the arrays of A: those of a lane's nearer rows the first four, of its farther rows the others.
fn best_put(lane: u32) {
    let at = lane % TILE_A_NEAR;
    switch lane / TILE_A_NEAR {
        case 0u: {
            tile_a0[at] = best[0];
            tile_a4[at] = best[1];
        }
        case 1u: {
            tile_a1[at] = best[0];
            tile_a5[at] = best[1];
        }
        case 2u: {
            tile_a2[at] = best[0];
            tile_a6[at] = best[1];
        }
        default: {
            tile_a3[at] = best[0];
            tile_a7[at] = best[1];
        }
    }
    codes_put(lane / 64u, lane % 64u, best_code(best_column[0]));
    codes_put(lane / 64u + TILE / 32u, lane % 64u, best_code(best_column[1]));
}

// Codes fill those of B: at 64 the first four are all there is.
fn codes_put(number: u32, at: u32, codes: vec4<f32>) {
    switch number {
        case 0u: {
            tile_b0[at] = codes;
        }
        case 1u: {
            tile_b1[at] = codes;
        }
        case 2u: {
            tile_b2[at] = codes;
        }
        case 3u: {
            tile_b3[at] = codes;
        }
        case 4u: {
            tile_b4[at] = codes;
        }
        case 5u: {
            tile_b5[at] = codes;
        }
        case 6u: {
            tile_b6[at] = codes;
        }
        default: {
            tile_b7[at] = codes;
        }
    }
}

fn values_get(number: u32, at: u32) -> vec4<f32> {
    var values = tile_a0[at];
    switch number {
        case 0u: {}
        case 1u: {
            values = tile_a1[at];
        }
        case 2u: {
            values = tile_a2[at];
        }
        case 3u: {
            values = tile_a3[at];
        }
        case 4u: {
            values = tile_a4[at];
        }
        case 5u: {
            values = tile_a5[at];
        }
        case 6u: {
            values = tile_a6[at];
        }
        default: {
            values = tile_a7[at];
        }
    }
    return values;
}

fn codes_get(number: u32, at: u32) -> vec4<f32> {
    var codes = tile_b0[at];
    switch number {
        case 0u: {}
        case 1u: {
            codes = tile_b1[at];
        }
        case 2u: {
            codes = tile_b2[at];
        }
        case 3u: {
            codes = tile_b3[at];
        }
        case 4u: {
            codes = tile_b4[at];
        }
        case 5u: {
            codes = tile_b5[at];
        }
        case 6u: {
            codes = tile_b6[at];
        }
        default: {
            codes = tile_b7[at];
        }
    }
    return codes;
}

// What a lane put: of its nearer rows, or with `far` = 1 of its farther ones.
fn best_get(lane: u32, far: u32) -> BestRows {
    return BestRows(
        values_get(lane / TILE_A_NEAR + 4u * far, lane % TILE_A_NEAR),
        codes_get(lane / 64u + TILE / 32u * far, lane % 64u),
    );
}

fn code_columns(codes: vec4<f32>) -> vec4<f32> {
    return select(codes, -1.0 - codes, codes < vec4<f32>());
}

// The best of the four rows from 4 · `lane` on, for the first TILE / 4 lanes, after a barrier behind best_put.
fn best_of_lanes(lane: u32, margin: f32) -> BestRows {
    let far = lane / (TILE_A_NEAR / 4u);
    let first = lane % (TILE_A_NEAR / 4u) * 16u;
    var kept = best_get(first, far);
    for (var other = 1u; other < 16u; other += 1u) {
        let next = best_get(first + other, far);
        let columns = code_columns(kept.codes);
        let next_columns = code_columns(next.codes);
        let less = (next.values < kept.values) | ((next.values == kept.values) & (next_columns < columns));
        var codes = select(columns, next_columns, less);
        if (DOUBTS) {
            let apart = abs(next.values - kept.values) > vec4(margin);
            let doubt = select(vec4(true), select(kept.codes, next.codes, less) < vec4<f32>(), apart);
            codes = select(codes, -1.0 - codes, doubt);
        }
        kept = BestRows(select(kept.values, next.values, less), codes);
    }
    return kept;
}
