//! `gristmill inspect`: what is in a model file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gristmill::model_file::Container;
use gristmill::pipeline::PipelineModel;
use gristmill::{AnyModel, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use super::models;
use crate::arguments::{GlobalArgs, check_outputs};
use crate::pictures::{check_picture, draw_alone};
use crate::report::{CommandResult, bytes, show, table};

/// Categories and classes that a line names.
const MOST_NAMED: usize = 12;
/// Letters of a parameter's value that a line shows.
const LONGEST: usize = 60;

const EXAMPLES: &str = "A model file is a safetensors file: any reader of that format can open its arrays.

Examples:
  gristmill inspect digits.gm
  gristmill inspect digits.gm --tensors
  gristmill inspect digits.gm --json
  gristmill inspect tennis.gm --plot tree.svg";

/// What `inspect` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct InspectArgs {
    /// The model file
    model: PathBuf,
    /// Lists the arrays of the file too
    #[arg(long)]
    tensors: bool,
    /// Draws a model that has a picture without rows, such as a tree, into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

#[derive(Serialize)]
struct ModelFileDescription {
    file: String,
    bytes: u64,
    #[serde(flatten)]
    part: Part,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<Column>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    /// The steps before the model, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<&'static str>,
    /// The model in words, if it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<String>>,
}

/// A model, or one inside another.
#[derive(Serialize)]
struct Part {
    kind: String,
    version: u32,
    /// What it was fitted with.
    parameters: Map<String, Value>,
    /// Numbers that it learnt.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fitted: Map<String, Value>,
    arrays: Vec<Array>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<Inner>,
}

#[derive(Serialize)]
struct Inner {
    name: String,
    #[serde(flatten)]
    part: Part,
}

#[derive(Serialize)]
struct Array {
    name: String,
    element: &'static str,
    shape: Vec<usize>,
    bytes: u64,
}

pub fn run(args: &InspectArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&args.plot], [args.model.as_path()])?;
    args.plot.as_deref().map_or(Ok(()), check_picture)?;
    let container = Container::load(&args.model)?;
    let part = part_of(&container);
    let model = PipelineModel::from(AnyModel::from_container(container)?);
    if let Some(path) = &args.plot {
        draw_alone(&model, path)?;
    }
    let described = describe(args, part, &model)?;
    show(global, &described, |described| page(described, args.tensors));
    Ok(())
}

fn describe(args: &InspectArgs, part: Part, model: &PipelineModel) -> Result<ModelFileDescription> {
    let columns = model.columns().into_iter().map(|column| Column {
        name: column.name,
        kind: if column.categories.is_some() { "text" } else { "number" },
        categories: column.categories,
    });
    Ok(ModelFileDescription {
        file: args.model.display().to_string(),
        bytes: std::fs::metadata(&args.model).map_or(0, |about| about.len()),
        part,
        columns: columns.collect(),
        targets: model.targets().to_vec(),
        classes: model.model().classes().to_vec(),
        steps: model.steps().iter().map(|step| step.kind()).collect(),
        text: model.model().text(&model.input_columns()),
    })
}

fn part_of(container: &Container) -> Part {
    let array = |(name, tensor): (&str, &gristmill::model_file::Tensor)| {
        let shape = tensor.shape().to_vec();
        let bytes = shape.iter().product::<usize>() as u64 * tensor.element().size() as u64;
        Array { name: name.to_string(), element: tensor.element().name(), shape, bytes }
    };
    let models = container.models().map(|(name, model)| Inner { name: name.to_string(), part: part_of(model) });
    let (parameters, fitted) = parameters_of(container);
    Part {
        kind: container.kind().to_string(),
        version: container.version(),
        parameters,
        fitted,
        arrays: container.tensors().map(array).collect(),
        models: models.collect(),
    }
}

/// The parameters that a model was fitted with, and the numbers that it learnt.
fn parameters_of(container: &Container) -> (Map<String, Value>, Map<String, Value>) {
    let mut all = container.raw_parameters().clone();
    let mut take = |name: &str| match all.remove(name) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let (parameters, mut fitted) = (take("estimator"), take("fitted"));
    fitted.extend(all);
    (parameters, fitted)
}

fn page(described: &ModelFileDescription, tensors: bool) -> String {
    let part = &described.part;
    let inner = part.models.iter().find(|inner| inner.name == "model");
    let kind = inner.map_or(String::new(), |inner| format!(" with {}", inner.part.kind));
    let mut lines =
        vec![format!("{}: {}{kind}, version {}, {}", described.file, part.kind, part.version, bytes(described.bytes))];
    if !described.steps.is_empty() {
        lines.push(format!("steps: {}", described.steps.join(" → ")));
    }
    if !described.targets.is_empty() {
        lines.push(format!("target: {}", described.targets.join(", ")));
    }
    if !described.classes.is_empty() {
        lines.push(format!("classes: {}", list(&described.classes)));
    }
    if !described.columns.is_empty() {
        let mut shown = table(&["column", "type", "categories"]);
        for (at, column) in described.columns.iter().enumerate() {
            let name = if column.name.is_empty() { (at + 1).to_string() } else { column.name.clone() };
            shown.add_row([name, column.kind.to_string(), column.categories.as_deref().map_or_else(String::new, list)]);
        }
        lines.push(shown.to_string());
    }
    let mut shown = table(&["in", "what", "value or shape", "size"]);
    add(&mut shown, &[part], &part.kind, tensors);
    lines.push(shown.to_string());
    lines.extend(described.text.clone());
    lines.join("\n")
}

/// The parameters and, if asked for, the arrays of models of one kind with the same parameters, then those of the models inside.
fn add(shown: &mut comfy_table::Table, alike: &[&Part], place: &str, tensors: bool) {
    let Some(first) = alike.first() else { return };
    for (name, value) in first.numbers() {
        let varies = alike.iter().any(|part| part.numbers().get(&name) != Some(&value));
        let value = if varies { "varies".to_string() } else { shortened(&models::short(&value)) };
        shown.add_row([place.to_string(), name, value, String::new()]);
    }
    for array in first.arrays.iter().filter(|_| tensors) {
        let all: Vec<&Array> =
            alike.iter().filter_map(|part| part.arrays.iter().find(|other| other.name == array.name)).collect();
        let shape = format!("{} {}", array.element, shape_of(&all));
        shown.add_row([place.to_string(), array.name.clone(), shape, bytes(all.iter().map(|array| array.bytes).sum())]);
    }
    for group in groups(alike.iter().flat_map(|part| &part.models)) {
        let place = match (&group[..], alike.len()) {
            ([one], 1) => format!("{}: {}", one.name, one.part.kind),
            (many, _) => format!("{} × {}", many.len(), many[0].part.kind),
        };
        add(shown, &group.iter().map(|inner| &inner.part).collect::<Vec<_>>(), &place, tensors);
    }
}

impl Part {
    /// Parameters, and numbers that were learnt.
    fn numbers(&self) -> BTreeMap<String, Value> {
        flat(&self.parameters).into_iter().chain(flat(&self.fitted)).collect()
    }
}

/// Parameters by name; those of an estimator inside, unless it is given by name, as `estimator.max_depth`.
fn flat(parameters: &Map<String, Value>) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (name, value) in parameters {
        match value {
            Value::Object(inner) if !inner.contains_key("model") => {
                all.extend(flat(inner).into_iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
            }
            _ => {
                all.insert(name.clone(), value.clone());
            }
        }
    }
    all
}

/// Models that differ in their seeds and arrays alone, such as the members of an ensemble, together.
fn groups<'a>(models: impl Iterator<Item = &'a Inner>) -> Vec<Vec<&'a Inner>> {
    let key_of = |inner: &Inner| {
        let mut parameters = inner.part.numbers();
        parameters.retain(|name, _| name != "seed" && !name.ends_with(".seed"));
        let arrays: Vec<String> = inner.part.arrays.iter().map(|array| array.name.clone()).collect();
        (inner.part.kind.clone(), parameters, arrays)
    };
    let mut found: Vec<(_, Vec<&Inner>)> = vec![];
    for inner in models {
        let key = key_of(inner);
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(inner),
            None => found.push((key, vec![inner])),
        }
    }
    found.into_iter().map(|(_, group)| group).collect()
}

/// The shape of an array; of several with other shapes the range of each axis, `3–15×2`.
fn shape_of(arrays: &[&Array]) -> String {
    let axes = arrays.iter().map(|array| array.shape.len()).min().unwrap_or(0);
    let axis = |at: usize| {
        let sizes = || arrays.iter().map(|array| array.shape[at]);
        match (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0)) {
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min}–{max}"),
        }
    };
    (0..axes).map(axis).collect::<Vec<_>>().join("×")
}

fn list(names: &[String]) -> String {
    let more = if names.len() > MOST_NAMED { format!(", … {} in all", names.len()) } else { String::new() };
    shortened(&names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ")) + &more
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
