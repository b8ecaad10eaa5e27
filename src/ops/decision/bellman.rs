//! One sweep of value iteration.

use crate::array::{DeviceVec, blocks};
use crate::cpu::decision::bellman::{GROUP, Sweep};
use crate::device::{Device, Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Offsets, outcomes, rewards, values, the new values, the changes.
    pub KERNEL = "decision/bellman", [Read, Read, Read, Read, Write, Write], Params;
}

params! {
    struct Params {
        states: u32, first: u32, actions: u32, groups: u32, discount: f32, offsets_first: u32, outcomes_first: u32,
        rewards_first: u32, values_first: u32, out_first: u32, changes_first: u32,
    }
}

/// Outcomes that a dispatch walks at most.
const OUTCOMES: u64 = 1 << 24;

/// What the actions of S states lead to, on a device: outcomes of row `state·actions + action` one after the other, each a
/// state and its probability, and the expected reward of each row. On a GPU each of them lies in one buffer: more is
/// [`Error::Limit`].
#[derive(Debug)]
pub struct BellmanTable {
    states: usize,
    actions: usize,
    outcomes_count: usize,
    offsets: DeviceVec<u32>,
    outcomes: DeviceVec<u32>,
    rewards: DeviceVec<f32>,
}

impl BellmanTable {
    /// Copies a table to a device: S·A + 1 `offsets`, `outcomes` of a state and a probability, and S·A `rewards`.
    pub fn new(
        device: &Device,
        actions: usize,
        offsets: &[u32],
        outcomes: impl Iterator<Item = (u32, f32)>,
        rewards: &[f32],
    ) -> Result<BellmanTable> {
        let rows = offsets.len().saturating_sub(1);
        let words: Vec<u32> = outcomes.flat_map(|(state, probability)| [state, probability.to_bits()]).collect();
        let states = rows.checked_div(actions).unwrap_or(0);
        let ordered = offsets.is_sorted() && offsets.last().is_some_and(|last| 2 * *last as usize == words.len());
        let known = words.iter().step_by(2).all(|state| (*state as usize) < states);
        if rows == 0 || !rows.is_multiple_of(actions) || rewards.len() != rows || !ordered || !known {
            let expected = format!("offsets of {} rows in order, outcomes below {states}", rewards.len());
            return Err(Error::shape("BellmanTable", expected, format!("{rows} rows, {} words", words.len())));
        }
        Ok(BellmanTable {
            states,
            actions,
            outcomes_count: words.len() / 2,
            offsets: DeviceVec::from_slice(offsets, device)?,
            // An action without outcomes is allowed, a binding without words is not.
            outcomes: DeviceVec::from_slice(if words.is_empty() { &[0, 0] } else { &words }, device)?,
            rewards: DeviceVec::from_slice(rewards, device)?,
        })
    }

    /// Number of states, S.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Length of the changes of a sweep: two for each 256 states.
    pub fn changes_len(&self) -> usize {
        2 * self.states.div_ceil(GROUP)
    }
}

/// One sweep of value iteration: `out[s] = max_a r(s, a) + γ·Σ p·values[s']`, 0 where no action can be taken; and in
/// `changes` the least and the greatest change of each 256 states. The error of a value is at most (outcomes + 2)·ε·Σ|terms|
/// on a GPU, ε = 2⁻²⁴; the CPU rounds once.
///
/// ```
/// use gristmill::ops::decision::bellman::{BellmanTable, bellman};
/// use gristmill::{Device, DeviceVec};
/// // One state with two actions: stay for 1, or go to a state that is never left.
/// let table = BellmanTable::new(&Device::Cpu, 2, &[0, 1, 2, 2, 2], [(0, 1.0), (1, 1.0)].into_iter(), &[1.0, 3.0, 0.0, 0.0])?;
/// let mut stream = Device::Cpu.stream();
/// let values = DeviceVec::from_slice(&[10.0_f32, 0.0], &Device::Cpu)?;
/// let mut out = DeviceVec::from_slice(&[0.0_f32; 2], &Device::Cpu)?;
/// let mut changes = DeviceVec::from_slice(&[0.0_f32; 2], &Device::Cpu)?;
/// bellman(&mut stream, &table, 0.5, &values, &mut out, &mut changes)?;
/// assert_eq!(out.to_vec(&mut stream)?, [6.0, 0.0]);
/// assert_eq!(changes.to_vec(&mut stream)?, [-4.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn bellman(
    stream: &mut Stream,
    table: &BellmanTable,
    discount: f32,
    values: &DeviceVec<f32>,
    out: &mut DeviceVec<f32>,
    changes: &mut DeviceVec<f32>,
) -> Result<()> {
    table.offsets.on(stream, "bellman")?;
    values.complete_on(stream, "bellman")?;
    out.on(stream, "bellman")?;
    changes.on(stream, "bellman")?;
    let lengths = (values.len(), out.len(), changes.len());
    if lengths != (table.states, table.states, table.changes_len()) {
        let expected = format!("{} values twice and {} changes", table.states, table.changes_len());
        return Err(Error::shape("bellman", expected, format!("{lengths:?}")));
    }
    if stream.gpu().is_none() {
        let pairs: &[[u32; 2]] = bytemuck::cast_slice(table.outcomes.values()?);
        let sweep = Sweep {
            actions: table.actions,
            offsets: table.offsets.values()?,
            outcomes: pairs,
            rewards: table.rewards.values()?,
            discount: f64::from(discount),
        };
        let changes: &mut [[f32; 2]] = bytemuck::cast_slice_mut(changes.values_mut()?);
        sweep.bellman(values.values()?, out.values_mut()?, changes);
        return Ok(());
    }
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let offsets = table.offsets.store()?.view(recording, 0..table.offsets.len())?;
    let outcomes = table.outcomes.store()?.view(recording, 0..table.outcomes.len())?;
    let rewards = table.rewards.store()?.view(recording, 0..table.rewards.len())?;
    let from = values.store()?.view(recording, 0..table.states)?;
    let target = out.store()?.target(recording, 0..table.states, false)?;
    let changed = changes.store()?.target(recording, 0..changes.len(), false)?;
    let buffers = &[
        offsets.buffer(),
        outcomes.buffer(),
        rewards.buffer(),
        from.buffer(),
        target.view.buffer(),
        changed.view.buffer(),
    ];
    let each = (table.outcomes_count as u64 / table.states as u64).max(1);
    let per_block = (OUTCOMES / each).clamp(1, u64::from(u32::MAX)) as usize / GROUP * GROUP;
    for states in blocks(table.states, per_block.max(GROUP)) {
        let groups = states.len().div_ceil(GROUP) as u32;
        let params = Params {
            // The table's size, so that lanes behind the block repeat a state of it at worst.
            states: states.end as u32,
            first: states.start as u32,
            actions: table.actions as u32,
            groups,
            discount,
            offsets_first: offsets.first_word(),
            outcomes_first: outcomes.first_word(),
            rewards_first: rewards.first_word(),
            values_first: from.first_word(),
            out_first: target.view.first_word(),
            changes_first: changed.view.first_word(),
        };
        let walked = states.len() as u64 * each;
        let work = Work { operations: 2 * walked, bytes: 12 * walked + 8 * states.len() as u64 };
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::linear(u64::from(groups))?, work))?;
    }
    out.store()?.commit(recording, target)?;
    changes.store()?.commit(recording, changed)
}
