//! The values and the best policy of a grid and of the cliff, learning curves of the algorithms on the cliff side by side, and
//! the graph of a Markov chain.
//!
//! `cargo run --release --example decision_views [FILE.svg]`

use gristmill::decision::{Control, GridWorld, Learning, Solve, learning_curves, policy_picture};
use gristmill::plot::Panels;
use gristmill::sequence::MarkovChain;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "decision_views.svg".to_string());
    draw(&path)?;
    println!("{path}");
    Ok(())
}

/// Draws the picture.
pub fn draw(path: &str) -> gristmill::Result<()> {
    let world = GridWorld::notes();
    let best = world.process(0.9)?.value_iteration(&Solve::default())?;
    let grid = policy_picture(&world, &best.values, &best.policy)?.title("A grid with a teleport: values and policy");
    let cliff = GridWorld::cliff();
    let learning = Learning::new(1.0).episodes(600);
    let algorithms = [
        ("Q-learning", Control::QLearning),
        ("SARSA", Control::Sarsa),
        ("expected SARSA", Control::ExpectedSarsa),
        ("double Q-learning", Control::DoubleQLearning),
    ];
    let runs = algorithms
        .iter()
        .map(|(name, control)| Ok((*name, learning.control(*control, &cliff)?)))
        .collect::<gristmill::Result<Vec<_>>>()?;
    let curves: Vec<(&str, &[f64])> = runs.iter().map(|(name, run)| (*name, run.returns())).collect();
    let curves = learning_curves(&curves, 30).title("On the cliff").y_range(-150.0, 0.0)?;
    let [(_, q), (_, sarsa), ..] = &runs[..] else { return Ok(()) };
    let edge = policy_picture(&cliff, &q.state_values(), &q.policy())?.title("Q-learning walks along the edge");
    let safe = policy_picture(&cliff, &sarsa.state_values(), &sarsa.policy())?.title("SARSA keeps away from it");
    let rows = [[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]];
    let market = MarkovChain::from_probabilities(&["bull", "bear", "flat"], &[0.5, 0.3, 0.2], &rows)?;
    let graph = market.graph(true)?;
    let panels = Panels::new(2)?.title("Sequences and decisions");
    panels.figure(grid).figure(graph).figure(edge).figure(safe).figure(curves).save(path)
}
