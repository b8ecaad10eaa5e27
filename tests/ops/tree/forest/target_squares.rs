use gristmill::cpu::tree::NodeSquares;
use gristmill::cpu::tree::bootstrap::RowDraws;
use gristmill::cpu::tree::target::{ClassTarget, Criterion, FixedValues, FixedWeights, TreeTarget};
use gristmill::cpu::tree::{TargetRows, ValueRows};
use gristmill::ops::tree::GrowState;
use gristmill::ops::tree::bootstrap::{TreeDraws, TreeRows};
use gristmill::ops::tree::target_squares::target_squares;
use gristmill::prelude::*;

use super::Numbers;
use crate::support::{baseline, devices, gpu, gpu_with};

/// The squares of rows one by one, in signed integers.
fn oracle(target: ValueRows<'_>, rows: &[u32]) -> NodeSquares {
    let mut sums = NodeSquares::none(target.outputs);
    for row in rows {
        let own = *row as usize;
        sums.first = sums.first.min(*row);
        for (output, sum) in sums.squares.iter_mut().enumerate() {
            let value = i128::from(target.values[own * target.outputs + output]);
            *sum += (i128::from(target.words[own] >> target.count_bits) * value * value) as u128;
        }
    }
    sums
}

fn values_of<'a>(target: &'a impl TreeTarget) -> ValueRows<'a> {
    match target.rows() {
        TargetRows::Values(rows) => rows,
        TargetRows::Classes(_) => panic!("numbers"),
    }
}

#[test]
fn squares_are_those_of_the_rows_one_by_one_on_every_device() {
    for rows in [1, 2, 63, 64, 65, 255, 256, 257, 1000, 4097, 20_000] {
        let mut numbers = Numbers::new(rows as u64);
        // Among them the largest there can be, so that a word that overflowed would show.
        let values: Vec<f32> =
            (0..2 * rows).map(|at| if at % 5 == 0 { -1e6 } else { numbers.below(1000) as f32 / 7.0 }).collect();
        let heavy: Vec<f32> = (0..rows).map(|row| [1.0, 0.0, 65_536.0, 3.0, 0.3][row % 5]).collect();
        for (outputs, weights) in [(1, None), (2, None), (1, Some(&heavy[..])), (2, Some(&heavy))] {
            let fixed = FixedValues::new("test", &values[..outputs * rows], outputs, weights).unwrap();
            let counting: Vec<u32> = (0..rows as u32).filter(|row| fixed.target(None).counts(*row as usize)).collect();
            let draws = RowDraws { seed: 5, stream: 2, draws: rows };
            let times: Vec<Vec<u32>> = (0..2).map(|tree| draws.times(tree, &counting, rows)).collect();
            let targets: Vec<_> = times.iter().map(|times| fixed.target(Some(times))).collect();
            let of_tree: Vec<Vec<u32>> = targets
                .iter()
                .map(|target| (0..rows as u32).filter(|row| target.counts(*row as usize)).collect())
                .collect();
            let (counts, order) = (of_tree.iter().map(Vec::len).collect::<Vec<_>>(), of_tree.concat());
            let middle = counts[0];
            let nodes =
                [(0, 0..middle), (0, middle / 3..middle / 2), (1, middle..order.len()), (1, order.len()..order.len())];
            let target_rows: Vec<TargetRows<'_>> = targets.iter().map(TreeTarget::rows).collect();
            let wanted: Vec<NodeSquares> =
                nodes.iter().map(|(tree, range)| oracle(values_of(&targets[*tree]), &order[range.clone()])).collect();
            let what = format!("{rows} rows, {outputs} outputs, weights {}", weights.is_some());
            let mut stream = Device::Cpu.stream();
            let mut state = GrowState::new(&stream);
            state.begin_targets(&mut stream, &mut order.clone(), &target_rows).unwrap();
            assert_eq!(target_squares(&mut stream, &mut state, &target_rows, &nodes).unwrap(), wanted, "cpu: {what}");
            let split = gpu_with(DeviceOptions::default().chunk_rows(64).mark_outputs(true));
            for device in [gpu(), baseline(), &split] {
                let mut stream = device.stream();
                let mut state = GrowState::new(&stream);
                let whole = fixed.target(None);
                let draws = Some(TreeDraws::Sampled(draws, 0..2));
                let begun = TreeRows { whole: whole.rows(), known: false, draws, counts: &counts };
                state.begin_trees(&mut stream, &begun).unwrap();
                let found = target_squares(&mut stream, &mut state, &target_rows, &nodes).unwrap();
                assert_eq!(found, wanted, "gpu: {what}");
            }
        }
    }
}

#[test]
fn what_has_no_squares_is_refused() {
    let labels = [0, 1, 0, 1];
    let classes = ClassTarget::new(&labels, 2, FixedWeights::for_classes("test", 4, None).unwrap(), Criterion::Gini);
    let fixed = FixedValues::new("test", &[1.0, 2.0, 3.0, 4.0], 1, None).unwrap();
    let numbers = fixed.target(None);
    for (name, device) in devices() {
        let mut stream = device.stream();
        let mut state = GrowState::new(&stream);
        state.begin_targets(&mut stream, &mut (0..4).collect(), &[classes.rows()]).unwrap();
        assert!(target_squares(&mut stream, &mut state, &[classes.rows()], &[(0, 0..4)]).is_err(), "{name}: classes");
        state.begin_targets(&mut stream, &mut (0..4).collect(), &[numbers.rows()]).unwrap();
        for (tree, rows) in [(0, 0..5), (1, 0..4)] {
            let refused = target_squares(&mut stream, &mut state, &[numbers.rows()], &[(tree, rows.clone())]);
            assert!(refused.is_err(), "{name}: {rows:?} of tree {tree}");
        }
        assert_eq!(target_squares(&mut stream, &mut state, &[numbers.rows()], &[]).unwrap(), [], "{name}");
    }
}
