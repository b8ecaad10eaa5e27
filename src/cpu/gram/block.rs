//! Blocks of kernel values, each made by one thread from rows that are packed once for all of them.

use rayon::prelude::*;

use super::program::{Pairs, run};
use super::step::SincStep;
use super::{Pass, Plan, Side, Step};
use crate::cpu::tile::{
    AbsoluteDifference, Accumulate, Dot, Operand, PANEL_DEPTH, SquaredDifference, pack_panels, panel_product, product,
};

/// Rows and columns of a block: 576 KiB of values, which stay in a second cache until they are used.
pub(super) const BLOCK: usize = 384;
/// The least of them, and blocks for each thread, where there are few rows.
const LEAST_BLOCK: usize = 96;
const BLOCKS_PER_THREAD: usize = 4;
/// Numbers packed at a time, 16 MiB.
const PACKED: usize = 1 << 22;

/// Rows and columns of the blocks of an n×m matrix: a multiple of every panel's width.
pub(super) fn block_of(n: usize, m: usize) -> usize {
    let wanted = BLOCKS_PER_THREAD * rayon::current_num_threads();
    let mut block = BLOCK;
    while block > LEAST_BLOCK && n.div_ceil(block) * m.div_ceil(block) < wanted {
        block /= 2;
    }
    block
}

/// Rows of B that are packed at a time: whole blocks.
pub(super) fn packed_at_once(b: &[Side<'_>], block: usize) -> usize {
    let depth: usize = b.iter().map(|side| side.depth).sum();
    (PACKED / depth.max(1) / block).max(1) * block
}

/// `count` rows of each side from `first` on.
pub(super) fn parts<'a>(sides: &[Side<'a>], first: usize, count: usize) -> Vec<Side<'a>> {
    sides.iter().map(|side| side.part(first, count)).collect()
}

/// The rows of B, packed in blocks.
pub(super) struct PackedRows<'a> {
    plan: &'a Plan,
    sides: Vec<Side<'a>>,
    /// For each side its panels, one block after the other; none where sums are too long or empty.
    panels: Vec<Vec<f32>>,
    block: usize,
}

impl<'a> PackedRows<'a> {
    pub(super) fn new(plan: &'a Plan, sides: Vec<Side<'a>>, block: usize) -> PackedRows<'a> {
        let panels = sides.iter().map(|side| {
            if !(1..=PANEL_DEPTH).contains(&side.depth) {
                return vec![];
            }
            let width = crate::cpu::tile::panel_width();
            let mut panels = vec![0.0; side.count().next_multiple_of(width) * side.depth];
            panels.par_chunks_mut(block * side.depth).enumerate().for_each(|(at, panels)| {
                let part = side.part(at * block, block.min(side.count() - at * block));
                pack_panels(operand(part), panels);
            });
            panels
        });
        let panels = panels.collect();
        PackedRows { plan, sides, panels, block }
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.sides[0].count().div_ceil(self.block)
    }

    /// Rows of B in a block.
    pub(super) fn columns(&self, at: usize) -> usize {
        self.block.min(self.sides[0].count() - at * self.block)
    }

    /// Numbers that passes before the last leave for so many values.
    pub(super) fn held(&self, values: usize) -> usize {
        if self.plan.passes.len() > 1 { values * self.plan.registers } else { 0 }
    }

    /// `values` = the kernel function of the rows of A with block `at` of those of B, by rows; `held` is room for as many numbers as
    /// [`PackedRows::held`] says. With `own`, row i of the one is row i of the other.
    pub(super) fn fill(&self, a: &[Side<'_>], at: usize, own: bool, values: &mut [f32], held: &mut [f32]) {
        let (columns, size) = (self.columns(at), values.len());
        for (number, pass) in self.plan.passes.iter().enumerate() {
            let a = a[pass.side];
            let b = self.sides[pass.side].part(at * self.block, columns);
            self.sums(pass, a, b, at, values);
            if own {
                let diagonal = values.iter_mut().step_by(columns + 1).zip(a.squares);
                diagonal.for_each(|(value, &square)| *value = pass.own_sum(square, a.depth));
            }
            let registers: Vec<&[f32]> = held.chunks_exact(size.max(1)).collect();
            run(&pass.program, values, &Pairs { left: a.squares, right: b.squares, registers: &registers });
            if number + 1 < self.plan.passes.len() {
                held[pass.target * size..][..size].copy_from_slice(values);
            }
        }
    }

    fn sums(&self, pass: &Pass, a: Side<'_>, b: Side<'_>, at: usize, values: &mut [f32]) {
        let panels = self.panels[pass.side].chunks(self.block * b.depth.max(1)).nth(at);
        match pass.step {
            Step::Product => sums_of(Dot, a, b, panels, values),
            Step::Square => sums_of(SquaredDifference, a, b, panels, values),
            Step::Absolute => sums_of(AbsoluteDifference, a, b, panels, values),
            Step::Sinc => sums_of(SincStep, a, b, panels, values),
        }
    }
}

fn sums_of<S: Accumulate>(step: S, a: Side<'_>, b: Side<'_>, panels: Option<&[f32]>, values: &mut [f32]) {
    match panels {
        Some(panels) => panel_product(step, operand(a), panels, b.count(), values),
        None => product(step, operand(a), operand(b), 1.0, 0.0, values, b.count()),
    }
}

fn operand(side: Side<'_>) -> Operand<'_> {
    Operand::from_rows(side.rows, side.count(), side.depth)
}
