//! The product of two matrices, `C = alpha·op(A)·op(B) + beta·C`.

use rayon::prelude::*;

use crate::cpu::tile::{Dot, Operand, product};

/// Which of the two factors is transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A·B: A is `n×k`, B is `k×m`.
    NN,
    /// A·Bᵀ: A is `n×k`, B is `m×k`.
    NT,
    /// Aᵀ·B: A is `k×n`, B is `k×m`.
    TN,
}

/// What is done to each value of a product in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    #[default]
    Identity,
    /// max(x, 0).
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + e⁻ˣ).
    Logistic,
}

impl Activation {
    /// Its value at x.
    pub fn of(self, x: f32) -> f32 {
        match self {
            Activation::Identity => x,
            Activation::Relu => x.max(0.0),
            Activation::Tanh => x.tanh(),
            Activation::Logistic => 1.0 / (1.0 + (-x).exp()),
        }
    }
}

/// `c = activation(c + bias)`, one number of `bias` for each of the columns.
pub fn activate(c: &mut [f32], columns: usize, bias: Option<&[f32]>, activation: Activation) {
    if columns == 0 || (bias.is_none() && activation == Activation::Identity) {
        return;
    }
    let rows_at_once = 4096_usize.div_ceil(columns);
    c.par_chunks_mut(columns * rows_at_once).for_each(|rows| {
        for row in rows.chunks_mut(columns) {
            if let Some(bias) = bias {
                row.iter_mut().zip(bias).for_each(|(value, bias)| *value += bias);
            }
            row.iter_mut().for_each(|value| *value = activation.of(*value));
        }
    });
}

/// `c = alpha·op(a)·op(b) + beta·c` on contiguous row-major matrices, `c` being `n×m`.
///
/// With `beta` 0 the old `c` is not read. The bits of an element depend on its row and column alone, not on the
/// number of rows, columns or threads. Costs `n·m·k` multiply-adds.
#[allow(clippy::too_many_arguments)]
pub fn gemm(
    layout: Layout,
    alpha: f32,
    a: &[f32],
    (a_rows, a_columns): (usize, usize),
    b: &[f32],
    (b_rows, b_columns): (usize, usize),
    beta: f32,
    c: &mut [f32],
) {
    debug_assert_eq!(a.len(), a_rows * a_columns);
    debug_assert_eq!(b.len(), b_rows * b_columns);
    let left = match layout {
        Layout::NN | Layout::NT => Operand::from_rows(a, a_rows, a_columns),
        Layout::TN => Operand::from_columns(a, a_rows, a_columns),
    };
    let right = match layout {
        Layout::NT => Operand::from_rows(b, b_rows, b_columns),
        Layout::NN | Layout::TN => Operand::from_columns(b, b_rows, b_columns),
    };
    debug_assert_eq!(left.depth, right.depth);
    debug_assert_eq!(c.len(), left.rows * right.rows);
    product(Dot, left, right, alpha, beta, c, right.rows);
}
