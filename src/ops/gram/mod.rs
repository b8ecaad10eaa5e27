//! Kernel functions of all pairs of rows: the matrix, its product with vectors without storing it, its diagonal.
//!
//! A kernel function is a [`Plan`]: one or more passes, each a sum over the columns of a pair of rows (a product, squared
//! or absolute differences) and a short program on the sum. One shader runs all of them.

pub mod diagonal;
pub mod matrix;
pub mod product;

pub use crate::cpu::gram::{Instruction, MOST_INSTRUCTIONS, Pass, Plan, STACK, Step};

use std::ops::Range;

use crate::array::{DeviceMatrix, DeviceVec};
use crate::cpu::gram::Side;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::sort::gather_rows::gather_known_rows;

/// One side of the pairs: its rows, once for each kind of sum, and the squares of their lengths.
#[derive(Debug)]
pub struct PairRows {
    rows: usize,
    sides: Vec<(DeviceMatrix, DeviceVec<f32>)>,
}

impl PairRows {
    /// From the rows for each kind of sum, all of them on the device of the stream and equally many.
    pub fn new(stream: &mut Stream, sides: Vec<DeviceMatrix>) -> Result<PairRows> {
        let rows = sides.first().map_or(0, DeviceMatrix::rows);
        if let Some(other) = sides.iter().find(|side| side.rows() != rows) {
            return Err(Error::shape("PairRows", format!("{rows} rows for each sum"), other.rows()));
        }
        let squared = sides.into_iter().map(|side| {
            let squares = diagonal::squares(stream, &side)?;
            Ok((side, squares))
        });
        Ok(PairRows { rows, sides: squared.collect::<Result<_>>()? })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The squares of the lengths of the rows of one side.
    pub fn squares(&self, side: usize) -> &DeviceVec<f32> {
        &self.sides[side].1
    }

    /// The sides for a CPU twin.
    fn host(&self) -> Result<Vec<Side<'_>>> {
        let mut sides = Vec::with_capacity(self.sides.len());
        for (rows, squares) in &self.sides {
            sides.push(Side { rows: rows.values()?, depth: rows.columns(), squares: squares.values()? });
        }
        Ok(sides)
    }

    /// The rows with these numbers, which the caller knows to be those of rows.
    pub(crate) fn gathered(&self, stream: &mut Stream, index: &DeviceVec<u32>) -> Result<PairRows> {
        let sides = self.sides.iter().map(|(rows, _)| gather_known_rows(stream, rows, index)).collect::<Result<_>>()?;
        PairRows::new(stream, sides)
    }

    /// Some of the rows.
    fn part(&self, stream: &mut Stream, range: Range<usize>) -> Result<PairRows> {
        let sides = self.sides.iter().map(|(rows, _)| rows.range(stream, range.clone())).collect::<Result<_>>()?;
        PairRows::new(stream, sides)
    }
}

/// Refuses plans and sides that do not belong together.
fn check(stream: &Stream, op: &'static str, plan: &Plan, sides: [&PairRows; 2]) -> Result<()> {
    for pass in &plan.passes {
        let columns = sides.map(|side| side.sides.get(pass.side).map(|(rows, _)| rows.columns()));
        if columns[0].is_none() || columns[0] != columns[1] {
            let names = columns.map(|columns| columns.map_or("none".to_string(), |columns| columns.to_string()));
            return Err(Error::shape(op, "equally many columns in both", format!("{} and {}", names[0], names[1])));
        }
        let mut depth = 0;
        for instruction in &pass.program {
            depth += instruction.growth();
            if depth < 1 || depth > STACK as isize {
                return Err(Error::shape(op, format!("programs that keep 1 to {STACK} values"), depth));
            }
        }
        if depth != 1 || pass.program.len() > MOST_INSTRUCTIONS || pass.target >= plan.registers {
            let expected = format!("programs of up to {MOST_INSTRUCTIONS} instructions that leave one value");
            return Err(Error::shape(op, expected, format!("{} that leave {depth}", pass.program.len())));
        }
    }
    for side in sides {
        for (rows, _) in &side.sides {
            rows.complete_on(stream, op)?;
        }
    }
    Ok(())
}

/// The program as the shaders read it.
fn encoded(program: &[Instruction]) -> [[f32; 4]; MOST_INSTRUCTIONS / 2] {
    let mut words = [[0.0; 4]; MOST_INSTRUCTIONS / 2];
    for (at, instruction) in program.iter().enumerate() {
        words[at / 2][2 * (at % 2)..][..2].copy_from_slice(&instruction.encoded());
    }
    words
}

/// The number by which the shaders know a step.
fn step_code(step: Step) -> u32 {
    match step {
        Step::Product => 0,
        Step::Square => 1,
        Step::Absolute => 2,
        Step::Sinc => 3,
    }
}

/// The form of a shader that is compiled for a program by itself: 1 for Gaussians of products, 0 for all others.
fn form(pass: &Pass) -> u32 {
    let program = &pass.program[..];
    let gaussian = [Instruction::SquaredDistance, Instruction::Exponential];
    let is_gaussian = program.len() == 3 && [program[0], program[2]] == gaussian;
    u32::from(is_gaussian && matches!(program[1], Instruction::Scale(_)))
}

/// Operations for one column of a pair.
fn step_operations(step: Step) -> u64 {
    match step {
        Step::Product => 2,
        Step::Square | Step::Absolute => 3,
        Step::Sinc => 30,
    }
}
