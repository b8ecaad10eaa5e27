use gristmill::cpu::tree::gradients::{Derivatives, LossRows, RowLoss, gradients};
use gristmill::cpu::tree::leaf_quantiles::{
    Residuals, huber_delta, huber_sums, huber_unit, leaf_quantiles as on_cpu, midway, quantile_place,
};
use gristmill::cpu::tree::monotone::UNBOUNDED;
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::leaf_quantiles::{LeafQuantiles, QuantileTask, leaf_quantiles};
use gristmill::ops::tree::leaves::{LeafRows, leaf_sums};
use gristmill::ops::tree::{BoostingRows, GrowState, RoundTotals};
use gristmill::prelude::*;

use crate::support::{baseline, gpu, numbers};

const SLOPES: RowLoss = RowLoss::Slopes { above: 1.0, below: 1.0, at: 0.0 };

/// The residuals of a leaf in order, each as often as its weight says in quarters.
fn oracle(rows: &[u32], share: f64, [targets, scores]: [&[f32]; 2], weights: Option<&[f32]>) -> [f32; 2] {
    let mut residuals = vec![];
    for row in rows.iter().map(|row| *row as usize) {
        let times = weights.map_or(1, |weights| (4.0 * weights[row]) as usize);
        residuals.extend(vec![targets[row] - scores[row]; times]);
    }
    residuals.sort_by(f32::total_cmp);
    let (place, is_midway) = quantile_place(share, residuals.len() as u64);
    [residuals[place as usize], residuals[place as usize + usize::from(is_midway)]]
}

/// Rows on a device, with trees begun of those that count.
struct Begun {
    stream: Stream,
    rows: BoostingRows,
    state: GrowState,
    round: RoundTotals,
}

impl Begun {
    fn new(
        device: &Device,
        targets: &[Vec<f32>],
        scores: &[Vec<f32>],
        weights: Option<&[f32]>,
        share: Option<f64>,
    ) -> Begun {
        let mut stream = device.stream();
        let order = counted(targets[0].len(), weights);
        let columns = TargetColumns::Numbers(targets);
        let mut rows = BoostingRows::new(&mut stream, columns, weights, scores, &order).unwrap().unwrap();
        if let Some(share) = share {
            rows.find_deltas(share);
        }
        let loss = if share.is_some() { RowLoss::Huber { delta: 0.0 } } else { SLOPES };
        rows.gradients(&mut stream, &vec![loss; targets.len()]).unwrap();
        let mut state = GrowState::new(&stream);
        let round = state.begin_boosting(&mut stream, &mut rows, None).unwrap();
        Begun { stream, rows, state, round }
    }

    fn find(&mut self, nodes: [&[LeafRows]; 2], share: f64, with_steps: bool) -> LeafQuantiles {
        let task = QuantileTask { leaves: nodes[0], nodes: nodes[1], share, with_steps };
        leaf_quantiles(&mut self.stream, &mut self.state, &mut self.rows, &task).unwrap()
    }
}

fn counted(rows: usize, weights: Option<&[f32]>) -> Vec<u32> {
    (0..rows as u32).filter(|row| weights.is_none_or(|weights| weights[*row as usize] > 0.0)).collect()
}

/// Three leaves for each output, one without rows; and the nodes above them.
fn nodes(order: &[u32], outputs: usize) -> [Vec<LeafRows>; 2] {
    let (mut leaves, mut nodes, middle, end) = (vec![], vec![], order.len() / 3, order.len());
    for tree in 0..outputs {
        let node =
            |from: usize, to: usize| LeafRows { tree, rows: tree * end + from..tree * end + to, bounds: UNBOUNDED };
        let own = [node(0, middle), node(middle, middle), node(middle, end)];
        nodes.extend([node(0, end)].into_iter().chain(own.clone()));
        leaves.extend(own);
    }
    [leaves, nodes]
}

/// Weights that differ: quarters, some of them 0; any; and one far above the others.
fn kinds_of_weights(rows: usize) -> [Option<Vec<f32>>; 5] {
    let any: Vec<f32> = numbers(rows, 4).iter().map(|number| number.abs() + 1e-3).collect();
    let quarters = numbers(rows, 5).into_iter().enumerate().map(|(row, number)| match row {
        0 => 0.25,
        _ => (8.0 * number).round().max(0.0) * 0.25,
    });
    let huge = (0..rows).map(|row| if row == rows / 2 { 1e20 } else { 1.0 + (row % 3) as f32 });
    [None, Some(vec![0.75; rows]), Some(quarters.collect()), Some(any), Some(huge.collect())]
}

/// Two outputs, one of whole numbers so that many residuals are the same.
fn columns(rows: usize) -> [[Vec<f32>; 2]; 2] {
    let rough: Vec<f32> = numbers(rows, 1).iter().map(|number| (4.0 * number).round() * 0.5).collect();
    let scores = numbers(rows, 3).iter().map(|number| 30.0 * number).collect();
    [[rough, numbers(rows, 2)], [vec![0.5; rows], scores]]
}

#[test]
fn quantiles_are_those_of_sorted_residuals_and_of_the_cpu() {
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        for rows in [1, 2, 63, 64, 65, 255, 257, 1000, 70_000] {
            let [targets, scores] = columns(rows);
            for (kind, weights) in kinds_of_weights(rows).into_iter().enumerate() {
                let weights = weights.as_deref();
                let order = counted(rows, weights);
                let [leaves, nodes] = nodes(&order, 2);
                let shares: &[f64] = if rows == 70_000 { &[0.5, 0.9] } else { &[0.5, 0.1, 0.25, 0.999] };
                for share in shares {
                    let mut on = Begun::new(device, &targets, &scores, weights, None);
                    let sums = leaf_sums(&mut on.stream, &mut on.state, &mut on.rows, &leaves).unwrap();
                    let found = on.find([&leaves, &nodes], *share, false);
                    assert_eq!((found.sums, found.steps), (sums, vec![]), "{name}: {rows} rows, {kind}");
                    for (node, found) in nodes.iter().zip(found.quantiles) {
                        let own = &order[node.rows.start - node.tree * order.len()..][..node.rows.len()];
                        let [targets, scores] = [&targets[node.tree][..], &scores[node.tree]];
                        let twin = on_cpu(&[own], *share, &Residuals::new(targets, scores, weights))[0];
                        assert_eq!(found, twin, "{name}: {rows} rows, {kind}, {share}");
                        if own.is_empty() {
                            assert_eq!(twin, [0.0; 2]);
                        } else if kind < 3 {
                            let weights = weights.filter(|_| kind == 2);
                            assert_eq!(
                                twin,
                                oracle(own, *share, [targets, scores], weights),
                                "{rows}, {kind}, {share}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn delta_and_the_steps_of_hubers_loss_are_those_of_the_cpu() {
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        for rows in [1, 2, 64, 257, 1000, 20_000] {
            let [targets, scores] = columns(rows);
            for (kind, weights) in kinds_of_weights(rows).into_iter().enumerate() {
                let weights = weights.as_deref();
                let order = counted(rows, weights);
                let [leaves, nodes] = nodes(&order, 2);
                let mut on = Begun::new(device, &targets, &scores, weights, Some(0.8));
                let mut on_device = vec![];
                for output in 0..2 {
                    on_device.push(on.rows.read_gradients(&mut on.stream, output).unwrap());
                }
                let found = on.find([&leaves, &nodes], 0.5, true);
                for output in 0..2 {
                    let [targets, scores] = [&targets[output][..], &scores[output]];
                    let residuals = Residuals::new(targets, scores, weights);
                    let delta = huber_delta(&order, 0.8, &residuals);
                    assert_eq!(on.round.deltas[output], delta, "{name}: {rows} rows, {kind}");
                    let mut own = [vec![0.0; rows], vec![0.0; rows]];
                    let [first, second] = &mut own;
                    let out = Derivatives { gradients: first, hessians: second };
                    gradients(RowLoss::Huber { delta }, LossRows { scores, targets, weights }, out);
                    assert_eq!(on_device[output], own, "{name}: {rows} rows, {kind}");
                    let nodes = nodes.iter().enumerate().filter(|(_, node)| node.tree == output);
                    for (at, node) in nodes {
                        let own = &order[node.rows.start - output * order.len()..][..node.rows.len()];
                        let pair = on_cpu(&[own], 0.5, &residuals)[0];
                        assert_eq!(found.quantiles[at], pair, "{name}: {rows} rows, {kind}");
                        let sum = huber_sums(&[(own, midway(pair))], &residuals, delta)[0];
                        assert_eq!(found.steps[at], sum, "{name}: {rows} rows, {kind}");
                        let size = sum as f64 * huber_unit(residuals.largest_weight(), delta);
                        let weighs = residuals.largest_weight().and(weights);
                        let [exact, total] = pull(own, [targets, scores], weighs, (midway(pair), delta));
                        let bound = 1e-5 * total * f64::from(delta)
                            + 4e-9 * f64::from(delta) * largest(weighs) * own.len() as f64;
                        assert!((size - exact).abs() <= bound, "{rows} rows, {kind}: {size} {exact}");
                    }
                }
            }
        }
    }
}

fn largest(weights: Option<&[f32]>) -> f64 {
    weights.map_or(1.0, |weights| f64::from(weights.iter().copied().fold(0.0, f32::max)))
}

/// Σ w·(r − median held within ±δ) and Σ w.
fn pull(
    rows: &[u32],
    [targets, scores]: [&[f32]; 2],
    weights: Option<&[f32]>,
    (median, delta): (f32, f32),
) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for row in rows.iter().map(|row| *row as usize) {
        let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
        let rest = f64::from(targets[row]) - f64::from(scores[row]) - f64::from(median);
        sums[0] += weight * rest.clamp(-f64::from(delta), f64::from(delta));
        sums[1] += weight;
    }
    sums
}

#[test]
fn more_nodes_than_a_batch_are_found_in_passes() {
    let rows = 9000;
    let [targets, scores] = columns(rows);
    let weights: Vec<f32> = (0..rows).map(|row| 1.0 + (row % 5) as f32).collect();
    let nodes: Vec<LeafRows> =
        (0..4500).map(|node| LeafRows { tree: 0, rows: 2 * node..2 * node + 2, bounds: UNBOUNDED }).collect();
    let [targets, scores] = [targets, scores].map(|[_, second]| [second]);
    let mut on = Begun::new(gpu(), &targets, &scores, Some(&weights), Some(0.9));
    let found = on.find([&nodes, &nodes], 0.5, true);
    let residuals = Residuals::new(&targets[0], &scores[0], Some(&weights));
    let order: Vec<u32> = (0..rows as u32).collect();
    let own: Vec<&[u32]> = order.chunks_exact(2).collect();
    let pairs = on_cpu(&own, 0.5, &residuals);
    let medians = own.into_iter().zip(pairs.iter().map(|pair| midway(*pair))).collect::<Vec<_>>();
    assert_eq!(found.steps, huber_sums(&medians, &residuals, on.round.deltas[0]));
    assert_eq!(found.quantiles, pairs);
}

#[test]
fn places_are_where_a_share_of_the_units_lies() {
    assert_eq!(
        [0, 1, 2, 5, 6].map(|count| quantile_place(0.5, count)),
        [(0, false), (0, false), (0, true), (2, false), (2, true)]
    );
    assert_eq!(quantile_place(0.9, 10), (8, true));
    assert_eq!(quantile_place(0.25, 3), (0, false));
    assert_eq!(on_cpu(&[&[0, 1]], 0.1, &Residuals::new(&[1e-40, 0.0], &[0.0, 0.0], None)), [[0.0, 0.0]]);
}

/// A row of next to no weight is where the quantile of such rows lies, and δ is above 0 where a residual is.
#[test]
fn light_rows_and_zeros_keep_their_quantiles() {
    let (targets, scores) = ([3.0, 1.0, 2.0, 0.0, 50.0], [0.0; 5]);
    let residuals = Residuals::new(&targets, &scores, Some(&[1.0, 1.0, 1.0, 1.0, 1e30]));
    assert_eq!(
        on_cpu(&[&[0, 1, 2], &[0, 1, 2, 3], &[0, 1, 2, 3, 4], &[]], 0.5, &residuals),
        [[2.0; 2], [1.0, 2.0], [50.0; 2], [0.0; 2]]
    );
    let alike = Residuals::new(&targets, &scores, Some(&[0.5, 0.5, 0.5, 0.5, 0.0]));
    assert_eq!(huber_delta(&[0, 1, 2, 3], 0.5, &alike), 1.5);
    assert_eq!(huber_delta(&[0, 1, 2, 3], 0.25, &alike), 0.5);
    assert_eq!(huber_delta(&[0, 1, 2, 3], 0.2, &alike), 1.0);
    assert_eq!([huber_delta(&[3], 0.5, &alike), huber_delta(&[], 0.5, &alike)], [0.0; 2]);
}

#[test]
fn steps_want_a_delta() {
    let node = LeafRows { tree: 0, rows: 0..2, bounds: UNBOUNDED };
    let mut on = Begun::new(gpu(), &[vec![1.0, 2.0]], &[vec![0.0; 2]], None, None);
    let nodes = std::slice::from_ref(&node);
    let task = QuantileTask { leaves: nodes, nodes, share: 0.5, with_steps: true };
    assert!(leaf_quantiles(&mut on.stream, &mut on.state, &mut on.rows, &task).is_err());
}
