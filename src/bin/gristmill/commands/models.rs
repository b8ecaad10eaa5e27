//! `gristmill models`: every model with its parameters.

use gristmill::estimator::Task;
use gristmill::registry::{self, Entry};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::GlobalArgs;
use crate::report::{CommandResult, hanging, paragraph, print, print_json, show};

const EXAMPLES: &str = "Examples:
  gristmill models
  gristmill models kmeans
  gristmill models --json";

/// What `models` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ModelsArgs {
    /// Only this model
    name: Option<String>,
}

#[derive(Serialize)]
struct ModelDescription {
    name: &'static str,
    task: Task,
    about: &'static str,
    takes_missing: bool,
    takes_categories: bool,
    takes_sparse: bool,
    takes_chunks: bool,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    default: Value,
    help: &'static str,
}

pub fn run(args: &ModelsArgs, global: &GlobalArgs) -> CommandResult {
    if let Some(name) = &args.name {
        let model = describe(registry::find(name)?)?;
        show(global, &model, detail);
        return Ok(());
    }
    let models = registry::entries().iter().map(describe).collect::<gristmill::Result<Vec<ModelDescription>>>()?;
    if global.json {
        print_json(&serde_json::json!({ "models": models }));
        return Ok(());
    }
    for model in &models {
        print(&format!("{}\n", block(model)));
    }
    print(&paragraph("gristmill models NAME shows one; gristmill fit NAME DATA --set parameter=value uses it."));
    Ok(())
}

fn describe(entry: &Entry) -> gristmill::Result<ModelDescription> {
    let estimator = entry.estimator();
    let defaults = estimator.parameters()?;
    let parameter = |known: &gristmill::estimator::Parameter| {
        let default = defaults.get(known.name).cloned().unwrap_or(Value::Null);
        Parameter { name: known.name, default, help: known.help.trim() }
    };
    let (name, task, about) = (entry.name, entry.task, entry.about);
    let parameters = entry.parameters.iter().map(parameter).collect();
    let abilities = estimator.abilities();
    Ok(ModelDescription {
        name,
        task,
        about,
        takes_missing: abilities.missing,
        takes_categories: abilities.categories,
        takes_sparse: abilities.sparse,
        takes_chunks: abilities.chunks,
        parameters,
    })
}

/// The model, its task and what it does, and a line for each parameter: name, default and meaning.
fn block(model: &ModelDescription) -> String {
    let takes = [
        (model.takes_missing, "missing values"),
        (model.takes_categories, "text columns"),
        (model.takes_sparse, "sparse rows"),
        (model.takes_chunks, "chunks of rows"),
    ];
    let takes: Vec<&str> = takes.iter().filter(|(takes, _)| *takes).map(|(_, what)| *what).collect();
    let takes = if takes.is_empty() { String::new() } else { format!("; takes {}", takes.join(", ")) };
    let mut block = paragraph(&format!("{} ({}{takes}): {}", model.name, task(model.task), model.about));
    let defaults: Vec<String> = model.parameters.iter().map(|parameter| short(&parameter.default)).collect();
    // A default that is a list of models has a line of its own, and the others need not stand behind it.
    const LONGEST: usize = 50;
    let names = model.parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or(0);
    let sizes = defaults.iter().map(|default| default.chars().count());
    let values = sizes.filter(|size| *size <= LONGEST).max().unwrap_or(0);
    for (parameter, default) in model.parameters.iter().zip(&defaults) {
        let name = format!("    {:names$} = ", parameter.name);
        if default.chars().count() > LONGEST {
            block += &format!("\n{}\n        {default}\n{}", name.trim_end(), hanging("        ", parameter.help));
            continue;
        }
        block += &format!("\n{}", hanging(&format!("{name}{default:values$}   "), parameter.help));
    }
    block
}

fn detail(model: &ModelDescription) -> String {
    let target = if model.task.needs_target() { " --target COL" } else { "" };
    let first = model.parameters.first().map_or("parameter", |parameter| parameter.name);
    let typed = format!("\n\n  gristmill fit {} DATA{target} \\\n      --set {first}=… --save model.gm", model.name);
    let mut detail = block(model) + &typed;
    if model.task == Task::Transformation {
        detail += &format!("\n  gristmill fit MODEL DATA --step {}:{first}=…", model.name);
    }
    detail
}

fn task(task: Task) -> &'static str {
    match task {
        Task::Classification => "classification",
        Task::Regression => "regression",
        Task::Clustering => "clustering",
        Task::Outliers => "outlier detection",
        Task::Density => "density estimation",
        Task::Transformation => "transformer",
    }
}

/// A default as `--set` takes it.
pub fn short(value: &Value) -> String {
    match value {
        Value::Null => "none".to_string(),
        Value::String(text) => text.clone(),
        Value::Object(map) if map.contains_key("model") => named(map),
        Value::Array(list) => list.iter().map(short).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// A model that is a parameter: its name, and what is set otherwise than by default.
fn named(map: &Map<String, Value>) -> String {
    let name = short(&map["model"]);
    let usual = registry::find(&name).and_then(|entry| entry.estimator().parameters()).unwrap_or_default();
    let own = map.iter().filter(|(key, value)| *key != "model" && usual.get(*key) != Some(value));
    let own: Vec<String> = own.map(|(key, value)| format!("{key}={}", short(value))).collect();
    if own.is_empty() { name } else { format!("{name} ({})", own.join(", ")) }
}
