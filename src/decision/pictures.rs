//! Values and policies on a grid, and learning over the episodes.

use super::environment::{Environment, GridWorld};
use super::policy::Policy;
use crate::error::{Error, Result};
use crate::plot::{self, Figure};

/// The values of the cells of a grid as colours, and as arrows what a policy does in them.
///
/// ```
/// use gristmill::decision::{GridWorld, Solve, policy_picture};
/// let world = GridWorld::notes();
/// let best = world.process(0.9)?.value_iteration(&Solve::default())?;
/// let svg = policy_picture(&world, &best.values, &best.policy)?.to_svg();
/// assert!(svg.contains("Values and policy"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn policy_picture(world: &GridWorld, values: &[f64], policy: &Policy) -> Result<Figure> {
    let cells = world.rows() * world.columns();
    if values.len() != cells || policy.states() != cells || policy.actions != world.actions() {
        let expected = format!("{cells} values and states, {} actions", world.actions());
        let got = format!("{} and {}, {}", values.len(), policy.states(), policy.actions);
        return Err(Error::shape("policy_picture", expected, got));
    }
    let free = |cell: usize| (0..policy.actions).any(|action| world.is_allowed(cell, action));
    let shown = |cell: usize| match free(cell) || world.is_terminal(cell) {
        true => values[cell],
        false => f64::NAN,
    };
    let moves = |cell: usize| {
        let taken = (0..policy.actions).filter(|action| policy.row(cell)[*action] > 0.0);
        let taken = taken.filter(|action| world.is_allowed(cell, *action));
        taken.map(|action| world.direction(cell, action)).collect()
    };
    let values: Vec<f64> = (0..cells).map(shown).collect();
    let moves: Vec<Vec<(f64, f64)>> = (0..cells).map(moves).collect();
    Ok(plot::grid_policy(world.rows(), world.columns(), &values, &moves)?.title("Values and policy"))
}

/// What episodes earned, side by side: each curve is the mean over the last `window` episodes.
pub fn learning_curves<S: AsRef<str>>(curves: &[(S, &[f64])], window: usize) -> Figure {
    let label = format!("return, mean of the last {}", window.max(1));
    let mut figure = Figure::new().title("Learning").x_label("episode").y_label(label);
    for (name, returns) in curves {
        let window = window.max(1);
        let mean = |at: usize| {
            let last = &returns[(at + 1).saturating_sub(window)..=at];
            (at as f64, last.iter().sum::<f64>() / last.len() as f64)
        };
        // No more points than a picture shows.
        let step = (returns.len() / 400).max(1);
        figure = figure.line(name.as_ref(), (0..returns.len()).step_by(step).map(mean));
    }
    figure
}
