//! Rounds of a support vector machine on a device: who is most wrong, pairs of them, what that does to all others.

pub use crate::cpu::svm::working_set::{Candidates, Limits, SET};

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::svm::working_set::{self as twin, BLOCK, FAR, NONE, STANDING, UNBOUNDED};
use crate::device::{Device, Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::select_smallest;

kernels! {
    /// The matrix of the set, its variables, bounds, variables, slopes, changes.
    pub KERNEL = "svm/working_set", [Read, Read, Read, Write, Write, Write], Params;
    /// Bounds, variables, slopes, tags, keys, mask.
    pub KERNEL_MARK = "svm/working_set__mark", [Read, Read, Read, Read, Write, Write], MarkParams;
    /// Selected variables, the set, its rows, tags.
    pub KERNEL_PLACE = "svm/working_set__place", [Read, Write, Write, Write], PlaceParams;
    /// Sums, bounds, variables, slopes, the standing of each block.
    pub KERNEL_FOLLOW = "svm/working_set__follow", [Read, Read, Read, Write, Write], FollowParams;
}

params! {
    struct Params {
        square_first: u32, square_stride: u32, index_first: u32, bounds_first: u32, beta_first: u32, slope_first: u32,
        change_first: u32, change_stride: u32, group_first: u32, variables: u32, steps: u32, tol: f32,
    }

    struct MarkParams {
        variables: u32, first: u32, end: u32, falls: u32, kept: u32, middle: f32, bounds_first: u32, beta_first: u32,
        slope_first: u32, tags_first: u32, keys_first: u32, mask_first: u32,
    }

    struct PlaceParams {
        count: u32, selected_first: u32, place: u32, rows: u32, tag: u32, index_first: u32, rows_first: u32,
        tags_first: u32,
    }

    struct FollowParams {
        variables: u32, rows: u32, moved: u32, group_first: u32, offset_0: f32, offset_1: f32, sums_first: u32,
        sums_stride: u32, bounds_first: u32, beta_first: u32, slope_first: u32, out_first: u32,
    }
}

const OP: &str = "working_set";
/// Variables that are new in a set; the others were new in the last one.
const NEW: usize = SET / 2;

/// The variables of a machine on a device, min ½·βᵀKβ + ½·Σ ridge·β² + qᵀβ within bounds, and the sums over one or two groups
/// of β given; variable i belongs to row i mod `rows` of K.
///
/// A round is [`choose`](WorkingSets::choose), [`solve`](WorkingSets::solve) with the kernel matrix of the chosen rows, and
/// [`follow`](WorkingSets::follow) with K·change, which waits once for a few bytes.
#[derive(Debug)]
pub struct WorkingSets {
    rows: usize,
    group_first: usize,
    limits: DeviceMatrix,
    beta: DeviceVec<f32>,
    /// One for each variable, and the number of steps.
    slope: DeviceVec<f32>,
    tags: DeviceVec<u32>,
    keys: DeviceVec<f32>,
    mask: DeviceVec<u32>,
    index: DeviceVec<u32>,
    row_index: DeviceVec<u32>,
    round: u32,
}

/// How far a solution is; sums over all variables in f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The least slope of what may rise and the greatest of what may fall, for each group.
    pub extremes: [(f64, f64); 2],
    /// Sum and number of the slopes of what may do both.
    pub free: [(f64, f64); 2],
    /// ½·Σ β·(slope + linear).
    pub objective: f64,
    /// The duality gap at the given offsets, of variables that have bounds or a ridge.
    pub gap: f64,
    /// By how much the others fall short of their margin.
    pub shortfall: f64,
    /// Steps so far.
    pub steps: f64,
}

impl WorkingSets {
    /// Variables with their bounds and terms, on a device: those of the first group come first. Bounds beyond 3e38 are none.
    pub fn new(
        device: &Device,
        (rows, group_first): (usize, usize),
        limits: &[Limits],
        beta: &[f32],
    ) -> Result<WorkingSets> {
        let m = limits.len();
        if m == 0 || rows == 0 || !m.is_multiple_of(rows) || beta.len() != m || m >= NONE as usize {
            let expected = format!("a multiple of {rows} variables, at least one, with bounds each");
            return Err(Error::shape(OP, expected, format!("{m} bounds, {} variables", beta.len())));
        }
        let bounded: Vec<f32> = limits.iter().flatten().map(|value| value.clamp(-UNBOUNDED, UNBOUNDED)).collect();
        let mut slope: Vec<f32> = (0..m).map(|at| limits[at][3] + limits[at][2] * beta[at]).collect();
        slope.push(0.0);
        Ok(WorkingSets {
            rows,
            group_first,
            limits: Matrix::from_vec(m, 4, bounded)?.to(device)?,
            beta: DeviceVec::from_slice(beta, device)?,
            slope: DeviceVec::from_slice(&slope, device)?,
            // Of no round, so that every variable may join the first set.
            tags: DeviceVec::from_slice(&vec![NONE; m], device)?,
            keys: DeviceVec::from_slice(&vec![0.0; m], device)?,
            mask: DeviceVec::from_slice(&vec![0; m], device)?,
            index: DeviceVec::from_slice(&[NONE; SET], device)?,
            row_index: DeviceVec::from_slice(&[0; SET], device)?,
            round: 0,
        })
    }

    /// The variables as they are.
    pub fn beta(&self) -> &DeviceVec<f32> {
        &self.beta
    }

    /// Their slopes, and the number of steps behind them.
    pub fn slope(&self) -> &DeviceVec<f32> {
        &self.slope
    }

    fn count(&self) -> usize {
        self.beta.len()
    }

    /// Half a new set, the other half from the last one: of each group that has a middle, those with slopes furthest below it
    /// that may rise, and furthest above it that may fall. The rows of the set; nothing is read back.
    pub fn choose(&mut self, stream: &mut Stream, middles: [Option<f32>; 2]) -> Result<&DeviceVec<u32>> {
        self.beta.on(stream, OP)?;
        self.round += 1;
        let wanted = middles.iter().flatten().count().max(1);
        let share = NEW / (2 * wanted);
        let mut place = if self.round % 2 == 1 { 0 } else { NEW };
        for (number, middle) in middles.into_iter().enumerate() {
            let Some(middle) = middle else { continue };
            let bounds = [0, self.group_first.min(self.count()), self.count()];
            for falls in [false, true] {
                let group = bounds[number]..bounds[number + 1];
                self.mark(stream, &Candidates { group, falls, kept: self.round - 1, middle })?;
                let selected = select_smallest(stream, &self.keys, Some(&self.mask), share)?;
                self.place(stream, &selected, place)?;
                place += share;
            }
        }
        Ok(&self.row_index)
    }

    fn mark(&mut self, stream: &mut Stream, candidates: &Candidates) -> Result<()> {
        let m = self.count();
        let Some(recording) = stream.gpu() else {
            let state = (self.beta.values()?, self.slope.values()?);
            let (limits, _) = self.limits.values()?.as_chunks::<4>();
            let out = (self.keys.values_mut()?, self.mask.values_mut()?);
            twin::mark(limits, state, self.tags.values()?, candidates, out);
            return Ok(());
        };
        let limits = self.limits.store()?.view(recording, 0..m)?;
        let beta = self.beta.store()?.view(recording, 0..m)?;
        let slope = self.slope.store()?.view(recording, 0..m + 1)?;
        let tags = self.tags.store()?.view(recording, 0..m)?;
        let keys = self.keys.store()?.target(recording, 0..m, false)?;
        let mask = self.mask.store()?.target(recording, 0..m, false)?;
        let params = MarkParams {
            variables: m as u32,
            first: candidates.group.start as u32,
            end: candidates.group.end as u32,
            falls: u32::from(candidates.falls),
            kept: candidates.kept,
            middle: candidates.middle,
            bounds_first: limits.first_word() / 4,
            beta_first: beta.first_word(),
            slope_first: slope.first_word(),
            tags_first: tags.first_word(),
            keys_first: keys.view.first_word(),
            mask_first: mask.view.first_word(),
        };
        let work = Work { operations: 12 * m as u64, bytes: 36 * m as u64 };
        let buffers = [&limits, &beta, &slope, &tags, &keys.view, &mask.view].map(|view| view.buffer());
        recording.dispatch(&KERNEL_MARK, Dispatch::new(&params, &buffers, Grid::covering(m as u64, 256)?, work))?;
        self.keys.store()?.commit(recording, keys)?;
        self.mask.store()?.commit(recording, mask)
    }

    fn place(&mut self, stream: &mut Stream, selected: &DeviceVec<u32>, place: usize) -> Result<()> {
        let (m, tag) = (self.count(), self.round);
        let Some(recording) = stream.gpu() else {
            let set = (self.index.values_mut()?, self.row_index.values_mut()?);
            twin::place(selected.values()?, (place, self.rows, tag), set, self.tags.values_mut()?);
            return Ok(());
        };
        let from = selected.store()?.view(recording, 0..selected.len())?;
        let index = self.index.store()?.target(recording, 0..SET, true)?;
        let rows = self.row_index.store()?.target(recording, 0..SET, true)?;
        let tags = self.tags.store()?.target(recording, 0..m, true)?;
        let params = PlaceParams {
            count: selected.len() as u32,
            selected_first: from.first_word(),
            place: place as u32,
            rows: self.rows as u32,
            tag,
            index_first: index.view.first_word(),
            rows_first: rows.view.first_word(),
            tags_first: tags.view.first_word(),
        };
        let work = Work { operations: 8 * selected.len() as u64, bytes: 16 * selected.len() as u64 };
        let buffers = [&from, &index.view, &rows.view, &tags.view].map(|view| view.buffer());
        recording.dispatch(&KERNEL_PLACE, Dispatch::new(&params, &buffers, Grid::linear(1)?, work))?;
        self.index.store()?.commit(recording, index)?;
        self.row_index.store()?.commit(recording, rows)?;
        self.tags.store()?.commit(recording, tags)
    }

    /// Steps on pairs of the set, whose rows have this kernel matrix (256×256), until none violates its conditions by more
    /// than `tol`, or so many were made. What changed, 256×1, in the order of the set; nothing is read back.
    pub fn solve(
        &mut self,
        stream: &mut Stream,
        square: &DeviceMatrix,
        tol: f32,
        steps: usize,
    ) -> Result<DeviceMatrix> {
        square.on(stream, OP)?;
        if [square.rows(), square.columns()] != [SET; 2] {
            let got = format!("{}×{}", square.rows(), square.columns());
            return Err(Error::shape(OP, format!("the {SET}×{SET} kernel values of a set"), got));
        }
        let m = self.count();
        let mut change = DeviceMatrix::output(stream.device(), SET, 1)?;
        let Some(recording) = stream.gpu() else {
            let (limits, _) = self.limits.values()?.as_chunks::<4>();
            let state = (self.beta.values_mut()?, self.slope.values_mut()?);
            let (index, change_values) = (self.index.values()?, change.values_mut()?);
            twin::solve(square.values()?, index, (limits, self.group_first), (tol, steps), state, change_values);
            return Ok(change);
        };
        let square_view = square.store()?.view(recording, 0..SET)?;
        let index = self.index.store()?.view(recording, 0..SET)?;
        let limits = self.limits.store()?.view(recording, 0..m)?;
        let beta = self.beta.store()?.target(recording, 0..m, true)?;
        let slope = self.slope.store()?.target(recording, 0..m + 1, true)?;
        let to = change.store()?.target(recording, 0..SET, false)?;
        let params = Params {
            square_first: square_view.first_word(),
            square_stride: square.store()?.stride() as u32,
            index_first: index.first_word(),
            bounds_first: limits.first_word() / 4,
            beta_first: beta.view.first_word(),
            slope_first: slope.view.first_word(),
            change_first: to.view.first_word(),
            change_stride: change.store()?.stride() as u32,
            group_first: self.group_first as u32,
            variables: m as u32,
            steps: steps as u32,
            tol,
        };
        let work = Work { operations: (steps * SET * 60) as u64, bytes: (4 * SET * SET) as u64 };
        let buffers = [&square_view, &index, &limits, &beta.view, &slope.view, &to.view].map(|view| view.buffer());
        recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, Grid::linear(1)?, work))?;
        self.beta.store()?.commit(recording, beta)?;
        self.slope.store()?.commit(recording, slope)?;
        change.store()?.commit(recording, to)?;
        Ok(change)
    }

    /// Adds K·change (rows×1), if there is any, to the slopes, and waits for how far the solution is.
    pub fn follow(&mut self, stream: &mut Stream, sums: Option<&DeviceMatrix>, offsets: [f64; 2]) -> Result<Standing> {
        if let Some(sums) = sums.filter(|sums| [sums.rows(), sums.columns()] != [self.rows, 1]) {
            let got = format!("{}×{}", sums.rows(), sums.columns());
            return Err(Error::shape(OP, format!("{}×1 sums", self.rows), got));
        }
        let offsets = offsets.map(|offset| offset as f32);
        let blocks = match stream.device() {
            Device::Gpu(_) => self.follow_on_gpu(stream, sums, offsets)?.to_vec(stream)?,
            Device::Cpu => {
                let (limits, _) = self.limits.values()?.as_chunks::<4>();
                let sums = sums.map(DeviceMatrix::values).transpose()?;
                let place = (self.rows, self.group_first, offsets);
                let state = (limits, self.beta.values()?);
                twin::follow(sums, place, state, self.slope.values_mut()?).concat()
            }
        };
        Ok(Standing::of_blocks(&blocks))
    }

    fn follow_on_gpu(
        &mut self,
        stream: &mut Stream,
        sums: Option<&DeviceMatrix>,
        offsets: [f32; 2],
    ) -> Result<DeviceVec<f32>> {
        let m = self.count();
        let groups = m.div_ceil(BLOCK);
        let out = DeviceVec::<f32>::output(stream, groups * STANDING)?;
        let Some(recording) = stream.gpu() else { return Ok(out) };
        let limits = self.limits.store()?.view(recording, 0..m)?;
        let beta = self.beta.store()?.view(recording, 0..m)?;
        // Something has to be bound.
        let from = match sums {
            Some(sums) => sums.store()?.view(recording, 0..self.rows)?,
            None => limits.skip(0),
        };
        let slope = self.slope.store()?.target(recording, 0..m + 1, true)?;
        let to = out.store()?.target(recording, 0..groups * STANDING, false)?;
        let params = FollowParams {
            variables: m as u32,
            rows: self.rows as u32,
            moved: u32::from(sums.is_some()),
            group_first: self.group_first as u32,
            offset_0: offsets[0],
            offset_1: offsets[1],
            sums_first: from.first_word(),
            sums_stride: sums.map_or(Ok(1), |sums| sums.store().map(|store| store.stride() as u32))?,
            bounds_first: limits.first_word() / 4,
            beta_first: beta.first_word(),
            slope_first: slope.view.first_word(),
            out_first: to.view.first_word() / 4,
        };
        let work = Work { operations: 40 * m as u64, bytes: 44 * m as u64 };
        let buffers = [&from, &limits, &beta, &slope.view, &to.view].map(|view| view.buffer());
        let grid = Grid::linear(groups as u64)?;
        recording.dispatch(&KERNEL_FOLLOW, Dispatch::new(&params, &buffers, grid, work))?;
        self.slope.store()?.commit(recording, slope)?;
        out.store()?.commit(recording, to)?;
        Ok(out)
    }
}

impl Standing {
    /// What the blocks say together, added in their order.
    fn of_blocks(blocks: &[f32]) -> Standing {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let mut all = Standing {
            extremes: [none; 2],
            free: [(0.0, 0.0); 2],
            objective: 0.0,
            gap: 0.0,
            shortfall: 0.0,
            steps: 0.0,
        };
        for block in blocks.chunks_exact(STANDING) {
            let number = |at: usize| f64::from(block[at]);
            for group in 0..2 {
                let (least, most) = &mut all.extremes[group];
                // What is as far as can be is not there.
                *least = if block[2 * group] < FAR { least.min(number(2 * group)) } else { *least };
                *most = if block[2 * group + 1] > -FAR { most.max(number(2 * group + 1)) } else { *most };
                all.free[group].0 += number(4 + 2 * group);
                all.free[group].1 += number(5 + 2 * group);
            }
            all.objective += number(8);
            all.gap += number(9);
            all.shortfall = all.shortfall.max(number(10));
            all.steps += number(11);
        }
        all
    }
}
