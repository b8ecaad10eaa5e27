//! Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).

use pulp::bytemuck::{Pod, cast, cast_slice, cast_slice_mut};
use pulp::{Scalar, Simd, WithSimd};
use rayon::prelude::*;

use crate::cpu::elementary::{log2, sine_cosine, to_f32};
use crate::cpu::simd::arch;

/// The multipliers of a round, and what is added to the key after it.
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;
/// Numbers a counter gives.
const WORDS: usize = 4;
/// Numbers of the widest vectors' counters.
const GROUP: usize = WORDS * 16;
/// Numbers a task makes at least, some 20 µs; a multiple of four.
const NUMBERS_PER_TASK: usize = 1 << 14;
/// Draws for an integer below a bound, each accepted with a probability above one half; the last one always.
const DRAWS: u32 = 32;
/// 2⁻²⁴.
const UNIT: f32 = 1.0 / 16_777_216.0;

/// Four numbers from a counter and a key.
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    rounds(Scalar, counter, key)
}

/// [`philox4x32`] for a counter in each lane.
#[inline(always)]
fn rounds<S: Simd>(simd: S, mut counter: [S::u32s; WORDS], mut key: [u32; 2]) -> [S::u32s; WORDS] {
    for _ in 0..ROUNDS {
        let (first_low, first_high) = simd.widening_mul_u32s(counter[0], simd.splat_u32s(MULTIPLIERS[0]));
        let (second_low, second_high) = simd.widening_mul_u32s(counter[2], simd.splat_u32s(MULTIPLIERS[1]));
        counter = [
            simd.xor_u32s(simd.xor_u32s(second_high, counter[1]), simd.splat_u32s(key[0])),
            second_low,
            simd.xor_u32s(simd.xor_u32s(first_high, counter[3]), simd.splat_u32s(key[1])),
            first_low,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// The numbers of one stream of one seed, by index.
///
/// Number `i` is word `i mod 4` of the counter `[⌊i/4⌋ mod 2³², ⌊i/2³⁴⌋, stream, draw]` under the key `[seed mod 2³²,
/// ⌊seed/2³²⌋]`. `draw` is 0, and counts up when an integer below a bound is drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    key: [u32; 2],
    stream: u32,
}

impl Philox {
    /// The stream `stream` of `seed`; what the numbers are for should decide the stream.
    pub fn new(seed: u64, stream: u32) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], stream }
    }

    /// The four numbers of a counter.
    fn block(self, block: u64, draw: u32) -> [u32; WORDS] {
        philox4x32([block as u32, (block >> 32) as u32, self.stream, draw], self.key)
    }

    /// Number `index`, all 32 bits random.
    pub fn number(self, index: u64) -> u32 {
        self.draw(index, 0)
    }

    fn draw(self, index: u64, draw: u32) -> u32 {
        self.block(index / WORDS as u64, draw)[index as usize % WORDS]
    }

    /// A multiple of 2⁻²⁴ in `[0, 1)`: the high 24 bits of number `index`.
    pub fn uniform(self, index: u64) -> f32 {
        (self.number(index) >> 8) as f32 * UNIT
    }

    /// An integer in `0..bound`, 0 for a bound of 0.
    ///
    /// The high word of `number·bound`; drawn again while the low word is below `2³² mod bound`, which makes all
    /// integers equally likely (Lemire 2019) but for the 32nd draw, which always counts: a bias below 2⁻³².
    pub fn below(self, index: u64, bound: u32) -> u32 {
        self.settle(self.number(index), index, bound, rejected_below(bound))
    }

    #[inline(always)]
    fn settle(self, number: u32, index: u64, bound: u32, rejected_below: u32) -> u32 {
        let mut product = u64::from(number) * u64::from(bound);
        let mut draw = 1;
        while (product as u32) < rejected_below && draw < DRAWS {
            product = u64::from(self.draw(index, draw)) * u64::from(bound);
            draw += 1;
        }
        (product >> 32) as u32
    }

    /// A number of the standard normal distribution, by Box and Muller's formula in f32, within 3e-6 of it in f64.
    ///
    /// Numbers `2k` and `2k + 1` make the normals `2k` (cosine) and `2k + 1` (sine).
    pub fn normal(self, index: u64) -> f32 {
        let block = self.block(index / WORDS as u64, 0);
        let pair = index as usize % WORDS / 2 * 2;
        let (cosine, sine) = normal_pair(Scalar, block[pair], block[pair + 1]);
        if index & 1 == 0 { cosine } else { sine }
    }

    /// `out[i]` = number `first + i`.
    pub fn fill_numbers(self, first: u64, out: &mut [u32]) {
        self.fill(first, out, Numbers);
    }

    /// `out[i]` = uniform `first + i`.
    pub fn fill_uniforms(self, first: u64, out: &mut [f32]) {
        self.fill(first, out, Uniforms);
    }

    /// `out[i]` = integer `first + i` below `bound`.
    pub fn fill_below(self, first: u64, bound: u32, out: &mut [u32]) {
        self.fill(first, out, Below { bound, rejected_below: rejected_below(bound) });
    }

    /// `out[i]` = normal `first + i`.
    pub fn fill_normals(self, first: u64, out: &mut [f32]) {
        self.fill(first, out, Normals);
    }

    fn fill<K: Kind>(self, first: u64, out: &mut [K::Out], kind: K) {
        let out: &mut [u32] = cast_slice_mut(out);
        if out.len() <= 2 * NUMBERS_PER_TASK {
            return arch().dispatch(Fill { philox: self, first, kind, out });
        }
        out.par_chunks_mut(NUMBERS_PER_TASK).enumerate().for_each(|(task, out)| {
            let first = first + (task * NUMBERS_PER_TASK) as u64;
            arch().dispatch(Fill { philox: self, first, kind, out });
        });
    }
}

/// `2³² mod bound`, 0 for a bound of 0.
pub(crate) fn rejected_below(bound: u32) -> u32 {
    bound.wrapping_neg().checked_rem(bound).unwrap_or(0)
}

/// The high 24 bits as f32, which holds them exactly.
#[inline(always)]
fn high_bits<S: Simd>(simd: S, number: S::u32s, offset: i32) -> S::f32s {
    // In two steps, as a conversion takes 23 bits.
    let double = simd.wrapping_dyn_shr_u32s(number, simd.splat_u32s(9));
    let odd = simd.and_u32s(simd.wrapping_dyn_shr_u32s(number, simd.splat_u32s(8)), simd.splat_u32s(1));
    let double = to_f32(simd, double, 0);
    simd.add_f32s(simd.add_f32s(double, double), to_f32(simd, odd, offset))
}

/// Two normals from two numbers: radius from the first, angle from the second, 24 bits each.
#[inline(always)]
fn normal_pair<S: Simd>(simd: S, first: S::u32s, second: S::u32s) -> (S::f32s, S::f32s) {
    // In (0, 1], so that the logarithm is finite; its value near 1 decides the small radii.
    let probability = simd.mul_f32s(high_bits(simd, first, 1), simd.splat_f32s(UNIT));
    let square = simd.mul_f32s(log2(simd, probability), simd.splat_f32s(-2.0 * std::f32::consts::LN_2));
    let radius = simd.sqrt_f32s(simd.max_f32s(square, simd.splat_f32s(0.0)));
    // The nearest quarter turn is exact in integers; what remains is at most an eighth either way.
    const EIGHTH: u32 = 1 << 21;
    let turn = simd.add_u32s(simd.wrapping_dyn_shr_u32s(second, simd.splat_u32s(8)), simd.splat_u32s(EIGHTH));
    let quarter = simd.wrapping_dyn_shr_u32s(turn, simd.splat_u32s(22));
    let rest = to_f32(simd, simd.and_u32s(turn, simd.splat_u32s(2 * EIGHTH - 1)), -(EIGHTH as i32));
    let angle = simd.mul_f32s(rest, simd.splat_f32s(std::f32::consts::TAU * UNIT));
    let (sine, cosine) = sine_cosine(simd, angle);
    let odd = simd.less_than_u32s(simd.splat_u32s(0), simd.and_u32s(quarter, simd.splat_u32s(1)));
    let x = simd.select_f32s(odd, simd.neg_f32s(sine), cosine);
    let y = simd.select_f32s(odd, cosine, sine);
    let half_turn = simd.and_u32s(quarter, simd.splat_u32s(2));
    let sign = simd.wrapping_dyn_shl_u32s(half_turn, simd.splat_u32s(30));
    let radius = simd.transmute_f32s_u32s(simd.xor_u32s(simd.transmute_u32s_f32s(radius), sign));
    (simd.mul_f32s(radius, x), simd.mul_f32s(radius, y))
}

/// What becomes of the four numbers of a counter, as bits.
trait Kind: Copy + Send + Sync {
    type Out: Pod;

    /// `block` is the counter of the first lane.
    fn convert<S: Simd>(self, simd: S, philox: Philox, block: u64, words: [S::u32s; WORDS]) -> [S::u32s; WORDS];
}

#[derive(Clone, Copy)]
struct Numbers;

impl Kind for Numbers {
    type Out = u32;

    #[inline(always)]
    fn convert<S: Simd>(self, _: S, _: Philox, _: u64, words: [S::u32s; WORDS]) -> [S::u32s; WORDS] {
        words
    }
}

#[derive(Clone, Copy)]
struct Uniforms;

impl Kind for Uniforms {
    type Out = f32;

    #[inline(always)]
    fn convert<S: Simd>(self, simd: S, _: Philox, _: u64, mut words: [S::u32s; WORDS]) -> [S::u32s; WORDS] {
        for word in &mut words {
            let uniform = simd.mul_f32s(high_bits(simd, *word, 0), simd.splat_f32s(UNIT));
            *word = simd.transmute_u32s_f32s(uniform);
        }
        words
    }
}

#[derive(Clone, Copy)]
struct Below {
    bound: u32,
    rejected_below: u32,
}

impl Kind for Below {
    type Out = u32;

    #[inline(always)]
    fn convert<S: Simd>(self, simd: S, philox: Philox, block: u64, words: [S::u32s; WORDS]) -> [S::u32s; WORDS] {
        let mut out = words;
        let mut rejected = simd.less_than_u32s(out[0], out[0]);
        for word in &mut out {
            let (low, high) = simd.widening_mul_u32s(*word, simd.splat_u32s(self.bound));
            rejected = simd.or_m32s(rejected, simd.less_than_u32s(low, simd.splat_u32s(self.rejected_below)));
            *word = high;
        }
        if simd.first_true_m32s(rejected) < S::U32_LANES {
            for (word, (out, number)) in out.iter_mut().zip(words).enumerate() {
                let numbers = [number];
                let out: &mut [u32] = cast_slice_mut(std::slice::from_mut(out));
                for (lane, (out, &number)) in out.iter_mut().zip(cast_slice(&numbers)).enumerate() {
                    let index = (block + lane as u64) * WORDS as u64 + word as u64;
                    *out = philox.settle(number, index, self.bound, self.rejected_below);
                }
            }
        }
        out
    }
}

#[derive(Clone, Copy)]
struct Normals;

impl Kind for Normals {
    type Out = f32;

    #[inline(always)]
    fn convert<S: Simd>(self, simd: S, _: Philox, _: u64, words: [S::u32s; WORDS]) -> [S::u32s; WORDS] {
        let (first, second) = normal_pair(simd, words[0], words[1]);
        let (third, fourth) = normal_pair(simd, words[2], words[3]);
        cast([first, second, third, fourth])
    }
}

/// Fills a slice from any index on.
struct Fill<'a, K> {
    philox: Philox,
    first: u64,
    kind: K,
    out: &'a mut [u32],
}

impl<K: Kind> WithSimd for Fill<'_, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let size = WORDS * S::U32_LANES;
        let mut block = self.first / WORDS as u64;
        let mut skipped = self.first as usize % WORDS;
        let mut out = self.out;
        // Whole groups go straight to the output; the ends go through a buffer.
        while !out.is_empty() {
            let count = (size - skipped).min(out.len());
            let (part, rest) = out.split_at_mut(count);
            if count == size {
                group(simd, self.philox, self.kind, block, part);
            } else {
                let mut buffer = [0; GROUP];
                group(simd, self.philox, self.kind, block, &mut buffer[..size]);
                part.copy_from_slice(&buffer[skipped..skipped + count]);
            }
            (out, skipped, block) = (rest, 0, block + S::U32_LANES as u64);
        }
    }
}

/// The numbers of the counters from `block` on, one per lane.
#[inline(always)]
fn group<S: Simd, K: Kind>(simd: S, philox: Philox, kind: K, block: u64, out: &mut [u32]) {
    const COUNT: [u32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let start = simd.splat_u32s(block as u32);
    let low = simd.add_u32s(start, simd.partial_load_u32s(&COUNT[..S::U32_LANES]));
    let high = simd.splat_u32s((block >> 32) as u32);
    let carried = simd.add_u32s(high, simd.splat_u32s(1));
    let high = simd.select_u32s(simd.less_than_u32s(low, start), carried, high);
    let counter = [low, high, simd.splat_u32s(philox.stream), simd.splat_u32s(0)];
    let words = kind.convert(simd, philox, block, rounds(simd, counter, philox.key));
    let (first, second): (&[u32], &[u32]) = (cast_slice(&words[0..1]), cast_slice(&words[1..2]));
    let (third, fourth): (&[u32], &[u32]) = (cast_slice(&words[2..3]), cast_slice(&words[3..4]));
    let words = first.iter().zip(second).zip(third).zip(fourth);
    for (out, (((&first, &second), &third), &fourth)) in out.as_chunks_mut::<WORDS>().0.iter_mut().zip(words) {
        *out = [first, second, third, fourth];
    }
}
