//! `gristmill models`: every model with its parameters.

use gristmill::estimator::Task;
use gristmill::registry::{self, Entry};
use serde::Serialize;
use serde_json::Value;

use super::failure::{Done, misuse};
use super::{Everywhere, print, print_json, table};

const EXAMPLES: &str = "Examples:
  gristmill models
  gristmill models kmeans
  gristmill models --json";

/// What `models` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Only this model
    name: Option<String>,
}

#[derive(Serialize)]
struct Described {
    name: &'static str,
    task: Task,
    about: &'static str,
    takes_missing: bool,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    default: Value,
    help: &'static str,
}

pub fn run(options: &Options, everywhere: &Everywhere) -> Done {
    if let Some(name) = &options.name {
        let model = describe(registry::find(name).map_err(misuse)?)?;
        if everywhere.json {
            print_json(&model);
        } else {
            print(&detail(&model));
        }
        return Ok(());
    }
    let models = registry::entries().iter().map(describe).collect::<gristmill::Result<Vec<Described>>>()?;
    if everywhere.json {
        print_json(&serde_json::json!({ "models": models }));
        return Ok(());
    }
    let mut shown = table(&["model", "what it does", "parameter", "default", "meaning"]);
    for model in &models {
        if model.parameters.is_empty() {
            shown.add_row([model.name, model.about, "", "", ""]);
        }
        for (at, parameter) in model.parameters.iter().enumerate() {
            let first = |text: &str| if at == 0 { text.to_string() } else { String::new() };
            // The task stands under the name, where there is room for it.
            let name = if at == 1 { format!("  {}", task(model.task)) } else { first(model.name) };
            let default = short(&parameter.default);
            shown.add_row([name, first(model.about), parameter.name.to_string(), default, parameter.help.to_string()]);
        }
    }
    print(&shown.to_string());
    print("gristmill models NAME shows one; gristmill fit NAME DATA --set parameter=value uses it.");
    Ok(())
}

fn describe(entry: &Entry) -> gristmill::Result<Described> {
    let estimator = entry.estimator();
    let defaults = estimator.parameters()?;
    let parameter = |(name, help): &(&'static str, &'static str)| {
        let default = defaults.get(*name).cloned().unwrap_or(Value::Null);
        Parameter { name, default, help }
    };
    let (name, task, about) = (entry.name, entry.task, entry.about);
    let parameters = entry.parameters.iter().map(parameter).collect();
    Ok(Described { name, task, about, takes_missing: estimator.takes_missing(), parameters })
}

fn detail(model: &Described) -> String {
    let mut shown = table(&["parameter", "default", "meaning"]);
    for parameter in &model.parameters {
        shown.add_row([parameter.name, &short(&parameter.default), parameter.help]);
    }
    let missing = if model.takes_missing { "; takes missing values" } else { "" };
    let target = if model.task.needs_target() { " --target COL" } else { "" };
    format!(
        "{}: {}\n{}{missing}\n{shown}\n\n  gristmill fit {} DATA{target} --set {}=… --save model.gm",
        model.name,
        model.about,
        task(model.task),
        model.name,
        model.parameters.first().map_or("parameter", |parameter| parameter.name)
    )
}

fn task(task: Task) -> &'static str {
    match task {
        Task::Classification => "classes from features",
        Task::Regression => "numbers from features",
        Task::Clustering => "clusters",
        Task::Outliers => "outliers",
    }
}

/// A default as `--set` takes it.
fn short(value: &Value) -> String {
    match value {
        Value::Null => "none".to_string(),
        Value::String(text) => text.clone(),
        Value::Object(map) if map.contains_key("model") => short(&map["model"]),
        other => other.to_string(),
    }
}
