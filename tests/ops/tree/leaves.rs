use gristmill::cpu::tree::fixed_point::{FixedPoint, totals};
use gristmill::cpu::tree::gradients::{Derivatives, Gradients, LossRows, RowLoss, gradients};
use gristmill::cpu::tree::leaves::{add_to_scores as on_cpu, leaf_sums as sums_on_cpu};
use gristmill::cpu::tree::monotone::UNBOUNDED;
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::leaves::{LeafRows, add_to_scores, leaf_sums};
use gristmill::ops::tree::{BoostingRows, GrowState};

use crate::support::{baseline, bits, gpu, numbers};

/// Two outputs; every seventh row has no part in the trees.
#[test]
fn sums_and_scores_are_those_of_the_cpu_to_the_bit() {
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        for rows in [2, 63, 65, 257, 5000, 70_000] {
            let losses = [RowLoss::Squared, RowLoss::Poisson];
            let targets: Vec<Vec<f32>> = (0..2).map(|seed| numbers(rows, seed)).collect();
            let mut scores: Vec<Vec<f32>> =
                (2..4).map(|seed| numbers(rows, seed).iter().map(|number| 5.0 * number).collect()).collect();
            let order: Vec<u32> = (0..rows as u32).filter(|row| row % 7 != 3).collect();
            let mut stream = device.stream();
            let columns = TargetColumns::Numbers(&targets);
            let mut on = BoostingRows::new(&mut stream, columns, None, &scores, &order).unwrap().unwrap();
            let mut state = GrowState::new(&stream);
            on.gradients(&mut stream, &losses).unwrap();
            let begun = state.begin_boosting(&mut stream, &mut on, None).unwrap();
            let (mut leaves, mut wanted, mut values) = (vec![], vec![], vec![]);
            for output in 0..2 {
                let mut own = Gradients { gradients: vec![0.0; rows], hessians: vec![0.0; rows], largest: [0.0; 2] };
                let input = LossRows { scores: &scores[output], targets: &targets[output], weights: None };
                let places = Derivatives { gradients: &mut own.gradients, hessians: &mut own.hessians };
                own.largest = gradients(losses[output], input, places);
                assert_eq!(begun.largest[output], own.largest, "{name}: {rows}");
                let fixed = FixedPoint::new(own.largest[0], own.largest[1], order.len());
                let mut packed = vec![0; rows];
                fixed.pack(&own.gradients, &own.hessians, &mut packed);
                assert_eq!(begun.totals[output], totals(&packed, &order), "{name}: {rows}");
                let middle = order.len() / 3;
                let parts = [&order[..middle], &order[middle..]];
                wanted.extend(sums_on_cpu(&parts, &own, &fixed));
                let first = output * order.len();
                let value = |at: usize| [0.25, -1.5e-3, 7.0, -2.0][2 * output + at];
                leaves.push(LeafRows { tree: output, rows: first..first + middle, bounds: UNBOUNDED });
                leaves.push(LeafRows { tree: output, rows: first + middle..first + order.len(), bounds: UNBOUNDED });
                values.extend([value(0), value(1)]);
                on_cpu(&[(value(0), parts[0]), (value(1), parts[1])], &mut scores[output]);
            }
            assert_eq!(leaf_sums(&mut stream, &mut state, &mut on, &leaves).unwrap(), wanted, "{name}: {rows}");
            add_to_scores(&mut stream, &mut state, &mut on, &leaves, &values).unwrap();
            for (output, scores) in scores.iter().enumerate() {
                let found = on.read_scores(&mut stream, output).unwrap();
                assert_eq!(bits(&found), bits(scores), "{name}: {rows}");
            }
            let moved = order.iter().flat_map(|row| scores.iter().map(|scores| scores[*row as usize]));
            let largest = moved.clone().fold(0.0_f32, |most, score| most.max(score.abs()));
            assert_eq!(on.largest_scores(&mut stream).unwrap(), [largest, moved.fold(0.0, f32::max)], "{name}: {rows}");
        }
    }
}

#[test]
fn leaves_beyond_the_order_are_refused() {
    let mut stream = gpu().stream();
    let columns = [vec![1.0, 2.0]];
    let rows = BoostingRows::new(&mut stream, TargetColumns::Numbers(&columns), None, &[vec![0.0; 2]], &[0, 1]);
    let (mut rows, mut state) = (rows.unwrap().unwrap(), GrowState::new(&stream));
    rows.gradients(&mut stream, &[RowLoss::Squared]).unwrap();
    state.begin_boosting(&mut stream, &mut rows, None).unwrap();
    for leaf in [(0, 1..3), (1, 0..1)].map(|(tree, rows)| LeafRows { tree, rows, bounds: UNBOUNDED }) {
        assert!(leaf_sums(&mut stream, &mut state, &mut rows, std::slice::from_ref(&leaf)).is_err());
        assert!(add_to_scores(&mut stream, &mut state, &mut rows, &[leaf], &[0.0]).is_err());
    }
}
