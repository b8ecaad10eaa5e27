//! Processes as JSON, written by hand.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::{MarkovDecisionProcess, Outcome, Rewards};
use crate::error::{Error, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProcessFile {
    discount: f64,
    states: Vec<String>,
    actions: Vec<String>,
    #[serde(default)]
    terminal: Vec<String>,
    #[serde(default)]
    rewards: RewardsFile,
    /// State to action to next state to probability.
    transitions: BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RewardsFile {
    #[serde(default)]
    state: BTreeMap<String, f64>,
    #[serde(default)]
    action: BTreeMap<String, BTreeMap<String, f64>>,
    #[serde(default)]
    entered: BTreeMap<String, f64>,
}

/// Names and their numbers.
struct Names<'a> {
    file: &'a str,
    what: &'static str,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn new(file: &'a str, what: &'static str, names: &'a [String]) -> Result<Names<'a>> {
        let numbers: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        if numbers.len() != names.len() || names.is_empty() {
            return Err(wrong(file, &format!("{what}s"), "names that are all different, at least one".to_string()));
        }
        Ok(Names { file, what, numbers })
    }

    fn number(&self, place: &str, name: &str) -> Result<usize> {
        let why = || format!("{name:?} is no {} that the file lists", self.what);
        self.numbers.get(name).copied().ok_or_else(|| wrong(self.file, place, why()))
    }
}

/// An error at a place of the file.
pub(crate) fn wrong(file: &str, place: &str, why: String) -> Error {
    Error::Data { path: file.to_string(), line: None, column: Some(place.to_string()), why }
}

/// An error of the syntax, or of a value that is of another type.
pub(crate) fn unreadable(file: &str, error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let why = text.split(" at line ").next().unwrap_or(&text).to_string();
    let line = (error.line() > 0).then_some(error.line() as u64);
    Error::Data { path: file.to_string(), line, column: None, why }
}

impl MarkovDecisionProcess {
    /// A process as JSON; `file` is its name in errors, which name the place. `states`, `actions` and `discount` must be
    /// there, `transitions` from a state by an action to states with probabilities, `terminal` states, and `rewards` by
    /// `state`, by `action` or by the state `entered`, which are added.
    ///
    /// ```
    /// use gristmill::decision::{MarkovDecisionProcess, Solve};
    /// let text = r#"{
    ///     "discount": 0.9, "states": ["well", "ill", "over"], "actions": ["rest", "work"], "terminal": ["over"],
    ///     "rewards": {"action": {"well": {"work": 3}}, "entered": {"over": -10}},
    ///     "transitions": {
    ///         "well": {"rest": {"well": 1}, "work": {"well": 0.8, "ill": 0.2}},
    ///         "ill": {"rest": {"well": 0.5, "ill": 0.5}, "work": {"over": 1}}}
    /// }"#;
    /// let process = MarkovDecisionProcess::from_json(text, "health.json")?;
    /// let best = process.value_iteration(&Solve::default())?;
    /// assert_eq!(process.action_name(best.policy.action(1)), "rest");
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn from_json(text: &str, file: &str) -> Result<MarkovDecisionProcess> {
        let found: ProcessFile = serde_json::from_str(text).map_err(|error| unreadable(file, &error))?;
        let states = Names::new(file, "state", &found.states)?;
        let actions = Names::new(file, "action", &found.actions)?;
        let count = found.actions.len();
        let mut outcomes: Vec<Outcome> = vec![];
        let mut allowed = vec![false; found.states.len() * count];
        for (state, rows) in &found.transitions {
            let from = states.number("transitions", state)?;
            for (action, row) in rows {
                let place = format!("transitions.{state}.{action}");
                let by = actions.number(&format!("transitions.{state}"), action)?;
                allowed[from * count + by] = !row.is_empty();
                let sum: f64 = row.values().sum();
                if !row.is_empty() && (sum - 1.0).abs() > 1e-6 {
                    return Err(wrong(file, &place, format!("the probabilities sum to {sum:.9}, not to 1")));
                }
                for (next, probability) in row {
                    outcomes.push((from, by, states.number(&place, next)?, *probability));
                }
            }
        }
        let mut rewards = vec![0.0; allowed.len()];
        for (state, reward) in &found.rewards.state {
            let state = states.number("rewards.state", state)?;
            rewards[state * count..(state + 1) * count].iter_mut().for_each(|sum| *sum += reward);
        }
        for (state, row) in &found.rewards.action {
            let from = states.number("rewards.action", state)?;
            for (action, reward) in row {
                rewards[from * count + actions.number(&format!("rewards.action.{state}"), action)?] += reward;
            }
        }
        let mut entered = vec![0.0; found.states.len()];
        for (state, reward) in &found.rewards.entered {
            entered[states.number("rewards.entered", state)?] += reward;
        }
        outcomes.iter().for_each(|(from, by, next, probability)| {
            rewards[from * count + by] += probability * entered[*next];
        });
        let terminal = found.terminal.iter().map(|state| states.number("terminal", state));
        let terminal = terminal.collect::<Result<Vec<usize>>>()?;
        let rewards = Rewards::Action(rewards);
        let process = MarkovDecisionProcess::new(found.states.len(), count, outcomes, rewards, found.discount)?;
        process.terminal(&terminal)?.named(found.states, found.actions)
    }
}
