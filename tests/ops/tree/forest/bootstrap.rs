use gristmill::cpu::tree::bootstrap::RowDraws;
use gristmill::cpu::tree::target::{ClassTarget, Criterion, FixedValues, FixedWeights, TreeTarget};
use gristmill::ops::tree::bootstrap::{TreeDraws, TreeRows};
use gristmill::ops::tree::target_histogram::{read, target_histogram};
use gristmill::ops::tree::{Binned, GrowState, HistogramFill};
use gristmill::prelude::*;

use super::{Codes, Numbers};
use crate::support::{baseline, devices, gpu, gpu_with};

/// The rows of each tree in order, and the histogram of each, of what the host drew.
fn on_host<T: TreeTarget>(codes: &Codes, targets: &[T]) -> (Vec<u32>, Vec<Vec<u64>>) {
    let rows_of =
        |target: &T| -> Vec<u32> { (0..codes.rows as u32).filter(|row| target.counts(*row as usize)).collect() };
    let cells = codes.starts.last().copied().unwrap_or(0) as usize;
    let histogram = |target: &T| {
        let mut sums = vec![0; cells * target.words()];
        for row in rows_of(target) {
            for column in 0..codes.starts.len() - 1 {
                let cell = (codes.starts[column] as usize + codes.code(row, column) as usize) * target.words();
                target.add(row as usize, &mut sums[cell..cell + target.words()]);
            }
        }
        sums
    };
    (targets.iter().flat_map(rows_of).collect(), targets.iter().map(histogram).collect())
}

/// The same of trees that a GPU begins.
fn on_gpu<T: TreeTarget>(
    device: &Device,
    codes: &Codes,
    (whole, targets): (&T, &[T]),
    draws: Option<TreeDraws<'_>>,
) -> (Vec<u32>, Vec<Vec<u64>>) {
    let mut stream = device.stream();
    let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
    let mut state = GrowState::new(&stream);
    let counts: Vec<usize> =
        targets.iter().map(|target| (0..codes.rows).filter(|row| target.counts(*row)).count()).collect();
    // Twice: the second time the targets are there.
    for known in [false, true] {
        let rows = TreeRows { whole: whole.rows(), known, draws: draws.clone(), counts: &counts };
        state.begin_trees(&mut stream, &rows).unwrap();
    }
    let order = state.order(&mut stream).unwrap().to_vec();
    let (mut first, mut fills) = (0, vec![]);
    for (tree, count) in counts.iter().enumerate() {
        fills.push(HistogramFill { tree, rows: first..first + count, slot: tree, parent: None });
        first += count;
    }
    let rows: Vec<_> = targets.iter().map(T::rows).collect();
    target_histogram(&mut stream, &binned, &mut state, &rows, &fills).unwrap();
    let slots: Vec<usize> = (0..targets.len()).collect();
    let cells = read(&mut stream, &binned, &state, &slots).unwrap();
    (order, cells.into_iter().map(|cells| cells.into_owned()).collect())
}

fn check<'a, T: TreeTarget>(codes: &Codes, whole: &T, target_of: impl Fn(Option<&[u32]>) -> T + 'a, what: &str) {
    let counting: Vec<u32> = (0..codes.rows as u32).filter(|row| whole.counts(*row as usize)).collect();
    let split = gpu_with(DeviceOptions::default().chunk_rows(64).mark_outputs(true));
    for (draws, trees) in [(codes.rows, 0..3), (codes.rows / 2 + 1, 5..6), (3 * codes.rows, 1023..1027)] {
        let own = RowDraws { seed: 0x1234_5678_9abc, stream: 7, draws };
        let times: Vec<Vec<u32>> = trees.clone().map(|tree| own.times(tree, &counting, codes.rows)).collect();
        let drawn: Vec<T> = times.iter().map(|times| target_of(Some(times))).collect();
        let wanted = on_host(codes, &drawn);
        let given = times.concat();
        for device in [gpu(), baseline(), &split] {
            for draws in [TreeDraws::Sampled(own, trees.clone()), TreeDraws::Given(&given)] {
                let how = format!("{what}, {} rows, {draws:?}", codes.rows);
                assert!(on_gpu(device, codes, (whole, &drawn), Some(draws)) == wanted, "{how}");
            }
        }
    }
    let all = [target_of(None), target_of(None)];
    let wanted = on_host(codes, &all);
    for device in [gpu(), baseline(), &split] {
        assert!(on_gpu(device, codes, (whole, &all), None) == wanted, "{what}, {} rows, all", codes.rows);
    }
}

#[test]
fn trees_begin_on_a_gpu_with_the_rows_that_the_host_draws() {
    for rows in [1, 2, 63, 64, 65, 255, 256, 257, 1000, 20_000] {
        let codes = Codes::new(rows, &[5, 256, 17], rows as u64);
        let mut numbers = Numbers::new(9);
        let labels: Vec<u32> = (0..rows).map(|_| numbers.below(3) as u32).collect();
        let values: Vec<f32> = (0..2 * rows).map(|_| numbers.below(1000) as f32 / 7.0).collect();
        let some: Vec<f64> = (0..rows).map(|row| if row % 3 == 1 { 0.0 } else { 0.5 + (row % 5) as f64 }).collect();
        for weights in [None, Some(&some)] {
            let fixed = FixedWeights::for_classes("test", rows, weights.map(Vec::as_slice)).unwrap();
            let target_of = |times: Option<&[u32]>| {
                let weights = times.map_or_else(|| fixed.clone(), |times| fixed.repeated(times));
                ClassTarget::new(&labels, 3, weights, Criterion::Gini)
            };
            check(&codes, &target_of(None), target_of, "classes");
            let weights: Option<Vec<f32>> = weights.map(|all| all.iter().map(|weight| *weight as f32).collect());
            let numbers = FixedValues::new("test", &values, 2, weights.as_deref()).unwrap();
            check(&codes, &numbers.target(None), |times| numbers.target(times), "numbers");
        }
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let labels = [0, 1, 0, 1];
    let fixed = FixedWeights::for_classes("test", 4, None).unwrap();
    let whole = ClassTarget::new(&labels, 2, fixed, Criterion::Gini);
    let draws = RowDraws { seed: 1, stream: 0, draws: 4 };
    for (name, device) in devices() {
        let mut stream = device.stream();
        let mut state = GrowState::new(&stream);
        for (draws, counts) in [
            (None, &[5_usize][..]),
            (Some(TreeDraws::Sampled(draws, 0..2)), &[3]),
            (Some(TreeDraws::Given(&[1, 1, 1])), &[3]),
        ] {
            let rows = TreeRows { whole: whole.rows(), known: false, draws, counts };
            assert!(state.begin_trees(&mut stream, &rows).is_err(), "{name}: {rows:?}");
        }
    }
}
