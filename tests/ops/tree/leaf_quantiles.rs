use gristmill::cpu::tree::gradients::RowLoss;
use gristmill::cpu::tree::leaf_quantiles::{leaf_quantiles as on_cpu, quantile_place};
use gristmill::cpu::tree::monotone::UNBOUNDED;
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::leaf_quantiles::leaf_quantiles;
use gristmill::ops::tree::leaves::{LeafRows, leaf_sums};
use gristmill::ops::tree::{BoostingRows, GrowState};

use crate::support::{baseline, gpu, numbers};

/// The residuals of a leaf in order.
fn oracle(rows: &[u32], place: usize, targets: &[f32], scores: &[f32]) -> [f32; 2] {
    let mut residuals: Vec<f32> = rows.iter().map(|row| targets[*row as usize] - scores[*row as usize]).collect();
    residuals.sort_by(f32::total_cmp);
    [residuals[place], residuals[(place + 1).min(residuals.len() - 1)]]
}

/// Two outputs, one of whole numbers so that many residuals are the same; three leaves each, one without rows.
#[test]
fn quantiles_are_those_of_sorted_residuals_and_of_the_cpu() {
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        for rows in [1, 2, 63, 64, 65, 255, 257, 1000, 70_000] {
            let rough: Vec<f32> = numbers(rows, 1).iter().map(|number| (4.0 * number).round() * 0.5).collect();
            let targets = [rough, numbers(rows, 2)];
            let scores = [vec![0.5; rows], numbers(rows, 3).iter().map(|number| 30.0 * number).collect()];
            let order: Vec<u32> = (0..rows as u32).collect();
            let mut stream = device.stream();
            let columns = TargetColumns::Numbers(&targets);
            let mut on = BoostingRows::new(&mut stream, columns, None, &scores, &order).unwrap().unwrap();
            on.gradients(&mut stream, &[RowLoss::Slopes { above: 1.0, below: 1.0, at: 0.0 }; 2]).unwrap();
            let mut state = GrowState::new(&stream);
            state.begin_boosting(&mut stream, &mut on, None).unwrap();
            let middle = rows / 3;
            for share in [0.5, 0.1, 0.9, 0.999] {
                let (mut leaves, mut places, mut wanted) = (vec![], vec![], vec![]);
                for output in 0..2 {
                    for own in [0..middle, middle..middle, middle..rows] {
                        let place = quantile_place(share, own.len()).0;
                        let own_rows = &order[own.clone()];
                        let twin = on_cpu(&[(own_rows, place)], &targets[output], &scores[output])[0];
                        if !own.is_empty() {
                            assert_eq!(twin, oracle(own_rows, place, &targets[output], &scores[output]), "{rows}");
                        }
                        wanted.push(twin);
                        places.push(place);
                        let first = output * rows;
                        let rows = first + own.start..first + own.end;
                        leaves.push(LeafRows { tree: output, rows, bounds: UNBOUNDED });
                    }
                }
                let (sums, found) = leaf_quantiles(&mut stream, &mut state, &mut on, &leaves, &places).unwrap();
                assert_eq!(found, wanted, "{name}: {rows} rows, {share}");
                assert_eq!(sums, leaf_sums(&mut stream, &mut state, &mut on, &leaves).unwrap(), "{name}: {rows}");
            }
        }
    }
}

#[test]
fn places_are_where_a_share_of_equal_weights_lies() {
    assert_eq!(
        [0, 1, 2, 5, 6].map(|count| quantile_place(0.5, count)),
        [(0, false), (0, false), (0, true), (2, false), (2, true)]
    );
    assert_eq!(quantile_place(0.9, 10), (8, true));
    assert_eq!(quantile_place(0.25, 3), (0, false));
    assert_eq!(on_cpu(&[(&[0, 1], 0)], &[1e-40, 0.0], &[0.0, 0.0]), [[0.0, 0.0]]);
}

#[test]
fn a_place_for_each_leaf_is_wanted() {
    let mut stream = gpu().stream();
    let columns = [vec![1.0, 2.0]];
    let rows = BoostingRows::new(&mut stream, TargetColumns::Numbers(&columns), None, &[vec![0.0; 2]], &[0, 1]);
    let (mut rows, mut state) = (rows.unwrap().unwrap(), GrowState::new(&stream));
    rows.gradients(&mut stream, &[RowLoss::Squared]).unwrap();
    state.begin_boosting(&mut stream, &mut rows, None).unwrap();
    let leaf = LeafRows { tree: 0, rows: 0..2, bounds: UNBOUNDED };
    assert!(leaf_quantiles(&mut stream, &mut state, &mut rows, std::slice::from_ref(&leaf), &[]).is_err());
    assert!(leaf_quantiles(&mut stream, &mut state, &mut rows, &[leaf], &[1]).is_ok());
}
