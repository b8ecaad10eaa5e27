//! Nodes of two classes whose best split is searched among five of 28 features of 256 bins, from histograms; on a GPU also from
//! the rows of small nodes.

use gristmill::cpu::tree::splitters::TargetNode;
use gristmill::cpu::tree::target::{ClassTarget, Criterion, FixedWeights, SplitBounds, TargetTotals, TreeTarget};
use gristmill::ops::tree::target_histogram::target_histogram;
use gristmill::ops::tree::target_split::{NodeCells, TargetSearch, takes_rows, target_split};
use gristmill::ops::tree::{GrowState, HistogramFill};

use super::super::super::case::{Case, Job, Work};
use super::binned;

pub fn cases() -> Vec<Case> {
    [case(4, false), case(256, false), case(256, true)].to_vec()
}

/// Of `small` nodes a GPU counts 512 rows each; the CPU has histograms in any case.
fn case(nodes: usize, small: bool) -> Case {
    let (rows, columns) = (20_000, 28);
    let work = Work::Operations((nodes * 5 * 256) as u64);
    let what = if small { "small nodes" } else { "nodes" };
    Case::new("tree/forest/target_split", format!("{nodes} {what}, 5 features"), work, move |device| {
        let mut stream = device.stream();
        let binned = binned(&mut stream, rows, columns)?;
        let codes: &'static [u32] = Vec::leak((0..rows as u32).map(|row| row % 7 % 2).collect());
        let weights = FixedWeights::for_classes("bench", rows, None)?;
        let target: &'static ClassTarget<'static> =
            Box::leak(Box::new(ClassTarget::new(codes, 2, weights, Criterion::Gini)));
        let mut state = GrowState::new(&stream);
        state.begin_targets(&mut stream, &mut (0..rows as u32).collect(), &[target.rows()])?;
        let fill = |slot: usize| HistogramFill { tree: 0, rows: 0..rows, slot, parent: None };
        let fills: Vec<HistogramFill> = (0..nodes).map(fill).collect();
        target_histogram(&mut stream, &binned, &mut state, &[target.rows()], &fills)?;
        let mut cell = vec![0; 2];
        (0..rows).for_each(|row| target.add(row, &mut cell));
        let mut totals = TargetTotals::default();
        target.totals(&cell, &mut totals);
        let thresholds: Vec<Vec<f32>> = vec![(1..256).map(|bin| bin as f32).collect(); columns];
        let job: Job = Box::new(move || {
            let by_rows = small && takes_rows(&stream, &binned, 2);
            let search = |slot: usize| {
                let count = if by_rows { 512 } else { rows };
                let bounds = SplitBounds { totals: &totals, count: count as u64, min_samples_leaf: 1 };
                let cells = if by_rows { NodeCells::Rows(0, slot..slot + count) } else { NodeCells::Slot(slot) };
                let node = TargetNode { target, cell: &cell, bounds };
                TargetSearch { cells, node, features: &[0, 5, 11, 17, 23], at_random: None }
            };
            let searches: Vec<TargetSearch<'_, ClassTarget<'_>>> = (0..nodes).map(search).collect();
            target_split(&mut stream, &binned, &mut state, &thresholds, &searches)?;
            Ok(())
        });
        Ok(job)
    })
}
