//! Alters the parts of saved model files and makes their checksum right again, as a forger would; a fuzz target shares it.

use gristmill::estimator::Task;
use gristmill::pipeline::PipelineModel;
use gristmill::prelude::*;
use gristmill::registry;
use serde_json::{Map, Value, json};

use super::forge::{forged, header_of};

/// Where the choices come from: a random generator, or the bytes of a fuzzer.
pub trait Choices {
    fn next(&mut self) -> u32;

    fn below(&mut self, count: usize) -> usize {
        self.next() as usize % count.max(1)
    }
}

/// Rows that all files are fitted on.
pub fn rows() -> Matrix {
    let rows = [[0.0, 2.0], [1.0, 1.0], [0.0, 0.0], [1.0, 2.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
    Matrix::from_rows(&rows).unwrap()
}

/// Small files of every kind of model, alone and as pipelines, with and without names and categories.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let plain = rows();
    let named = rows().with_names(["a", "b"]).unwrap().with_category_names(0, ["x", "y", "z"]).unwrap();
    let numbers = Matrix::from_vec(8, 1, vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]).unwrap();
    let target = gristmill::Target::from_numbers(numbers);
    let mut files = vec![];
    for entry in registry::entries() {
        let mut estimator = entry.estimator();
        let tree = if entry.task == Task::Regression { "decision-tree-regressor" } else { "decision-tree-classifier" };
        let small = [("n_clusters", 2), ("n_neighbors", 2), ("n_estimators", 2), ("cv", 2)];
        let small = small.map(|(name, value)| (name, value.into()));
        let trees = ["estimator", "estimators", "final_estimator"].map(|name| (name, tree.into()));
        for (name, value) in small.into_iter().chain(trees) {
            if estimator.has(name) {
                estimator = estimator.set(name, value).unwrap();
            }
        }
        for x in [&plain, &named] {
            if let Ok(model) = estimator.fit(x, &target, Fit::default()) {
                files.push((entry.name.to_string(), model.to_bytes().unwrap()));
            }
        }
        let data = Dataset::new(named.clone(), target.clone()).unwrap();
        let encoded = Pipeline::from(estimator).with_step(registry::find("one-hot-encoder").unwrap().estimator());
        if let Ok(model) = encoded.fit(&data) {
            files.push((format!("pipeline of {}", entry.name), model.to_bytes().unwrap()));
        }
    }
    files
}

/// A model file taken apart.
struct File {
    kind: String,
    parameters: Value,
    version: Value,
    tensors: Vec<StoredTensor>,
}

struct StoredTensor {
    name: String,
    dtype: String,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

impl StoredTensor {
    fn width(&self) -> usize {
        match self.dtype.as_str() {
            "U8" => 1,
            "U64" | "F64" => 8,
            _ => 4,
        }
    }
}

/// Integers that are no size of anything, or nearly.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    3,
    5,
    255,
    256,
    65_535,
    65_537,
    1 << 24,
    (1 << 31) - 1,
    u32::MAX as u64,
    1 << 40,
    1 << 60,
    i64::MAX as u64,
    u64::MAX,
];

impl File {
    fn parse(bytes: &[u8]) -> File {
        let header: Map<String, Value> = serde_json::from_str(header_of(bytes)).unwrap();
        let data = &bytes[8 + header_of(bytes).len()..];
        let text = header["__metadata__"]["gristmill"].as_str().unwrap();
        let described: Value = serde_json::from_str(text).unwrap();
        let tensor = |(name, entry): (&String, &Value)| {
            let number = |value: &Value| value.as_u64().unwrap();
            let [from, to] = [0, 1].map(|end| number(&entry["data_offsets"][end]) as usize);
            StoredTensor {
                name: name.clone(),
                dtype: entry["dtype"].as_str().unwrap().to_string(),
                shape: entry["shape"].as_array().unwrap().iter().map(number).collect(),
                bytes: data[from..to].to_vec(),
            }
        };
        File {
            kind: described["kind"].as_str().unwrap().to_string(),
            parameters: described["parameters"].clone(),
            version: described["version"].clone(),
            tensors: header.iter().filter(|(name, _)| *name != "__metadata__").map(tensor).collect(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let described = format!(
            r#"{{"checksum":"{}","format":1,"kind":"{}","parameters":{},"version":{}}}"#,
            "0".repeat(32),
            self.kind,
            self.parameters,
            self.version
        );
        let mut header = format!(r#"{{"__metadata__":{{"gristmill":{}}}"#, Value::String(described));
        let mut tensors: Vec<&StoredTensor> = self.tensors.iter().collect();
        tensors.sort_by_key(|tensor| (std::cmp::Reverse(tensor.width()), tensor.name.clone()));
        let mut data = vec![];
        for tensor in tensors {
            let offsets = [data.len(), data.len() + tensor.bytes.len()];
            data.extend_from_slice(&tensor.bytes);
            let entry = json!({"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets});
            header.push_str(&format!(",{}:{entry}", Value::String(tensor.name.clone())));
        }
        header.push('}');
        forged(&header, &data)
    }
}

/// The file with a few of its parts altered.
pub fn mutated(bytes: &[u8], choices: &mut dyn Choices) -> Vec<u8> {
    let mut file = File::parse(bytes);
    for _ in 0..=choices.below(3) {
        match choices.below(8) {
            0..3 => alter_value(&mut file.parameters, choices),
            3..6 => alter_values(&mut file.tensors, choices),
            6 => alter_shape(&mut file.tensors, choices),
            _ => alter_tensors(&mut file.tensors, choices),
        }
    }
    file.to_bytes()
}

/// Alters one leaf of the parameters.
fn alter_value(value: &mut Value, choices: &mut dyn Choices) {
    let deeper = choices.below(8) > 0;
    match value {
        Value::Object(map) if deeper && !map.is_empty() => {
            let key = map.keys().nth(choices.below(map.len())).unwrap().clone();
            match choices.below(30) {
                0 => drop(map.remove(&key)),
                _ => alter_value(&mut map[&key], choices),
            }
        }
        Value::Array(list) if deeper && !list.is_empty() => match choices.below(6) {
            0 => drop(list.pop()),
            1 => list.push(list[0].clone()),
            _ => {
                let at = choices.below(list.len());
                alter_value(&mut list[at], choices);
            }
        },
        value => {
            *value = match choices.below(8) {
                0..4 => json!(EDGES[choices.below(EDGES.len())]),
                4 => json!([-1.0, 0.5, 1e300, -1e300, 1e-300][choices.below(5)]),
                5 => json!(!value.as_bool().unwrap_or(false)),
                6 => Value::Null,
                _ => json!(["", "x", "error", "ignore", "first", "auto"][choices.below(6)]),
            }
        }
    }
}

/// Sets some of the values of a tensor.
fn alter_values(tensors: &mut [StoredTensor], choices: &mut dyn Choices) {
    if tensors.is_empty() {
        return;
    }
    let at = choices.below(tensors.len());
    let tensor = &mut tensors[at];
    let width = tensor.width();
    for _ in 0..=choices.below(3) {
        let places = tensor.bytes.len() / width;
        if places == 0 {
            return;
        }
        let place = choices.below(places);
        let edge = EDGES[choices.below(EDGES.len())];
        let number = [0.0, -1.0, 1e30, -1e30, 1e-30, f64::NAN, f64::INFINITY, edge as f64][choices.below(8)];
        let value = match tensor.dtype.as_str() {
            "F32" => (number as f32).to_le_bytes().to_vec(),
            "F64" => number.to_le_bytes().to_vec(),
            _ => edge.to_le_bytes()[..width].to_vec(),
        };
        tensor.bytes[place * width..][..width].copy_from_slice(&value);
    }
}

/// Gives a tensor another shape, with as many values as that takes.
fn alter_shape(tensors: &mut [StoredTensor], choices: &mut dyn Choices) {
    if tensors.is_empty() {
        return;
    }
    let at = choices.below(tensors.len());
    let tensor = &mut tensors[at];
    match choices.below(6) {
        0 => tensor.shape.push(1),
        1 => drop(tensor.shape.pop()),
        2 => tensor.shape = vec![0, EDGES[choices.below(EDGES.len())]],
        3 => tensor.shape = vec![EDGES[choices.below(EDGES.len())], 0],
        _ if tensor.shape.is_empty() => tensor.shape.push(2),
        _ => {
            let axis = choices.below(tensor.shape.len());
            tensor.shape[axis] =
                tensor.shape[axis].saturating_add(choices.below(4) as u64).saturating_sub(1 + choices.below(2) as u64);
        }
    }
    let count = tensor.shape.iter().try_fold(1_u64, |count, axis| count.checked_mul(*axis)).unwrap_or(0);
    tensor.bytes.resize(tensor.width() * count.min(1 << 12) as usize, 0);
}

/// Takes a tensor away, exchanges two, or changes a name.
fn alter_tensors(tensors: &mut Vec<StoredTensor>, choices: &mut dyn Choices) {
    if tensors.is_empty() {
        return;
    }
    let (one, other) = (choices.below(tensors.len()), choices.below(tensors.len()));
    match choices.below(3) {
        0 => drop(tensors.remove(one)),
        1 => {
            let name = tensors[one].name.clone();
            tensors[one].name = std::mem::replace(&mut tensors[other].name, name);
        }
        _ => tensors[one].name.push('x'),
    }
}

/// Asks a model for all it can tell; it may refuse, and may not panic.
pub fn use_all(model: AnyModel) {
    let queries = [rows(), Matrix::zeros(3, 2).unwrap(), rows().with_categories([0]).unwrap()];
    let (_, _, _) = (model.report(), model.classes().len(), model.fitted_prediction());
    let pipeline = PipelineModel::from(model.clone());
    let columns = pipeline.input_columns();
    let _ = (pipeline.columns().len(), model.text(&columns), model.transformed_columns(&columns));
    for x in &queries {
        let _ = (pipeline.predict(x), model.predict_proba(x), model.decision_function(x));
        let _ = (model.transform(x), model.score_samples(x), model.shapley_values(x), model.inertia(x));
    }
    let _ = model.to_bytes();
}
