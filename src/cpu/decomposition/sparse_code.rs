//! Orthogonal matching pursuit on products alone (Rubinstein, Zibulevsky and Elad 2008).

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Rows of a task.
const ROWS: usize = 16;
/// The share of an atom's square that must be its own, for it to be taken beside others.
pub(crate) const OWN_SHARE: f32 = 1e-5;

/// When a row's pursuit ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pursuit {
    /// Atoms of a row at most.
    pub nonzeros: usize,
    /// The squared length of what is left of a row that is small enough; needs the squared lengths of the rows.
    pub tolerance: f32,
}

/// The codes of rows, `n×k`: for each row the atoms are taken one after the other, each the one most like what is left,
/// and the coefficients of those taken solve their least squares.
///
/// `products` has the products of the rows with the k atoms, `gram` (`k×k`) those of the atoms with each other, `squares`
/// the squared length of each row if the tolerance is above 0. A pursuit also ends where the next atom is a combination of
/// those there are, or has no product with what is left. About nonzeros²·k/2 multiply-adds a row.
pub fn sparse_code(
    products: &[f32],
    gram: &[f32],
    k: usize,
    squares: Option<&[f32]>,
    pursuit: Pursuit,
    codes: &mut [f32],
) {
    debug_assert_eq!((gram.len(), codes.len()), (k * k, products.len()));
    if k == 0 {
        return;
    }
    codes.fill(0.0);
    let most = pursuit.nonzeros.min(k);
    let rows = codes.par_chunks_mut(ROWS * k).zip(products.par_chunks(ROWS * k)).enumerate();
    rows.for_each(|(task, (codes, products))| {
        let mut state = State::new(k, most);
        for (at, (code, products)) in codes.chunks_exact_mut(k).zip(products.chunks_exact(k)).enumerate() {
            let square = squares.map_or(0.0, |squares| squares[task * ROWS + at]);
            state.pursue(products, gram, square, pursuit.tolerance, most);
            for (atom, value) in state.chosen.iter().zip(&state.solution) {
                code[*atom] = *value as f32;
            }
        }
    });
}

/// What a pursuit keeps.
struct State {
    /// Products of the atoms with what is left.
    left: Vec<f32>,
    chosen: Vec<usize>,
    /// The triangular factor of the chosen atoms' products, row by row, `most` wide.
    factor: Vec<f64>,
    /// The products of the row with the chosen atoms, forward-substituted.
    forward: Vec<f64>,
    solution: Vec<f64>,
    width: usize,
}

impl State {
    fn new(k: usize, most: usize) -> State {
        State {
            left: vec![0.0; k],
            chosen: Vec::with_capacity(most),
            factor: vec![0.0; most * most],
            forward: Vec::with_capacity(most),
            solution: Vec::with_capacity(most),
            width: most,
        }
    }

    fn pursue(&mut self, products: &[f32], gram: &[f32], square: f32, tolerance: f32, most: usize) {
        let k = products.len();
        self.left.copy_from_slice(products);
        self.chosen.clear();
        self.forward.clear();
        self.solution.clear();
        let largest = vectorised!(magnitude(products));
        let mut residual = f64::from(square);
        while self.chosen.len() < most && !(tolerance > 0.0 && residual <= f64::from(tolerance)) {
            let atom = vectorised!(largest_of(&self.left));
            // Below the rounding of the products there is nothing left to find.
            if self.left[atom].abs() <= 1e-6 * largest
                || self.chosen.contains(&atom)
                || !self.take(products, gram, atom)
            {
                break;
            }
            let gained = self.forward.last().map_or(0.0, |value| value * value);
            residual -= gained;
            self.solve();
            if self.chosen.len() == most {
                break;
            }
            self.left.copy_from_slice(products);
            let State { left, chosen, solution, .. } = self;
            let mut terms = chosen.iter().zip(solution.iter());
            // Two atoms at a time halve the traffic of what is left.
            while let Some((first, a)) = terms.next() {
                let first = &gram[first * k..(first + 1) * k];
                match terms.next() {
                    Some((second, b)) => {
                        let second = &gram[second * k..(second + 1) * k];
                        vectorised!(subtract_two(left, (*a as f32, first), (*b as f32, second)));
                    }
                    None => vectorised!(subtract_two(left, (*a as f32, first), (0.0, first))),
                }
            }
        }
    }

    /// Adds an atom to the factor, unless it is a combination of those there are.
    fn take(&mut self, products: &[f32], gram: &[f32], atom: usize) -> bool {
        let (k, size) = (products.len(), self.chosen.len());
        let own = f64::from(gram[atom * k + atom]);
        let mut rest = own;
        for row in 0..size {
            let mut value = f64::from(gram[self.chosen[row] * k + atom]);
            for column in 0..row {
                value -= self.factor[row * self.width + column] * self.factor[size * self.width + column];
            }
            value /= self.factor[row * self.width + row];
            self.factor[size * self.width + row] = value;
            rest -= value * value;
        }
        if rest <= f64::from(OWN_SHARE) * own || own <= 0.0 {
            return false;
        }
        let diagonal = rest.sqrt();
        self.factor[size * self.width + size] = diagonal;
        let mut value = f64::from(products[atom]);
        for column in 0..size {
            value -= self.factor[size * self.width + column] * self.forward[column];
        }
        self.forward.push(value / diagonal);
        self.chosen.push(atom);
        true
    }

    /// The coefficients of the chosen atoms.
    fn solve(&mut self) {
        let size = self.chosen.len();
        self.solution.clear();
        self.solution.extend_from_slice(&self.forward);
        for row in (0..size).rev() {
            let value = self.solution[row] / self.factor[row * self.width + row];
            self.solution[row] = value;
            for column in 0..row {
                self.solution[column] -= self.factor[row * self.width + column] * value;
            }
        }
    }
}

#[inline(always)]
fn subtract_two(left: &mut [f32], (a, first): (f32, &[f32]), (b, second): (f32, &[f32])) {
    left.iter_mut().zip(first).zip(second).for_each(|((left, first), second)| *left -= a * first + b * second);
}

/// The place of the largest magnitude; the first of equal ones.
#[inline(always)]
fn largest_of(values: &[f32]) -> usize {
    let largest = magnitude(values);
    values.iter().position(|value| value.abs() >= largest).unwrap_or(0)
}

/// The largest magnitude, in lanes of their own.
#[inline(always)]
fn magnitude(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<16>();
    let mut lanes = [0.0_f32; 16];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            let value = value.abs();
            *lane = if value > *lane { value } else { *lane };
        }
    }
    lanes.into_iter().chain(rest.iter().map(|value| value.abs())).fold(0.0, f32::max)
}
