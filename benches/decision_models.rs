//! Value iteration on a grid of a million states, to be timed beside `scripts/decision_peers`: `cargo bench --bench decision_models`.
//!
//! A step goes where it should with probability 0.8 and to either side with 0.1; at the edge it stays. Each state and action has a
//! reward of its own between 0 and 1. The process is solved five times; shown are the minimum and the median.

use std::time::Instant;

use gristmill::decision::{MarkovDecisionProcess, Rewards, Solve};

const SIDE: usize = 1000;
const DISCOUNT: f64 = 0.95;
/// Half of what the peer calls epsilon: it bounds the range of the last change, this the distance from the optimal values.
const TOL: f64 = 5e-4;
const RUNS: usize = 5;

fn main() -> gristmill::Result<()> {
    let (states, begun) = (SIDE * SIDE, Instant::now());
    let outcomes = (0..states).flat_map(|state| (0..4).flat_map(move |action| outcomes(state, action)));
    let rewards = (0..4 * states).map(|at| (at * 7919 % 1009) as f64 / 1009.0).collect();
    let process = MarkovDecisionProcess::new(states, 4, outcomes, Rewards::Action(rewards), DISCOUNT)?;
    println!("set-up {:.3} s", begun.elapsed().as_secs_f64());
    let mut seconds = vec![];
    for _ in 0..RUNS {
        let begun = Instant::now();
        let solved = process.value_iteration(&Solve::default().tol(TOL))?;
        seconds.push(begun.elapsed().as_secs_f64());
        let mean = solved.values.iter().sum::<f64>() / states as f64;
        println!("{} sweeps, mean value {mean:.6}, residual {:.1e}", solved.iterations, solved.residual);
    }
    seconds.sort_by(f64::total_cmp);
    println!("value iteration, {states} states × 4 actions: {:.3} s, median {:.3}", seconds[0], seconds[RUNS / 2]);
    Ok(())
}

/// Where an action leads: on, to its left and to its right.
fn outcomes(state: usize, action: usize) -> [(usize, usize, usize, f64); 3] {
    let next = |turn: usize, probability: f64| (state, action, moved(state, (action + turn) % 4), probability);
    [next(0, 0.8), next(1, 0.1), next(3, 0.1)]
}

/// The state beside this one: above, right, below, left.
fn moved(state: usize, direction: usize) -> usize {
    let (row, column) = (state / SIDE, state % SIDE);
    match direction {
        0 => row.saturating_sub(1) * SIDE + column,
        1 => row * SIDE + (column + 1).min(SIDE - 1),
        2 => (row + 1).min(SIDE - 1) * SIDE + column,
        _ => row * SIDE + column.saturating_sub(1),
    }
}
