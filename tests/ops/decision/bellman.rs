use gristmill::decision::{MarkovDecisionProcess, Rewards, Solve};
use gristmill::ops::decision::bellman::{BellmanTable, bellman};
use gristmill::prelude::*;

use crate::support::{EPS, baseline, devices, gpu, numbers};

/// Rows of 0 to 4 outcomes; every fifth state has no action at all.
struct Case {
    actions: usize,
    offsets: Vec<u32>,
    outcomes: Vec<(u32, f32)>,
    rewards: Vec<f32>,
    values: Vec<f32>,
}

fn case(states: usize, actions: usize, seed: u64) -> Case {
    let draws = numbers(states * actions * 4, seed);
    let (mut offsets, mut outcomes) = (vec![0], vec![]);
    for row in 0..states * actions {
        let count = if row / actions % 5 == 4 { 0 } else { (row * 7 + seed as usize) % 5 };
        for draw in &draws[4 * row..4 * row + count] {
            let next = ((draw + 1.0) / 2.0 * states as f32) as u32;
            outcomes.push((next.min(states as u32 - 1), 1.0 / count as f32));
        }
        offsets.push(outcomes.len() as u32);
    }
    let rewards = numbers(states * actions, seed + 1);
    Case { actions, offsets, outcomes, rewards, values: numbers(states, seed + 2) }
}

fn swept(device: &Device, case: &Case, discount: f32) -> (Vec<f32>, Vec<f32>) {
    let table =
        BellmanTable::new(device, case.actions, &case.offsets, case.outcomes.iter().copied(), &case.rewards).unwrap();
    let mut stream = device.stream();
    let values = DeviceVec::from_slice(&case.values, device).unwrap();
    let mut out = DeviceVec::from_slice(&vec![7.0; case.values.len()], device).unwrap();
    let mut changes = DeviceVec::from_slice(&vec![7.0; table.changes_len()], device).unwrap();
    bellman(&mut stream, &table, discount, &values, &mut out, &mut changes).unwrap();
    (out.to_vec(&mut stream).unwrap(), changes.to_vec(&mut stream).unwrap())
}

#[test]
fn a_sweep_is_the_largest_of_the_actions_and_tells_its_changes() {
    for (name, device) in devices() {
        for states in [1, 2, 63, 64, 65, 255, 256, 257, 1000] {
            for actions in [1, 3, 5] {
                let case = case(states, actions, (states + actions) as u64);
                let (found, changes) = swept(device, &case, 0.9);
                for (state, value) in found.iter().enumerate() {
                    let (mut best, mut size) = (f64::NEG_INFINITY, 0.0_f64);
                    for row in state * actions..(state + 1) * actions {
                        let own = &case.outcomes[case.offsets[row] as usize..case.offsets[row + 1] as usize];
                        if own.is_empty() {
                            continue;
                        }
                        let terms = own.iter().map(|(next, share)| *share as f64 * case.values[*next as usize] as f64);
                        let terms: Vec<f64> = terms.map(|term| 0.9_f32 as f64 * term).collect();
                        best = best.max(case.rewards[row] as f64 + terms.iter().sum::<f64>());
                        size = size.max(1.0 + terms.iter().map(|term| term.abs()).sum::<f64>());
                    }
                    let exact = if best.is_finite() { best } else { 0.0 };
                    let off = (*value as f64 - exact).abs();
                    assert!(off <= 8.0 * EPS * size, "{name}: {states}×{actions}, state {state}: {off}");
                }
                for (group, pair) in changes.chunks(2).enumerate() {
                    let states = group * 256..(group * 256 + 256).min(states);
                    let moved = states.map(|state| found[state] as f64 - case.values[state] as f64);
                    let (low, high) = moved.fold((f64::MAX, f64::MIN), |(low, high), by| (low.min(by), high.max(by)));
                    assert!((pair[0] as f64 - low).abs() < 1e-6 && (pair[1] as f64 - high).abs() < 1e-6, "{name}");
                }
            }
        }
    }
}

#[test]
fn more_states_than_a_line_of_workgroups_holds() {
    let states = 65_536 * 256 + 300;
    // Each fourth state has an outcome: a table lies in one buffer.
    let offsets: Vec<u32> = (0..=states as u32).map(|state| state.div_ceil(4)).collect();
    let outcomes = (0..states).step_by(4).map(|state| ((state / 2) as u32, 1.0));
    let table = BellmanTable::new(gpu(), 1, &offsets, outcomes, &vec![1.0; states]).unwrap();
    let mut stream = gpu().stream();
    let values: Vec<f32> = (0..states).map(|state| (state % 1000) as f32).collect();
    let values = DeviceVec::from_slice(&values, gpu()).unwrap();
    let mut out = DeviceVec::from_slice(&vec![0.0; states], gpu()).unwrap();
    let mut changes = DeviceVec::from_slice(&vec![0.0; table.changes_len()], gpu()).unwrap();
    bellman(&mut stream, &table, 1.0, &values, &mut out, &mut changes).unwrap();
    let found = out.to_vec(&mut stream).unwrap();
    let expected = |state: usize| if state.is_multiple_of(4) { (state / 2 % 1000) as f32 + 1.0 } else { 0.0 };
    let wrong = (0..states).find(|state| found[*state] != expected(*state));
    assert_eq!(wrong, None);
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let device = baseline();
    let none = || std::iter::empty();
    assert!(BellmanTable::new(device, 2, &[0, 0], none(), &[0.0]).is_err());
    assert!(BellmanTable::new(device, 1, &[0, 1], [(1, 1.0)].into_iter(), &[0.0]).is_err());
    assert!(BellmanTable::new(device, 1, &[0, 2], [(0, 1.0)].into_iter(), &[0.0]).is_err());
    let table = BellmanTable::new(device, 1, &[0, 1], [(0, 1.0)].into_iter(), &[0.0]).unwrap();
    let mut stream = device.stream();
    let values = DeviceVec::from_slice(&[0.0, 1.0], device).unwrap();
    let (mut out, mut changes) =
        (DeviceVec::from_slice(&[0.0], device).unwrap(), DeviceVec::from_slice(&[0.0, 0.0], device).unwrap());
    assert!(matches!(bellman(&mut stream, &table, 0.9, &values, &mut out, &mut changes), Err(Error::Shape { .. })));
    let elsewhere = DeviceVec::from_slice(&[0.0], &Device::Cpu).unwrap();
    assert!(bellman(&mut stream, &table, 0.9, &elsewhere, &mut out, &mut changes).is_err());
}

#[test]
fn value_iteration_on_a_gpu_agrees_and_waits_once_a_check() {
    let states = 700;
    let outcomes = (0..states * 3).flat_map(|row| {
        let (state, action) = (row / 3, row % 3);
        [(state, action, (state * 7 + action) % states, 0.6), (state, action, (state + 13) % states, 0.4)]
    });
    let rewards = numbers(states * 3, 5).iter().map(|reward| *reward as f64).collect();
    let process = MarkovDecisionProcess::new(states, 3, outcomes, Rewards::Action(rewards), 0.95).unwrap();
    let exact = process.value_iteration(&Solve::default()).unwrap();
    for device in [gpu(), baseline()] {
        let found = process.value_iteration(&Solve::default().tol(1e-4).device(device)).unwrap();
        assert!(found.converged);
        let off = found.values.iter().zip(&exact.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 2e-4, "{off}");
        // Sixteen sweeps between two waits, and one for the values.
        assert_eq!(found.waits, found.iterations.div_ceil(16) + 1);
        // What f32 cannot give is told, not waited for.
        let hard = process.value_iteration(&Solve::default().tol(1e-14).device(device)).unwrap();
        assert!(!hard.converged && hard.iterations < 5000, "{}", hard.iterations);
    }
}
