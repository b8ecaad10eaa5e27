//! A block of rows on one thread: margins by dot products, residuals in lanes over the rows, then the gradient.

use std::f32::consts::{LN_2, LOG2_E};

use pulp::{Simd, WithSimd};

use super::{ClassPlanes, ClassRows, MarginGradient, MarginLoss};
use crate::cpu::elementary::{exp2, log2};

/// Rows of a block at most; a multiple of the lanes of any processor.
pub(super) const LARGEST: usize = 256;
/// Rows whose margins are made together, and planes: eight sums side by side hide the latency of a multiply-add.
const ROWS: usize = 4;
/// Vectors of columns whose sums stay in registers.
const STRIP: usize = 4;

/// What a block needs beside its rows, kept from block to block.
pub(super) struct Room {
    /// Margins, then residuals: `LARGEST` numbers a plane.
    margins: Vec<f32>,
    /// The code of each row as a number, and its weight; 0 behind the last row.
    codes: Vec<f32>,
    weights: Vec<f32>,
    /// Sums of the block, d numbers a plane.
    slopes: Vec<f32>,
}

impl Room {
    pub(super) fn new(columns: usize, planes: usize) -> Room {
        Room {
            margins: vec![0.0; LARGEST * planes],
            codes: vec![0.0; LARGEST],
            weights: vec![0.0; LARGEST],
            slopes: vec![0.0; columns * planes],
        }
    }
}

pub(super) struct Block<'a> {
    pub(super) x: &'a [f32],
    pub(super) rows: ClassRows<'a>,
    pub(super) planes: ClassPlanes<'a, f32>,
    pub(super) loss: MarginLoss,
    pub(super) room: &'a mut Room,
    pub(super) sums: &'a mut MarginGradient,
}

impl WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Block { x, rows, planes, loss, room, sums } = self;
        let count = rows.classes.len();
        for row in 0..LARGEST {
            let weight = rows.weights.map_or(1.0, |weights| weights[row.min(count - 1)]);
            room.weights[row] = if row < count { weight } else { 0.0 };
            room.codes[row] = rows.classes[row.min(count - 1)] as f32;
        }
        margins(simd, x, count, planes, &mut room.margins);
        let used = count.next_multiple_of(S::F32_LANES);
        let (codes, weights) = (S::as_simd_f32s(&room.codes[..used]).0, S::as_simd_f32s(&room.weights[..used]).0);
        sums.loss += f64::from(match (loss, planes.intercept.len()) {
            (MarginLoss::Softmax, 1) => logistic(simd, &mut room.margins[..used], codes, weights),
            (MarginLoss::Softmax, planes) => softmax(simd, &mut room.margins, planes, codes, weights),
            (MarginLoss::SquaredHinge, planes) => squared_hinge(simd, &mut room.margins, planes, codes, weights),
        });
        for (sum, residuals) in sums.intercept.iter_mut().zip(room.margins.chunks_exact(LARGEST)) {
            let mut total = simd.splat_f32s(0.0);
            for &residual in S::as_simd_f32s(&residuals[..used]).0 {
                total = simd.add_f32s(total, residual);
            }
            *sum += f64::from(simd.reduce_sum_f32s(total));
        }
        slopes(simd, x, planes.columns(), &room.margins, count, &mut room.slopes);
        sums.coef.iter_mut().zip(&room.slopes).for_each(|(sum, value)| *sum += f64::from(*value));
    }
}

/// `out[plane·LARGEST + row] = x·coef + intercept`. Behind the last row stands that of the last.
#[inline(always)]
fn margins<S: Simd>(simd: S, x: &[f32], count: usize, planes: ClassPlanes<'_, f32>, out: &mut [f32]) {
    let columns = planes.columns();
    for first in (0..count).step_by(ROWS) {
        let row = |at: usize| &x[(first + at).min(count - 1) * columns..][..columns];
        let rows = [row(0), row(1), row(2), row(3)];
        let mut plane = 0;
        while plane < planes.intercept.len() {
            let own = |plane: usize| &planes.coef[plane * columns..][..columns];
            let sums = if plane + 1 < planes.intercept.len() {
                dots(simd, rows, [own(plane), own(plane + 1)])
            } else {
                let [sums] = dots(simd, rows, [own(plane)]);
                [sums, sums]
            };
            for (plane, sums) in (plane..planes.intercept.len()).zip(sums) {
                for (out, sum) in out[plane * LARGEST + first..][..ROWS].iter_mut().zip(sums) {
                    *out = sum + planes.intercept[plane];
                }
            }
            plane += 2;
        }
    }
    let padding = count.next_multiple_of(ROWS);
    for plane in out.chunks_exact_mut(LARGEST) {
        plane[padding..].fill(0.0);
    }
}

/// The products of four rows with P planes. Each is summed in the same order whatever its place.
#[inline(always)]
fn dots<S: Simd, const P: usize>(simd: S, rows: [&[f32]; ROWS], coef: [&[f32]; P]) -> [[f32; ROWS]; P] {
    let mut sums = [[simd.splat_f32s(0.0); ROWS]; P];
    let vectors = rows[0].len() / S::F32_LANES;
    let [first, second, third, fourth] = rows;
    let (first, first_tail) = S::as_simd_f32s(first);
    let (second, second_tail) = S::as_simd_f32s(second);
    let (third, third_tail) = S::as_simd_f32s(third);
    let (fourth, fourth_tail) = S::as_simd_f32s(fourth);
    let x = first.iter().zip(second).zip(third).zip(fourth);
    for (vector, (((&first, &second), &third), &fourth)) in x.enumerate() {
        let values = [first, second, third, fourth];
        for plane in 0..P {
            let factor = S::as_simd_f32s(coef[plane]).0[vector];
            for row in 0..ROWS {
                sums[plane][row] = simd.mul_add_e_f32s(values[row], factor, sums[plane][row]);
            }
        }
    }
    if !first_tail.is_empty() {
        let values = [
            simd.partial_load_f32s(first_tail),
            simd.partial_load_f32s(second_tail),
            simd.partial_load_f32s(third_tail),
            simd.partial_load_f32s(fourth_tail),
        ];
        for plane in 0..P {
            let factor = simd.partial_load_f32s(&coef[plane][vectors * S::F32_LANES..]);
            for row in 0..ROWS {
                sums[plane][row] = simd.mul_add_e_f32s(values[row], factor, sums[plane][row]);
            }
        }
    }
    let mut out = [[0.0; ROWS]; P];
    for plane in 0..P {
        for row in 0..ROWS {
            out[plane][row] = simd.reduce_sum_f32s(sums[plane][row]);
        }
    }
    out
}

/// Log-odds become `w·(p − [class 1])`; returns the loss.
#[inline(always)]
fn logistic<S: Simd>(simd: S, margins: &mut [f32], codes: &[S::f32s], weights: &[S::f32s]) -> f32 {
    let (zero, one) = (simd.splat_f32s(0.0), simd.splat_f32s(1.0));
    let mut total = zero;
    for ((margin, &code), &weight) in S::as_mut_simd_f32s(margins).0.iter_mut().zip(codes).zip(weights) {
        let positive = simd.equal_f32s(code, one);
        let own = simd.select_f32s(positive, *margin, simd.neg_f32s(*margin));
        let e = exp2(simd, simd.mul_f32s(simd.abs_f32s(own), simd.splat_f32s(-LOG2_E)));
        let above = simd.add_f32s(one, e);
        // ln(1 + e⁻ᵐ) and σ(−m), without overflow.
        let loss = simd
            .add_f32s(simd.max_f32s(simd.neg_f32s(own), zero), simd.mul_f32s(log2(simd, above), simd.splat_f32s(LN_2)));
        let wrong = simd.div_f32s(simd.select_f32s(simd.less_than_f32s(own, zero), one, e), above);
        total = simd.add_f32s(total, simd.mul_f32s(weight, loss));
        let signed = simd.select_f32s(positive, simd.neg_f32s(wrong), wrong);
        *margin = simd.mul_f32s(weight, signed);
    }
    simd.reduce_sum_f32s(total)
}

/// Scores become `w·(p − [own class])`; returns the loss.
#[inline(always)]
fn softmax<S: Simd>(simd: S, margins: &mut [f32], planes: usize, codes: &[S::f32s], weights: &[S::f32s]) -> f32 {
    let mut total = simd.splat_f32s(0.0);
    let margins = S::as_mut_simd_f32s(margins).0;
    let stride = LARGEST / S::F32_LANES;
    for (at, (&code, &weight)) in codes.iter().zip(weights).enumerate() {
        let mut largest = margins[at];
        let mut own = margins[at];
        for plane in 1..planes {
            let margin = margins[plane * stride + at];
            largest = simd.max_f32s(largest, margin);
            own = simd.select_f32s(simd.equal_f32s(code, simd.splat_f32s(plane as f32)), margin, own);
        }
        let mut sum = simd.splat_f32s(0.0);
        for plane in 0..planes {
            let margin = &mut margins[plane * stride + at];
            *margin = exp2(simd, simd.mul_f32s(simd.sub_f32s(*margin, largest), simd.splat_f32s(LOG2_E)));
            sum = simd.add_f32s(sum, *margin);
        }
        let loss = simd.add_f32s(simd.mul_f32s(log2(simd, sum), simd.splat_f32s(LN_2)), simd.sub_f32s(largest, own));
        total = simd.add_f32s(total, simd.mul_f32s(weight, loss));
        let share = simd.div_f32s(weight, sum);
        for plane in 0..planes {
            let mine = simd.equal_f32s(code, simd.splat_f32s(plane as f32));
            let taken = simd.select_f32s(mine, weight, simd.splat_f32s(0.0));
            let margin = &mut margins[plane * stride + at];
            *margin = simd.sub_f32s(simd.mul_f32s(*margin, share), taken);
        }
    }
    simd.reduce_sum_f32s(total)
}

/// Margins become `−2·w·y·max(0, 1 − y·margin)`; returns the loss.
#[inline(always)]
fn squared_hinge<S: Simd>(simd: S, margins: &mut [f32], planes: usize, codes: &[S::f32s], weights: &[S::f32s]) -> f32 {
    let (zero, one) = (simd.splat_f32s(0.0), simd.splat_f32s(1.0));
    let mut total = zero;
    let stride = LARGEST / S::F32_LANES;
    let margins = S::as_mut_simd_f32s(margins).0;
    for plane in 0..planes {
        let class = simd.splat_f32s(if planes == 1 { 1.0 } else { plane as f32 });
        for (at, (&code, &weight)) in codes.iter().zip(weights).enumerate() {
            let margin = &mut margins[plane * stride + at];
            let sign = simd.select_f32s(simd.equal_f32s(code, class), one, simd.splat_f32s(-1.0));
            let short = simd.max_f32s(simd.sub_f32s(one, simd.mul_f32s(sign, *margin)), zero);
            let weighted = simd.mul_f32s(weight, short);
            total = simd.add_f32s(total, simd.mul_f32s(weighted, short));
            *margin = simd.mul_f32s(simd.mul_f32s(sign, weighted), simd.splat_f32s(-2.0));
        }
    }
    simd.reduce_sum_f32s(total)
}

/// `out[plane·columns + column] = Σ residual·x` over the rows: two planes and four vectors of columns at a time.
#[inline(always)]
fn slopes<S: Simd>(simd: S, x: &[f32], columns: usize, residuals: &[f32], count: usize, out: &mut [f32]) {
    let planes = out.len() / columns;
    let vectors = columns / S::F32_LANES;
    let mut vector = 0;
    while vector < vectors {
        let wide = if vector + STRIP <= vectors { STRIP } else { 1 };
        let first = vector * S::F32_LANES;
        let mut plane = 0;
        while plane < planes {
            let pair = if plane + 1 < planes { 2 } else { 1 };
            let part = Part { x: &x[first..], columns, residuals: &residuals[plane * LARGEST..], count };
            let place = &mut out[plane * columns + first..];
            match (wide, pair) {
                (STRIP, 2) => strip::<S, STRIP, 2>(simd, part, place),
                (STRIP, _) => strip::<S, STRIP, 1>(simd, part, place),
                (_, 2) => strip::<S, 1, 2>(simd, part, place),
                _ => strip::<S, 1, 1>(simd, part, place),
            }
            plane += pair;
        }
        vector += wide;
    }
    let first = vectors * S::F32_LANES;
    if first < columns {
        for plane in 0..planes {
            let mut sum = simd.splat_f32s(0.0);
            for row in 0..count {
                let values = simd.partial_load_f32s(&x[row * columns + first..(row + 1) * columns]);
                sum = simd.mul_add_e_f32s(simd.splat_f32s(residuals[plane * LARGEST + row]), values, sum);
            }
            simd.partial_store_f32s(&mut out[plane * columns + first..(plane + 1) * columns], sum);
        }
    }
}

/// Some columns of a block: `x` begins at the first of them.
#[derive(Clone, Copy)]
struct Part<'a> {
    x: &'a [f32],
    columns: usize,
    residuals: &'a [f32],
    count: usize,
}

#[inline(always)]
fn strip<S: Simd, const V: usize, const P: usize>(simd: S, part: Part<'_>, out: &mut [f32]) {
    let mut sums = [[simd.splat_f32s(0.0); V]; P];
    for row in 0..part.count {
        let values = S::as_simd_f32s(&part.x[row * part.columns..][..V * S::F32_LANES]).0;
        for (plane, sums) in sums.iter_mut().enumerate() {
            let residual = simd.splat_f32s(part.residuals[plane * LARGEST + row]);
            for (sum, &value) in sums.iter_mut().zip(values) {
                *sum = simd.mul_add_e_f32s(residual, value, *sum);
            }
        }
    }
    for (plane, sums) in sums.iter().enumerate() {
        S::as_mut_simd_f32s(&mut out[plane * part.columns..][..V * S::F32_LANES]).0.copy_from_slice(sums);
    }
}
