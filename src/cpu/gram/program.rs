//! A kernel function as data: one or more passes over the pairs, each a sum over the columns and a short program on it.

use super::functions::{exponential, hyperbolic_tangent, tangent_kernel};
use crate::cpu::vectorised;

/// Instructions that a pass may have: what the shader's uniform holds.
pub const MOST_INSTRUCTIONS: usize = 20;
/// Values that a program may keep at once: what the shader keeps in registers.
pub const STACK: usize = 4;
/// Values that a program works on at a time: four stacks of them stay in the first cache.
const SEGMENT: usize = 512;
/// A correlation beyond this is ±1.
const NEARLY_ONE: f32 = 0.999_999_6;
/// What a value is held below, so that no infinity arises where a device may not know one.
const LARGEST: f32 = 3.0e38;

/// What is summed over the columns of a pair of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// x·y.
    Product,
    /// (x − y)².
    Square,
    /// |x − y|.
    Absolute,
    /// sin(2π(x − y))/(x − y), which is 2π where they are equal.
    Sinc,
}

/// One instruction on a stack of values, in the order of calculators: operands first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Instruction {
    /// Pushes the sum of the pass.
    Sum,
    /// Pushes |x|² + |y|² − 2·sum, 0 at the least: the squared distance, if the sum is the product.
    SquaredDistance,
    /// Pushes sum/(|x|·|y|), within ±1; 0 where a row is zero.
    Correlation,
    /// Pushes |x|·|y|.
    Lengths,
    /// Pushes what an earlier pass left in this register.
    Load(usize),
    /// Pushes a number.
    Constant(f32),
    /// Multiplies the last value by a number.
    Scale(f32),
    /// Adds a number to the last value.
    Shift(f32),
    /// Adds the last two values.
    Add,
    /// Multiplies the last two values.
    Multiply,
    /// The last value to a whole power; anything to the power 0 is 1.
    Power(u32),
    /// e to the last value.
    Exponential,
    /// The hyperbolic tangent of the last value.
    Tanh,
    /// From a correlation, the tangent kernel of an infinitely wide network of so many hidden layers, for unit rows.
    Tangent(u32),
}

impl Instruction {
    /// The code and the number by which the shader knows it.
    pub fn encoded(self) -> [f32; 2] {
        match self {
            Instruction::Sum => [0.0, 0.0],
            Instruction::SquaredDistance => [1.0, 0.0],
            Instruction::Correlation => [2.0, 0.0],
            Instruction::Lengths => [3.0, 0.0],
            Instruction::Load(register) => [4.0, register as f32],
            Instruction::Constant(value) => [5.0, value],
            Instruction::Scale(factor) => [6.0, factor],
            Instruction::Shift(term) => [7.0, term],
            Instruction::Add => [8.0, 0.0],
            Instruction::Multiply => [9.0, 0.0],
            Instruction::Power(degree) => [10.0, degree as f32],
            Instruction::Exponential => [11.0, 0.0],
            Instruction::Tanh => [12.0, 0.0],
            Instruction::Tangent(layers) => [13.0, layers as f32],
        }
    }

    /// By how much the stack grows.
    pub fn growth(self) -> isize {
        match self {
            Instruction::Sum | Instruction::SquaredDistance | Instruction::Correlation => 1,
            Instruction::Lengths | Instruction::Load(_) | Instruction::Constant(_) => 1,
            Instruction::Add | Instruction::Multiply => -1,
            _ => 0,
        }
    }
}

/// One pass over the pairs: a sum, and what is made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// Which rows are summed over: an index into the sides.
    pub side: usize,
    /// What is summed.
    pub step: Step,
    /// What is made of the sum; it leaves one value.
    pub program: Vec<Instruction>,
    /// The register for that value; register 0 is the result.
    pub target: usize,
}

impl Pass {
    /// The sum over the columns of a row with itself, from the square of its length.
    pub fn own_sum(&self, square: f32, depth: usize) -> f32 {
        match self.step {
            Step::Product => square,
            Step::Square | Step::Absolute => 0.0,
            Step::Sinc => std::f32::consts::TAU * depth as f32,
        }
    }
}

/// A kernel function: its passes, the last of which leaves the result in register 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The passes, in their order.
    pub passes: Vec<Pass>,
    /// Registers they use.
    pub registers: usize,
}

/// The pairs of some rows with some others, and what is known of them.
pub(super) struct Pairs<'a> {
    /// |x|² of the rows.
    pub left: &'a [f32],
    /// |y|² of the others.
    pub right: &'a [f32],
    /// What earlier passes left, by register.
    pub registers: &'a [&'a [f32]],
}

/// Replaces each sum of the pairs, row by row, by the program's value.
pub(super) fn run(program: &[Instruction], sums: &mut [f32], pairs: &Pairs<'_>) {
    vectorised!(run_all(program, sums, pairs));
}

#[inline(always)]
fn run_all(program: &[Instruction], sums: &mut [f32], pairs: &Pairs<'_>) {
    let columns = pairs.right.len();
    if columns == 0 {
        return;
    }
    // The most used one without a stack; the steps are the same.
    if let [Instruction::SquaredDistance, Instruction::Scale(factor), Instruction::Exponential] = *program {
        for (sums, &square) in sums.chunks_exact_mut(columns).zip(pairs.left) {
            for (sum, &other) in sums.iter_mut().zip(pairs.right) {
                *sum = exponential(hold(squared_distance(square, other, *sum) * factor));
            }
        }
        return;
    }
    let mut stack = [[0.0_f32; SEGMENT]; STACK];
    for (row, (sums, &square)) in sums.chunks_exact_mut(columns).zip(pairs.left).enumerate() {
        for (index, sums) in sums.chunks_mut(SEGMENT).enumerate() {
            let first = index * SEGMENT;
            let squares = &pairs.right[first..first + sums.len()];
            run_segment(program, sums, &mut stack, (square, squares), |register| {
                &pairs.registers[register][row * columns + first..]
            });
        }
    }
}

/// The program on a few pairs of one row, with the squares of the lengths of both sides.
#[inline(always)]
fn run_segment<'a>(
    program: &[Instruction],
    sums: &mut [f32],
    stack: &mut [[f32; SEGMENT]; STACK],
    (square, squares): (f32, &[f32]),
    register: impl Fn(usize) -> &'a [f32],
) {
    let mut depth = 0;
    for &instruction in program {
        if instruction.growth() == 1 {
            let top = &mut stack[depth][..sums.len()];
            match instruction {
                Instruction::Load(from) => top.copy_from_slice(&register(from)[..sums.len()]),
                Instruction::Constant(value) => top.fill(value),
                Instruction::Sum => top.copy_from_slice(sums),
                _ => push_pair(instruction, square, squares, sums, top),
            }
            depth += 1;
        } else if instruction.growth() == -1 {
            let (below, top) = stack.split_at_mut(depth - 1);
            let pairs = below[depth - 2][..sums.len()].iter_mut().zip(&top[0]);
            match instruction {
                Instruction::Add => pairs.for_each(|(left, &right)| *left = hold(*left + right)),
                _ => pairs.for_each(|(left, &right)| *left = hold(*left * right)),
            }
            depth -= 1;
        } else {
            change(instruction, &mut stack[depth - 1][..sums.len()]);
        }
    }
    sums.copy_from_slice(&stack[0][..sums.len()]);
}

#[inline(always)]
fn push_pair(instruction: Instruction, square: f32, squares: &[f32], sums: &[f32], top: &mut [f32]) {
    let length = square.sqrt();
    let values = top.iter_mut().zip(squares).zip(sums);
    match instruction {
        Instruction::SquaredDistance => {
            values.for_each(|((top, &other), &sum)| *top = squared_distance(square, other, sum));
        }
        Instruction::Correlation => values.for_each(|((top, &other), &sum)| {
            let lengths = length * other.sqrt();
            // Within rounding of ±1 it is that: the angle would make much of the difference.
            let share = sum / lengths;
            let share = if share.abs() > NEARLY_ONE { 1.0_f32.copysign(share) } else { share };
            *top = if lengths > 0.0 { share } else { 0.0 };
        }),
        _ => values.for_each(|((top, &other), _)| *top = length * other.sqrt()),
    }
}

#[inline(always)]
fn change(instruction: Instruction, top: &mut [f32]) {
    match instruction {
        Instruction::Scale(factor) => top.iter_mut().for_each(|value| *value = hold(*value * factor)),
        Instruction::Shift(term) => top.iter_mut().for_each(|value| *value = hold(*value + term)),
        Instruction::Power(degree) => top.iter_mut().for_each(|value| *value = power(*value, degree)),
        Instruction::Exponential => top.iter_mut().for_each(|value| *value = exponential(*value)),
        Instruction::Tanh => top.iter_mut().for_each(|value| *value = hyperbolic_tangent(*value)),
        Instruction::Tangent(layers) => top.iter_mut().for_each(|value| *value = tangent_kernel(*value, layers)),
        _ => {}
    }
}

#[inline(always)]
fn squared_distance(square: f32, other: f32, sum: f32) -> f32 {
    ((square + other) - 2.0 * sum).max(0.0)
}

#[inline(always)]
fn hold(value: f32) -> f32 {
    value.clamp(-LARGEST, LARGEST)
}

/// By squaring, as the shader does.
#[inline(always)]
fn power(value: f32, degree: u32) -> f32 {
    let (mut result, mut base, mut left) = (1.0_f32, value, degree);
    while left > 0 {
        if left & 1 == 1 {
            result = hold(result * base);
        }
        base = hold(base * base);
        left >>= 1;
    }
    result
}

#[inline(always)]
pub(super) fn value_alone(program: &[Instruction], sum: f32, square: f32, registers: &[f32]) -> f32 {
    let mut sums = [sum];
    let held: Vec<&[f32]> = registers.iter().map(std::slice::from_ref).collect();
    run_all(program, &mut sums, &Pairs { left: &[square], right: &[square], registers: &held });
    sums[0]
}
