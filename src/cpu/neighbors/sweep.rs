//! All queries against all rows, block by block: the values go to a buffer that stays in the cache, never to a matrix.

use rayon::prelude::*;

use super::measure::Measure;
use crate::cpu::tile::with_buffer;

/// Queries in a block, and rows in a unit: 48·512 values are 96 KiB, a fifth of a second cache.
const QUERIES: usize = 48;
const ROWS: usize = 512;
/// Numbers packed at a time, 8 MiB; they are read once per block of queries.
const PACKED: usize = 1 << 21;

/// How the pairs are shared out: blocks of queries, and for few of them parts of the rows.
pub(super) struct Plan {
    n: usize,
    block: usize,
    parts: usize,
}

impl Plan {
    /// A plan for `n` queries and this thread pool.
    pub(super) fn new(n: usize) -> Self {
        let threads = rayon::current_num_threads();
        let block = n.div_ceil(threads).clamp(1, QUERIES);
        let blocks = n.div_ceil(block);
        Self { n, block, parts: if blocks < threads { threads.div_ceil(blocks.max(1)) } else { 1 } }
    }

    /// Parts of the rows: every one sees its rows in the order of their indices.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }

    /// The first query of a state.
    pub(super) fn first_query(&self, state: usize) -> usize {
        state / self.parts * self.block
    }

    /// One state for every block of queries and part of the rows, parts side by side.
    ///
    /// `make` gets the first query and how many there are.
    pub(super) fn states<State>(&self, make: impl Fn(usize, usize) -> State) -> Vec<State> {
        let firsts = (0..self.n).step_by(self.block).flat_map(|first| (0..self.parts).map(move |_| first));
        firsts.map(|first| make(first, self.block.min(self.n - first))).collect()
    }
}

/// What the states know of each query, that of the parts of the rows put together by `join`.
pub(super) fn joined<List>(states: Vec<Vec<List>>, parts: usize, join: impl Fn(&mut List, List)) -> Vec<List> {
    let mut lists: Vec<List> = Vec::new();
    for (index, state) in states.into_iter().enumerate() {
        if index % parts == 0 {
            lists.extend(state);
        } else {
            let start = lists.len() - state.len();
            lists[start..].iter_mut().zip(state).for_each(|(list, other)| join(list, other));
        }
    }
    lists
}

/// Values of some queries, a row each, with the `columns` rows from `first_row` on.
pub(super) struct Values<'a> {
    pub(super) first_row: usize,
    pub(super) columns: usize,
    pub(super) values: &'a [f32],
}

/// Shows every state of the plan the values of its queries and rows; `d ≥ 1`.
pub(super) fn sweep<State: Send>(
    plan: &Plan,
    measure: &dyn Measure,
    queries: &[f32],
    rows: &[f32],
    d: usize,
    states: &mut [State],
    visit: impl Fn(&mut State, Values<'_>) + Sync,
) {
    let m = rows.len() / d;
    // Few queries need small units, or the threads would have nothing to share.
    let unit = m.div_ceil(4 * plan.parts).next_multiple_of(64).min(ROWS).min((PACKED / d).next_multiple_of(64));
    let at_once = (PACKED / (unit * d)).clamp(2 * plan.parts, 64 * plan.parts);
    let size = measure.packed(unit, d);
    with_buffer(at_once.min(m.div_ceil(unit)) * size, |packed| {
        for first in (0..m).step_by(at_once * unit) {
            let group = &rows[first * d..m.min(first + at_once * unit) * d];
            packed.par_chunks_mut(size).zip(group.par_chunks(unit * d)).for_each(|(panels, rows)| {
                measure.pack(rows, d, &mut panels[..measure.packed(rows.len() / d, d)]);
            });
            let units = group.len().div_ceil(unit * d);
            let packed = &*packed;
            states.par_iter_mut().enumerate().for_each(|(task, state)| {
                let (block, part) = (task / plan.parts, task % plan.parts);
                let start = block * plan.block;
                let queries = &queries[start * d..plan.n.min(start + plan.block) * d];
                for unit_index in part * units / plan.parts..(part + 1) * units / plan.parts {
                    let offset = unit_index * unit;
                    let columns = unit.min(group.len() / d - offset);
                    let panels = &packed[unit_index * size..][..measure.packed(columns, d)];
                    with_buffer(queries.len() / d * columns, |values| {
                        measure.values(queries, d, panels, columns, values);
                        visit(state, Values { first_row: first + offset, columns, values });
                    });
                }
            });
        }
    });
}
