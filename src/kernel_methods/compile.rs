//! From a kernel to the passes that compute it.

use super::{Gamma, Kernel};
use crate::ops::gram::{Instruction, MOST_INSTRUCTIONS, Pass, Plan, STACK, Step};

/// What becomes of the rows before they are summed over.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowMap {
    /// As they are.
    Raw,
    /// The means of the fit's columns taken away: products then lose less.
    Centred,
    /// weights·x + offset, one column.
    Affine(Vec<f32>, f32),
    /// cos(θx) and sin(θx) of every column, for each θ.
    Waves(Vec<f64>),
    /// The gradient of a random network.
    Tangent { width: usize, seed: u64 },
}

/// A kernel as the device runs it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compiled {
    pub(super) maps: Vec<RowMap>,
    pub(super) plan: Plan,
    /// The largest γ of ‖x−y‖² that comes from products, whose error grows with γ·‖x‖².
    pub(super) steepest: f64,
}

/// Compiles a kernel whose widths are numbers. With `direct`, squared distances are summed as such.
pub(super) fn compile(kernel: &Kernel, direct: bool) -> Compiled {
    let products = |part: &&Kernel| {
        matches!(
            part,
            Kernel::Linear
                | Kernel::Polynomial { .. }
                | Kernel::Sigmoid { .. }
                | Kernel::Cosine
                | Kernel::Tangent { .. }
        )
    };
    // One product serves all where there are others; alone, centred rows are more exact.
    let squares = match kernel.parts().iter().any(products) {
        true => RowMap::Raw,
        false => RowMap::Centred,
    };
    let mut compiler = Compiler { direct, squares, maps: vec![], passes: vec![], registers: 1, steepest: 0.0 };
    compiler.emit(kernel, 0);
    if compiler.maps.is_empty() {
        compiler.maps.push(RowMap::Raw);
    }
    Compiled {
        maps: compiler.maps,
        plan: Plan { passes: compiler.passes, registers: compiler.registers },
        steepest: compiler.steepest,
    }
}

/// A sum over the columns of mapped rows.
type Base = (usize, Step);

struct Compiler {
    direct: bool,
    squares: RowMap,
    maps: Vec<RowMap>,
    passes: Vec<Pass>,
    registers: usize,
    steepest: f64,
}

impl Compiler {
    /// Appends passes that leave the kernel's value in a register.
    fn emit(&mut self, kernel: &Kernel, target: usize) {
        self.registers = self.registers.max(target + 1);
        if let Some((base, program)) = self.fused(kernel) {
            let (side, step) = base.unwrap_or((0, Step::Product));
            return self.passes.push(Pass { side, step, program, target });
        }
        match kernel {
            Kernel::Power(part, degree) => self.emit_then(part, target, &[Instruction::Power(*degree)]),
            Kernel::Exponential(part) => self.emit_then(part, target, &[Instruction::Exponential]),
            Kernel::Sum(parts) => self.emit_all(parts, target, Instruction::Add),
            Kernel::Product(parts) => self.emit_all(parts, target, Instruction::Multiply),
            // Kernels without parts are fused.
            _ => {}
        }
    }

    fn emit_then(&mut self, kernel: &Kernel, target: usize, more: &[Instruction]) {
        self.emit(kernel, target);
        if let Some(last) = self.passes.last_mut() {
            last.program.extend_from_slice(more);
        }
    }

    /// One part after the other, each joined to what is in the register.
    fn emit_all(&mut self, parts: &[Kernel], target: usize, join: Instruction) {
        for (number, part) in parts.iter().enumerate() {
            if number == 0 {
                self.emit(part, target);
                continue;
            }
            self.emit_then(part, target + 1, &[Instruction::Load(target), join]);
            if let Some(last) = self.passes.last_mut() {
                last.target = target;
            }
        }
    }

    /// The program of a kernel all of whose parts need the same sum, or none.
    fn fused(&mut self, kernel: &Kernel) -> Option<(Option<Base>, Vec<Instruction>)> {
        let (base, program) = match kernel {
            Kernel::Sum(parts) => self.fused_all(parts, Instruction::Add)?,
            Kernel::Product(parts) => self.fused_all(parts, Instruction::Multiply)?,
            Kernel::Power(part, degree) => {
                let (base, mut program) = self.fused(part)?;
                program.push(Instruction::Power(*degree));
                (base, program)
            }
            Kernel::Exponential(part) => {
                let (base, mut program) = self.fused(part)?;
                program.push(Instruction::Exponential);
                (base, program)
            }
            Kernel::Constant(value) => (None, vec![Instruction::Constant(*value as f32)]),
            leaf => self.leaf(leaf),
        };
        let mut depth = 0;
        let deepest = program.iter().map(|instruction| {
            depth += instruction.growth();
            depth
        });
        // Two more instructions may follow, to join what an earlier pass left.
        let fits = deepest.max().unwrap_or(0) < STACK as isize && program.len() + 3 <= MOST_INSTRUCTIONS;
        fits.then_some((base, program))
    }

    fn fused_all(&mut self, parts: &[Kernel], join: Instruction) -> Option<(Option<Base>, Vec<Instruction>)> {
        let mut all: (Option<Base>, Vec<Instruction>) = (None, vec![]);
        for part in parts {
            let (base, program) = self.fused(part)?;
            if all.0.is_some() && base.is_some() && all.0 != base {
                return None;
            }
            all.0 = all.0.or(base);
            match (&program[..], join, all.1.is_empty()) {
                ([Instruction::Constant(value)], Instruction::Multiply, false) => {
                    all.1.push(Instruction::Scale(*value))
                }
                ([Instruction::Constant(value)], Instruction::Add, false) => all.1.push(Instruction::Shift(*value)),
                (_, _, true) => all.1 = program,
                _ => {
                    all.1.extend(program);
                    all.1.push(join);
                }
            }
        }
        Some(all)
    }

    fn leaf(&mut self, kernel: &Kernel) -> (Option<Base>, Vec<Instruction>) {
        let number = |gamma: &Gamma| gamma.number().unwrap_or(1.0);
        let (map, step, program) = match kernel {
            Kernel::Polynomial { gamma, coef0, degree } => {
                let line =
                    [Instruction::Sum, Instruction::Scale(number(gamma) as f32), Instruction::Shift(*coef0 as f32)];
                (RowMap::Raw, Step::Product, [&line[..], &[Instruction::Power(*degree)]].concat())
            }
            Kernel::Gaussian { gamma } => {
                let tail = [Instruction::Scale(-number(gamma) as f32), Instruction::Exponential];
                if self.direct {
                    (RowMap::Raw, Step::Square, [&[Instruction::Sum], &tail[..]].concat())
                } else {
                    self.steepest = self.steepest.max(number(gamma));
                    (self.squares.clone(), Step::Product, [&[Instruction::SquaredDistance], &tail[..]].concat())
                }
            }
            Kernel::Laplacian { gamma } => {
                let scale = Instruction::Scale(-number(gamma) as f32);
                (RowMap::Raw, Step::Absolute, vec![Instruction::Sum, scale, Instruction::Exponential])
            }
            Kernel::Sigmoid { gamma, coef0 } => {
                let line =
                    [Instruction::Sum, Instruction::Scale(number(gamma) as f32), Instruction::Shift(*coef0 as f32)];
                (RowMap::Raw, Step::Product, [&line[..], &[Instruction::Tanh]].concat())
            }
            Kernel::Cosine => (RowMap::Raw, Step::Product, vec![Instruction::Correlation]),
            Kernel::Tangent { layers } => {
                let program = [
                    Instruction::Correlation,
                    Instruction::Tangent(*layers),
                    Instruction::Lengths,
                    Instruction::Multiply,
                ];
                (RowMap::Raw, Step::Product, program.to_vec())
            }
            Kernel::Affine { weights, offset } => {
                (RowMap::Affine(weights.clone(), *offset), Step::Product, vec![Instruction::Sum])
            }
            Kernel::Waves { theta } => (RowMap::Waves(vec![*theta]), Step::Product, vec![Instruction::Sum]),
            Kernel::WaveSeries { terms } => {
                let angle = |l: u32| std::f64::consts::TAU * f64::from(l) / f64::from((*terms).max(1));
                (RowMap::Waves((0..=*terms).map(angle).collect()), Step::Product, vec![Instruction::Sum])
            }
            Kernel::Sinc => (RowMap::Raw, Step::Sinc, vec![Instruction::Sum]),
            Kernel::EmpiricalTangent { width, seed } => {
                let map = RowMap::Tangent { width: *width as usize, seed: *seed };
                (map, Step::Product, vec![Instruction::Sum])
            }
            _ => (RowMap::Raw, Step::Product, vec![Instruction::Sum]),
        };
        let side = self.maps.iter().position(|known| *known == map).unwrap_or_else(|| {
            self.maps.push(map);
            self.maps.len() - 1
        });
        (Some((side, step)), program)
    }
}
