//! `--config`: the arguments of a run from a TOML file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use gristmill::data::nearest_name;
use toml::{Table, Value};

use crate::report::{CliError, CommandResult};

/// Arguments of which only one can be given: what is typed wins over the other of the file.
const RIVALS: &[(&str, &str)] = &[("split", "test"), ("target", "labels"), ("features", "drop"), ("sparse", "dense")];
/// The argument that the file and the command line may both set: what is typed comes later, and so counts.
const MERGED: &str = "set";
/// The key that names the command.
const COMMAND: &str = "command";

/// The arguments with those of the file that `--config` names before them; `command` has its global arguments in its
/// subcommands.
pub fn with_config(command: &Command, given: Vec<OsString>) -> CommandResult<Vec<OsString>> {
    // What is typed may be complete only with the file.
    let Ok(typed) = command.clone().ignore_errors(true).try_get_matches_from(&given) else { return Ok(given) };
    let path = |matches: &ArgMatches| matches.try_get_one::<PathBuf>("config").ok().flatten().cloned();
    let of_command = typed.subcommand();
    let Some(path) = of_command.and_then(|(_, matches)| path(matches)).or_else(|| path(&typed)) else {
        return Ok(given);
    };
    let file = ConfigFile::read(&path)?;
    let name = match (of_command, file.table.get(COMMAND).and_then(Value::as_str)) {
        (Some((name, _)), _) => name.to_string(),
        (None, Some(name)) => name.to_string(),
        (None, None) => return Err(file.refuse("names no command, such as command = \"fit\"".to_string())),
    };
    let Some(chosen) = command.find_subcommand(&name) else {
        let known = command.get_subcommands().map(Command::get_name);
        let near = nearest_name(&name, known).map_or_else(String::new, |near| format!("; the nearest is {near:?}"));
        return Err(file.refuse(format!("names the command {name:?}, which there is not{near}")));
    };
    let empty = ArgMatches::default();
    let typed_here = of_command.map_or(&empty, |(_, matches)| matches);
    let mut arguments = Arguments { file: &file, command: chosen, typed: typed_here, flags: vec![], last: vec![] };
    for (key, value) in &file.table {
        if key == COMMAND || (value.is_table() && command.find_subcommand(key).is_some()) {
            continue;
        }
        let of_another = || command.get_subcommands().any(|other| argument_of(other, key).is_some());
        match argument_of(chosen, key) {
            // One file may serve several commands.
            None if of_another() => {}
            _ => arguments.add(key, value)?,
        }
    }
    let own = file.table.get(&name).and_then(Value::as_table);
    for (key, value) in own.into_iter().flatten() {
        arguments.add(key, value)?;
    }
    let place = given.iter().position(|word| word.to_str() == Some(&name)).filter(|_| of_command.is_some());
    let mut all = given.clone();
    match place {
        Some(place) => all.splice(place + 1..place + 1, arguments.flags).for_each(drop),
        None => all.extend([OsString::from(&name)].into_iter().chain(arguments.flags)),
    }
    arguments.last.sort();
    all.extend(arguments.last.into_iter().map(|(_, value)| value));
    Ok(all)
}

/// A file that was read.
struct ConfigFile {
    path: PathBuf,
    table: Table,
}

impl ConfigFile {
    fn read(path: &Path) -> CommandResult<ConfigFile> {
        let path = path.to_path_buf();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| CliError::Unfit(format!("{}: cannot be read: {error}", path.display())))?;
        let table = text.parse::<Table>();
        let table = table.map_err(|error| CliError::Usage(format!("{}: {error}", path.display())))?;
        Ok(ConfigFile { path, table })
    }

    fn refuse(&self, why: String) -> CliError {
        CliError::Usage(format!("{}: {why}", self.path.display()))
    }
}

/// The argument that a key means, with `-` or `_` between its words.
fn argument_of<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    let id = key.replace('-', "_");
    command.get_arguments().find(|argument| argument.get_id().as_str() == id)
}

/// What the file gives a command.
struct Arguments<'a> {
    file: &'a ConfigFile,
    command: &'a Command,
    typed: &'a ArgMatches,
    flags: Vec<OsString>,
    /// Positional arguments with their places; they come after those that are typed.
    last: Vec<(usize, OsString)>,
}

impl Arguments<'_> {
    fn is_typed(&self, id: &str) -> bool {
        let known = self.command.get_arguments().any(|argument| argument.get_id().as_str() == id);
        known && self.typed.try_contains_id(id).is_ok() && self.typed.value_source(id) == Some(ValueSource::CommandLine)
    }

    fn add(&mut self, key: &str, value: &Value) -> CommandResult {
        let Some(argument) = argument_of(self.command, key) else {
            let known = self.command.get_arguments().map(|argument| argument.get_id().as_str());
            let near = nearest_name(key, known).map_or_else(String::new, |near| format!("; the nearest is {near:?}"));
            let name = self.command.get_name();
            return Err(self.file.refuse(format!("{key:?} is no argument of {name}{near}")));
        };
        let id = argument.get_id().as_str();
        let rival =
            |(one, other): &(&str, &str)| (*one == id && self.is_typed(other)) || (*other == id && self.is_typed(one));
        if (self.is_typed(id) && id != MERGED) || RIVALS.iter().any(rival) {
            return Ok(());
        }
        let wrong = |what: &str| self.file.refuse(format!("{key}: {what}; it is a {}", value.type_str()));
        let Some(long) = argument.get_long() else {
            let value = text(value).ok_or_else(|| wrong("expected a text"))?;
            self.last.push((argument.get_index().unwrap_or(0), value.into()));
            return Ok(());
        };
        let flag = || OsString::from(format!("--{long}"));
        match (argument.get_action(), value) {
            (ArgAction::SetTrue, Value::Boolean(true)) => self.flags.push(flag()),
            (ArgAction::SetTrue, Value::Boolean(false)) => {}
            (ArgAction::SetTrue, _) => return Err(wrong("expected true or false")),
            (_, Value::Table(table)) => {
                for (name, value) in settings(table, "") {
                    let value = text(&value).ok_or_else(|| wrong("expected values and lists of them"))?;
                    self.flags.extend([flag(), format!("{name}={value}").into()]);
                }
            }
            (ArgAction::Append, Value::Array(values)) if argument.get_value_delimiter().is_none() => {
                for value in values {
                    let value = text(value).ok_or_else(|| wrong("expected a list of texts"))?;
                    self.flags.extend([flag(), value.into()]);
                }
            }
            _ => {
                let value = text(value).ok_or_else(|| wrong("expected a value or a list"))?;
                self.flags.push(format!("--{long}={value}").into());
            }
        }
        Ok(())
    }
}

/// The settings of a table, those of inner tables as `estimator.max_depth`.
fn settings(table: &Table, before: &str) -> Vec<(String, Value)> {
    let one = |(name, value): (&String, &Value)| match value {
        Value::Table(inner) => settings(inner, &format!("{before}{name}.")),
        value => vec![(format!("{before}{name}"), value.clone())],
    };
    table.iter().flat_map(one).collect()
}

/// A value as it is typed; lists with commas.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => values.iter().map(text).collect::<Option<Vec<_>>>().map(|texts| texts.join(",")),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(yes) => Some(yes.to_string()),
        Value::Datetime(moment) => Some(moment.to_string()),
        Value::Table(_) => None,
    }
}
