//! `gristmill decide`: the values and the best policy of a decision process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use gristmill::decision::{GridWorld, MarkovDecisionProcess, Solution, Solve, policy_picture};
use gristmill::plot::Figure;
use gristmill::{Error, Profile};
use serde::Serialize;

use crate::arguments::{GlobalArgs, PlotArgs, check_outputs};
use crate::report::{CliError, CommandResult, number, profile, show, table_of};

/// States that a page shows.
const MOST_SHOWN: usize = 60;

const EXAMPLES: &str = "A process is a JSON file:
  {\"discount\": 0.9, \"states\": [\"a\", \"b\"], \"actions\": [\"go\", \"stay\"],
   \"terminal\": [\"b\"], \"rewards\": {\"entered\": {\"b\": 1}},
   \"transitions\": {\"a\": {\"go\": {\"a\": 0.5, \"b\": 0.5}, \"stay\": {\"a\": 1}}}}
Rewards are by \"state\", by \"action\" or by the state \"entered\". A grid is shorter:
  {\"discount\": 0.9, \"grid\": [\"...+\", \".#.-\", \"....\"], \"terminal\": \"+-\",
   \"rewards\": {\"+\": 1, \"-\": -1, \".\": -0.04}, \"slip\": 0.1,
   \"teleports\": [{\"from\": [2, 0], \"to\": [0, 2]}]}

Examples:
  gristmill decide process.json
  gristmill decide grid.json --plot policy.svg
  gristmill decide process.json --method policy-iteration --json";

#[derive(Clone, Copy, ValueEnum, PartialEq)]
enum Method {
    /// Sweeps over all states, on a GPU too
    ValueIteration,
    /// A linear solve for each of a few policies
    PolicyIteration,
}

/// What `decide` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DecideArgs {
    /// The process, as JSON
    file: PathBuf,
    /// How it is solved
    #[arg(long, value_enum, default_value = "value-iteration")]
    method: Method,
    /// How far values may be from the optimal ones
    #[arg(long, default_value_t = 1e-9)]
    tol: f64,
    /// Sweeps, or policies, at most
    #[arg(long, default_value_t = 10_000)]
    max_iter: usize,
    #[command(flatten)]
    plot: PlotArgs,
}

#[derive(Serialize)]
struct DecideReport {
    states: Vec<StateReport>,
    discount: f64,
    iterations: usize,
    converged: bool,
    residual: f64,
    /// Null with a discount of 1.
    error_bound: f64,
    device: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    plot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
}

#[derive(Serialize)]
struct StateReport {
    state: String,
    value: f64,
    /// Null where nothing is done.
    action: Option<String>,
    /// The value of each action that can be taken.
    actions: BTreeMap<String, f64>,
}

pub fn run(args: &DecideArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&args.plot.plot], [args.file.as_path()])?;
    args.plot.check()?;
    let name = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Error::Io { path: name.clone(), why: format!("cannot be read: {error}") })?;
    let (process, world) = read(&text, &name)?;
    if world.is_none() && args.plot.plot.is_some() {
        return Err(CliError::Usage("--plot draws grids: a process without one has no places to draw".to_string()));
    }
    let placed = global.placement()?.or_cpu("a process in a JSON file is too little work for a GPU");
    let options = Solve::default().tol(args.tol).max_iter(args.max_iter).device(&placed.device);
    let solution = match args.method {
        Method::ValueIteration => process.value_iteration(&options)?,
        Method::PolicyIteration => process.policy_iteration(&options)?,
    };
    let figure = world.map(|world| policy_picture(&world, &solution.values, &solution.policy)).transpose()?;
    let figures: Vec<Figure> = figure.into_iter().collect();
    let plot = args.plot.save(&figures)?;
    let solved = report(&process, &solution, placed.device.info().name, plot);
    show(global, &DecideReport { profile: global.profile_of(&placed.device), ..solved }, page);
    Ok(())
}

/// A grid, or a process of any kind.
fn read(text: &str, name: &str) -> CommandResult<(MarkovDecisionProcess, Option<GridWorld>)> {
    let grid = serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.get("grid").is_some());
    if !grid {
        return Ok((MarkovDecisionProcess::from_json(text, name)?, None));
    }
    let (world, discount) = GridWorld::from_json(text, name)?;
    Ok((world.process(discount)?, Some(world)))
}

fn report(process: &MarkovDecisionProcess, solution: &Solution, device: String, plot: Option<String>) -> DecideReport {
    let state = |state: usize| {
        let row = &solution.action_values[state * process.actions()..(state + 1) * process.actions()];
        let taken = row.iter().enumerate().filter(|(_, value)| !value.is_nan());
        let actions: BTreeMap<String, f64> =
            taken.map(|(action, value)| (process.action_name(action), *value)).collect();
        let action = (!actions.is_empty()).then(|| process.action_name(solution.policy.action(state)));
        StateReport { state: process.state_name(state), value: solution.values[state], action, actions }
    };
    DecideReport {
        states: (0..process.states()).map(state).collect(),
        discount: process.discount(),
        iterations: solution.iterations,
        converged: solution.converged,
        residual: solution.residual,
        error_bound: solution.error_bound,
        device,
        plot,
        profile: None,
    }
}

fn page(report: &DecideReport) -> String {
    let rows = report.states.iter().filter(|state| state.action.is_some() || report.states.len() < 20);
    let rows = rows.take(MOST_SHOWN).map(|state| {
        [state.state.clone(), number(state.value), state.action.clone().unwrap_or_else(|| "–".to_string())]
    });
    let mut lines = vec![table_of(&["state", "value", "best action"], rows)];
    if report.states.len() > MOST_SHOWN {
        lines.push(format!("{} states in all; --json lists them", report.states.len()));
    }
    let converged = if report.converged { "converged" } else { "not converged" };
    let iterations = report.iterations;
    lines.push(format!("{converged} after {iterations} iterations, Bellman residual {}", number(report.residual)));
    lines.extend(report.plot.as_ref().map(|path| format!("drawn to {path}")));
    lines.extend(report.profile.as_ref().map(profile::describe));
    lines.join("\n")
}
