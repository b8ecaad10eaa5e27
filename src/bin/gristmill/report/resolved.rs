//! The run as it was asked for, with what `--config` and defaults gave.

use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use serde::Serialize;
use serde_json::{Map, Value};

/// Commands whose JSON tells the run.
const TOLD: &[&str] = &["fit", "cv", "predict", "transform", "evaluate"];

static RUN: OnceLock<ResolvedRun> = OnceLock::new();

/// A command and the values of its arguments.
#[derive(Debug, Serialize)]
pub struct ResolvedRun {
    command: String,
    arguments: Map<String, Value>,
    #[serde(skip)]
    line: String,
}

/// Remembers what was asked for; `command` has its global arguments in its subcommands.
pub fn remember(command: &clap::Command, matches: &ArgMatches) {
    let Some((name, matches)) = matches.subcommand() else { return };
    let Some(command) = command.find_subcommand(name).filter(|_| TOLD.contains(&name)) else { return };
    let (mut arguments, mut positional, mut flags) = (Map::new(), String::new(), String::new());
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let Some((values, source)) = values_of(argument, matches) else { continue };
        if source != ValueSource::DefaultValue {
            match argument.get_long() {
                None => values.iter().for_each(|value| positional += &format!(" {}", quoted(value))),
                Some(long) if is_flag(argument) => flags += &format!(" --{long}"),
                Some(long) if argument.get_value_delimiter().is_some() => {
                    flags += &format!(" --{long} {}", quoted(&values.join(",")));
                }
                Some(long) => {
                    values.iter().for_each(|value| flags += &format!(" --{long} {}", quoted(value)));
                }
            }
        }
        arguments.insert(id.to_string(), json(argument, &values));
    }
    let line = format!("gristmill {name}{positional}{flags}");
    let _ = RUN.set(ResolvedRun { command: name.to_string(), arguments, line });
}

/// What was asked for.
pub fn run() -> Option<&'static ResolvedRun> {
    RUN.get()
}

/// The same as it is typed at a shell.
pub fn command_line() -> Option<String> {
    run().map(|run| run.line.clone())
}

fn is_flag(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
}

/// The values of an argument and where they come from; nothing where it has none.
fn values_of(argument: &Arg, matches: &ArgMatches) -> Option<(Vec<String>, ValueSource)> {
    let id = argument.get_id().as_str();
    if matches!(argument.get_action(), ArgAction::Help | ArgAction::Version) {
        return None;
    }
    let source = matches.value_source(id)?;
    let raw = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy().into_owned());
    let values: Vec<String> = raw.collect();
    match is_flag(argument) {
        true if !matches.get_flag(id) => None,
        _ => Some((values, source)),
    }
}

/// One value, or a list of them where there may be several.
fn json(argument: &Arg, values: &[String]) -> Value {
    let several = matches!(argument.get_action(), ArgAction::Append);
    match values {
        _ if is_flag(argument) => true.into(),
        [one] if !several => one.parse::<i64>().map(Value::from).unwrap_or_else(|_| one.as_str().into()),
        values => values.to_vec().into(),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=,:+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
