//! Margin, loss and gradient of classes in one read of the rows: f32 in lanes, blocks added in f64.

mod block;
pub mod exact;

use rayon::prelude::*;

use crate::cpu::simd::arch;
use block::{Block, LARGEST, Room};

/// Rows of a task; the tasks are added in index order. A multiple of any block.
const TASK: usize = 2048;
/// Numbers of X in a block: they stay in the second-level cache from the margins to the gradient.
const BLOCK_NUMBERS: usize = 1 << 16;

/// What a margin costs beside the class of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarginLoss {
    /// −ln of the probability of the class: of σ(margin) for one plane, where class 1 is the positive one, else of the
    /// softmax of the planes.
    Softmax,
    /// max(0, 1 − y·margin)², each plane by itself: y is 1 for the class of the plane (class 1 of a single plane), else −1.
    SquaredHinge,
}

/// Planes over d columns: one for two classes, else one for each class.
#[derive(Clone, Copy, Debug)]
pub struct ClassPlanes<'a, T> {
    /// d numbers a plane.
    pub coef: &'a [T],
    /// One number a plane.
    pub intercept: &'a [T],
}

impl<T> ClassPlanes<'_, T> {
    /// Columns, d.
    pub fn columns(&self) -> usize {
        self.coef.len() / self.intercept.len()
    }
}

/// The class of each row, and how much the row counts.
#[derive(Clone, Copy, Debug)]
pub struct ClassRows<'a> {
    /// Codes below the number of planes; 0 and 1 for a single plane.
    pub classes: &'a [u32],
    /// None: each row counts once.
    pub weights: Option<&'a [f32]>,
}

impl<'a> ClassRows<'a> {
    /// Some of the rows.
    pub fn part(&self, rows: std::ops::Range<usize>) -> ClassRows<'a> {
        ClassRows { classes: &self.classes[rows.clone()], weights: self.weights.map(|weights| &weights[rows]) }
    }
}

/// Sums over rows of the loss and its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginGradient {
    /// `Σ w·loss`.
    pub loss: f64,
    /// `Σ w·∂loss/∂margin·x`, d numbers a plane.
    pub coef: Vec<f64>,
    /// `Σ w·∂loss/∂margin`, one number a plane.
    pub intercept: Vec<f64>,
}

impl MarginGradient {
    /// No rows yet.
    pub fn new(columns: usize, planes: usize) -> MarginGradient {
        MarginGradient { loss: 0.0, coef: vec![0.0; columns * planes], intercept: vec![0.0; planes] }
    }

    /// Adds the sums of other rows.
    pub fn add(&mut self, other: &MarginGradient) {
        self.loss += other.loss;
        self.coef.iter_mut().zip(&other.coef).for_each(|(total, part)| *total += part);
        self.intercept.iter_mut().zip(&other.intercept).for_each(|(total, part)| *total += part);
    }
}

/// The sums of the rows of `x`, n×d, d ≥ 1, on all cores: 4·n·d operations a plane, and `x` is read once.
///
/// A margin is within (d/8 + 8)·ε·Σ|x·coef| of the exact one, ε = 2⁻²⁴; the loss of a row within 8·ε of its margin's size; sums
/// of a block of 64 to 256 rows are f32, the blocks are added in f64. The result does not depend on the threads.
///
/// ```
/// use gristmill::cpu::linear::margin_gradient::{ClassPlanes, ClassRows, MarginLoss, margin_gradient};
/// let rows = ClassRows { classes: &[1, 0], weights: None };
/// let planes = ClassPlanes { coef: &[0.0], intercept: &[0.0] };
/// let found = margin_gradient(&[1.0, 3.0], rows, planes, MarginLoss::Softmax);
/// assert!((found.loss - 2.0 * 2_f64.ln()).abs() < 1e-6 && found.coef == [1.0]); // −½·1 + ½·3
/// ```
pub fn margin_gradient(
    x: &[f32],
    rows: ClassRows<'_>,
    planes: ClassPlanes<'_, f32>,
    loss: MarginLoss,
) -> MarginGradient {
    let (columns, count) = (planes.columns(), planes.intercept.len());
    debug_assert_eq!(x.len(), rows.classes.len() * columns);
    let block = (BLOCK_NUMBERS / columns).next_power_of_two().clamp(LARGEST / 4, LARGEST);
    let of_task = |(task, x): (usize, &[f32])| {
        let mut sums = MarginGradient::new(columns, count);
        let mut room = Room::new(columns, count);
        for (at, x) in x.chunks(block * columns).enumerate() {
            let first = task * TASK + at * block;
            let rows = rows.part(first..first + x.len() / columns);
            arch().dispatch(Block { x, rows, planes, loss, room: &mut room, sums: &mut sums });
        }
        sums
    };
    let parts: Vec<MarginGradient> = x.par_chunks(TASK * columns).enumerate().map(of_task).collect();
    let mut total = MarginGradient::new(columns, count);
    parts.iter().for_each(|part| total.add(part));
    total
}
