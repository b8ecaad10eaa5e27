// Σ weight × target² of pieces of the row order, in 128 bits, and the smallest row number of each piece.
// A workgroup takes a piece; each lane adds every 64th of its rows, an output at a time, then halves of the lanes add the others.
// Integers: with a node's cell they are its variance to the bit, and no order and no cut changes one.
//#import status
//#import wide
struct Params {
    // The first piece of this dispatch, and the end of its pieces.
    piece_begin: u32,
    pieces: u32,
    // Low bits of a row's first word that count; its weight of at most 2¹⁶ stands above.
    count_bits: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A piece: its first place in the order, its rows, where the words of its tree begin and the counts of its draws.
@group(0) @binding(1) var<storage, read> plan: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
// The words of rows, as in lib/target_words.
@group(0) @binding(3) var<storage, read> packed: array<u32>;
// A piece has its smallest row, then four words for each output.
@group(0) @binding(4) var<storage, read_write> squares: array<u32>;

// 64-bit words of a row: one for weight and count, one for weight × target of each output.
override WORDS: u32 = 2u;
// The tree takes every row once.
const ONCE = 0xffffffffu;

var<workgroup> lane_sums: array<vec4<u32>, 64>;
var<workgroup> lane_rows: array<u32, 64>;

fn plus(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low = wide_add(a.xy, b.xy);
    let carry = vec2(select(0u, 1u, wide_less(low, a.xy)), 0u);
    return vec4(low, wide_add(wide_add(a.zw, b.zw), carry));
}

fn times(a: vec4<u32>, by: u32) -> vec4<u32> {
    // The high word of a product comes first.
    let x = multiply(a.x, by);
    let y = multiply(a.y, by);
    let z = multiply(a.z, by);
    return plus(vec4(x.y, y.y, z.y, a.w * by), vec4(0u, x.x, y.x, z.x));
}

fn square_of(a: vec2<u32>) -> vec4<u32> {
    let low = multiply(a.x, a.x);
    let middle = multiply(a.x, a.y);
    let high = multiply(a.y, a.y);
    let twice = plus(vec4(0u, middle.y, middle.x, 0u), vec4(0u, middle.y, middle.x, 0u));
    return plus(vec4(low.y, low.x, high.y, high.x), twice);
}

// An exact quotient by at most 2¹⁶, sixteen bits at a time.
fn quotient(a: vec2<u32>, by: u32) -> vec2<u32> {
    let upper = ((a.y % by) << 16u) | (a.x >> 16u);
    let lower = ((upper % by) << 16u) | (a.x & 0xffffu);
    return vec2(((upper / by) << 16u) | (lower / by), a.y / by);
}

fn row_square(piece: vec4<u32>, row: u32, word: u32) -> vec4<u32> {
    let place = piece.z + 2u * row * WORDS;
    let weight = (packed[place] >> params.count_bits) | (packed[place + 1u] << (32u - params.count_bits));
    let product = vec2(packed[place + 2u * word], packed[place + 2u * word + 1u]);
    let size = select(product, wide_subtract(vec2<u32>(), product), vec2(product.y >= 0x80000000u));
    var own = times(square_of(quotient(size, max(weight, 1u))), weight);
    if (piece.w != ONCE) {
        own = times(own, packed[piece.w + row]);
    }
    return own;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = params.piece_begin + group.y * groups.x + group.x;
    if (number < params.pieces) {
        let piece = plan[number];
        let to = (4u * WORDS - 3u) * number;
        var first = 0xffffffffu;
        for (var word = 1u; word < WORDS; word += 1u) {
            var sum = vec4<u32>();
            for (var next = lane; next < piece.y; next += 64u) {
                let row = order[piece.x + next];
                first = min(first, row);
                sum = plus(sum, row_square(piece, row, word));
            }
            lane_sums[lane] = sum;
            lane_rows[lane] = first;
            for (var half = 32u; half > 0u; half /= 2u) {
                workgroupBarrier();
                if (lane < half) {
                    lane_sums[lane] = plus(lane_sums[lane], lane_sums[lane + half]);
                    lane_rows[lane] = min(lane_rows[lane], lane_rows[lane + half]);
                }
            }
            workgroupBarrier();
            if (lane == 0u) {
                squares[to] = lane_rows[0];
            }
            if (lane < 4u) {
                let total = lane_sums[0];
                squares[to + 4u * word - 3u + lane] = total[lane];
            }
            workgroupBarrier();
        }
    }
    mark_done(lane);
}
